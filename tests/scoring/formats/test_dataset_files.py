import json
from pathlib import Path
from typing import Any

import pytest

from patclaimeval.text_io.streams import FormatError, ReadNotes
from scoring.datasets.drafts import Draft
from scoring.datasets.freezing.imports import join
from scoring.formats.dataset_files import detect_format, format_of, read_file
from scoring.quadruplets import DatasetRow, SplitPlan

CLARITY, OVERALL = "conceptual_clarity", "overall_quality"
TEXTS = {"gold_claim": "1. A cup.", "A": "1. A mug.", "B": "1. A bowl."}


def save(path: Path, **item: Any) -> Path:
    path.write_text(json.dumps([item] if path.suffix == ".json" else item))
    return path


def read(path: Path, name: str = "auto") -> list[DatasetRow]:
    return list(read_file(path, format_of(path, name), ReadNotes()))


def joined(files, notes=None):
    """Return id and labels of each row, and the splits that the files state."""
    draft = Draft()
    join(files, draft, notes or ReadNotes())
    stated = list(draft.splits)
    draft.split(SplitPlan("item", 0, 0))
    return [(row["id"], row["y"]) for row in map(json.loads, draft.lines())], stated


def refusals(*files):
    with pytest.raises(FormatError) as caught:
        joined(files)
    return [str(bad) for bad in caught.value.bad_records]


def row(row_id="q-1", y=None, b="b", **fields):
    return DatasetRow(row_id, "r", "R", b, "c", "b1", "c1", y or {OVERALL: 1}, **fields)


def test_the_first_bytes_show_the_format() -> None:
    assert detect_format(b'\xef\xbb\xbf \n[{"gold') == "patent-ce-json"
    assert detect_format(b'{"id": 1}') == "patent-ce-jsonl"
    assert detect_format(b'[\n {"input_claim": "1. A') == "label-studio"


@pytest.mark.parametrize(
    ("head", "expected"),
    [(b"", "0 records"), (b" \n\n", "0 records"), (b"id,A,B\n", "neither"), (b"PK\x03\x04", "ZIP")],
)
def test_what_is_neither_is_refused(head, expected) -> None:
    with pytest.raises(FormatError, match=expected):
        detect_format(head)


def test_a_named_format_is_not_guessed(tmp_path) -> None:
    path = save(tmp_path / "quality.json", **TEXTS, human_eval={"Quality": 1})
    with pytest.raises(FormatError, match="array"):
        read(path, "patent-ce-jsonl")


def test_a_bad_item_is_reported_with_the_name_of_its_file(tmp_path) -> None:
    with pytest.raises(FormatError, match=r"bad\.json.*item 1, field human_eval\.Quality"):
        read(save(tmp_path / "bad.json", **TEXTS, human_eval={"Quality": 3}))


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("quality_test.json", "test"),
        ("clarity_train.json", "train"),
        ("quality-dev.json", "validation"),
        ("latest.json", ""),
        ("testing.json", ""),
    ],
)
def test_a_files_name_states_the_split(tmp_path, name, split) -> None:
    (found,) = read(save(tmp_path / name, **TEXTS, human_eval={"Quality": 1}))
    assert found.split == split


def test_a_published_file_and_one_of_ours_are_joined_on_their_texts(tmp_path) -> None:
    theirs = save(tmp_path / "clarity.json", **TEXTS, human_eval={"Clarity": -1})
    a, b, c = TEXTS.values()
    ours = save(tmp_path / "more.jsonl", A=a, B=b, C=c, y={OVERALL: 1})
    swapped = save(tmp_path / "swapped.jsonl", A=a, B=c, C=b, y={OVERALL: -1})
    found, _ = joined([(path.name, read(path)) for path in (theirs, ours, swapped)])
    assert [labels for _, labels in found] == [{CLARITY: -1, OVERALL: 1}, {OVERALL: -1}]


def test_labels_of_one_comparison_in_several_files_are_merged_in_the_first_order():
    notes = ReadNotes()
    found, _ = joined(
        [
            ("quality.json", [row("q-1"), row("q-2")]),
            ("clarity.json", [row("q-3", {CLARITY: 0}), row("q-1", {CLARITY: -1})]),
        ],
        notes,
    )
    assert found == [
        ("q-1", {OVERALL: 1, CLARITY: -1}),
        ("q-2", {OVERALL: 1}),
        ("q-3", {CLARITY: 0}),
    ]
    assert (notes.joined, notes.duplicates) == (1, 0)


def test_an_equal_row_of_the_same_file_is_stored_once_and_counted():
    notes = ReadNotes()
    assert len(joined([("a.json", [row(), row(), row()])], notes)[0]) == 1
    assert (notes.joined, notes.duplicates) == (0, 2)


def test_two_files_of_one_name_are_two_files():
    notes = ReadNotes()
    joined([("a.json", [row()]), ("a.json", [row()])], notes)
    assert (notes.joined, notes.duplicates) == (1, 0)


def test_contradicting_labels_are_refused_with_both_places():
    expected = (
        "b.json, item 2, field overall_quality: the label -1 contradicts 1 in item 1 of a.json"
    )
    assert refusals(("a.json", [row()]), ("b.json", [row("q-2"), row(y={OVERALL: -1})])) == [
        expected
    ]
    (within,) = refusals(("a.json", [row(), row(y={OVERALL: 0})]))
    assert within.endswith("contradicts 1 in item 1 of a.json")


def test_one_id_for_different_texts_is_refused_and_nothing_is_dropped_silently():
    expected = "b.jsonl, item 1, field id: the id stands for other texts in item 1 of a.jsonl"
    assert refusals(("a.jsonl", [row("1")]), ("b.jsonl", [row("1", b="other")])) == [expected]


@pytest.mark.parametrize(
    ("stated", "split"),
    [
        (["test", "test"], "test"),
        (["", "test"], "test"),
        (["train", "test", "test"], ""),
        ([""], ""),
    ],
)
def test_a_split_is_stored_where_the_files_that_name_one_agree(stated, split):
    files = [(f"{n}.json", [row(split=name)]) for n, name in enumerate(stated)]
    assert joined(files)[1] == [split]
