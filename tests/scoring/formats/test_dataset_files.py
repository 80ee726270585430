"""Which format a file has, and several files joined into one dataset."""

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from core.text_io.streams import FormatError, ReadNotes
from scoring.datasets.drafts import Draft
from scoring.formats import patent_ce_jsonl
from scoring.formats.dataset_files import detect_format, format_of, join, read_file
from scoring.formats.rows import DatasetRow
from scoring.quadruplets import SPLIT_NAMES, SplitPlan


def item(number: int, **labels: int) -> dict[str, Any]:
    return {
        "gold_claim": f"1. A cup {number}.",
        "A": f"1. A mug {number}.",
        "B": f"1. A bowl {number}.",
        "human_eval": labels,
    }


def own(identifier: str | None, number: int, **labels: int) -> dict[str, Any]:
    texts = {"A": f"1. A cup {number}.", "B": f"1. A mug {number}.", "C": f"1. A bowl {number}."}
    return ({"id": identifier} if identifier else {}) | texts | {"y": labels}


def save(path: Path, *items: dict[str, Any]) -> Path:
    if path.suffix == ".json":
        path.write_text(json.dumps(items))
    else:
        path.write_text("".join(json.dumps(one) + "\n" for one in items))
    return path


def read(path: Path, name: str = "auto") -> list[DatasetRow]:
    return list(read_file(path, format_of(path, name), ReadNotes()))


def joined(*paths: Path, notes: ReadNotes | None = None) -> list[DatasetRow]:
    notes = notes or ReadNotes()
    draft = Draft(BytesIO())
    join([(p.name, read_file(p, format_of(p, "auto"), notes)) for p in paths], draft, notes)
    stated = [(*SPLIT_NAMES, "")[place] for place in draft.splits]
    draft.split(SplitPlan("item", 0, 0))
    rows = patent_ce_jsonl.read(BytesIO(b"".join(draft.lines())))
    return [replace(row, split=split) for row, split in zip(rows, stated, strict=True)]


def test_the_first_bytes_show_the_format() -> None:
    assert detect_format(b'\xef\xbb\xbf \n[{"gold') == "patent-ce-json"
    assert detect_format(b'{"id": 1}') == "patent-ce-jsonl"
    assert detect_format(b'[\n {"input_claim": "1. A') == "label-studio"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"", "0 records"),
        (b" \n\n", "0 records"),
        (b"id,A,B\n", "neither"),
        (b"PK\x03\x04", "ZIP"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"%PDF-1.7", "PDF"),
        (b"\xff\xfe[\0", "UTF-16"),
        (b"abc\0", "binary"),
    ],
)
def test_what_is_neither_is_refused(head: bytes, expected: str) -> None:
    with pytest.raises(FormatError, match=expected):
        detect_format(head)


def test_files_of_different_criteria_are_joined_on_their_texts(tmp_path: Path) -> None:
    notes = ReadNotes()
    rows = joined(
        save(tmp_path / "quality.json", item(1, Quality=1), item(2, Quality=0)),
        save(tmp_path / "clarity.json", item(2, Clarity=-1), item(3, Clarity=1)),
        notes=notes,
    )
    assert [row.reference for row in rows] == [f"1. A cup {n}." for n in (1, 2, 3)]
    assert [row.y for row in rows] == [
        {"overall_quality": 1},
        {"overall_quality": 0, "conceptual_clarity": -1},
        {"conceptual_clarity": 1},
    ]
    assert notes.joined == 1


def test_a_published_file_and_one_of_ours_join_as_well(tmp_path: Path) -> None:
    rows = joined(
        save(tmp_path / "clarity.json", item(1, Clarity=-1)),
        save(tmp_path / "more.jsonl", own(None, 1, overall_quality=1)),
    )
    assert [row.y for row in rows] == [{"conceptual_clarity": -1, "overall_quality": 1}]


def test_swapped_sides_are_another_item(tmp_path: Path) -> None:
    swapped = item(1, Quality=-1)
    swapped["A"], swapped["B"] = swapped["B"], swapped["A"]
    rows = joined(save(tmp_path / "quality.json", item(1, Quality=1), swapped))
    assert [row.y["overall_quality"] for row in rows] == [1, -1]


def test_labels_that_contradict_are_refused_with_file_and_item(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        joined(
            save(tmp_path / "one.json", item(1, Quality=1)),
            save(tmp_path / "two.json", item(7, Quality=0), item(1, Quality=-1)),
        )
    for part in ("two.json", "item 2", "the label -1 contradicts 1"):
        assert part in caught.value.sentence
    assert [(bad.file, bad.item) for bad in caught.value.bad_records] == [("two.json", 2)]


def test_an_equal_item_that_returns_is_stored_once_and_reported(tmp_path: Path) -> None:
    notes = ReadNotes()
    path = save(tmp_path / "quality.json", item(1, Quality=1), item(1, Quality=1))
    assert len(joined(path, notes=notes)) == 1
    assert notes.duplicates == 1
    assert notes.sentences() == ["1 items repeat an earlier item of their file."]


def test_one_id_for_different_texts_in_two_files_is_refused(tmp_path: Path) -> None:
    paths = [save(tmp_path / f"{n}.jsonl", own("q1", n, overall_quality=1)) for n in (1, 2)]
    with pytest.raises(FormatError, match=r"2\.jsonl, item 1, field id: .*item 1 of 1\.jsonl"):
        joined(*paths)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("quality_test.json", "clarity_test.json"), "test"),
        (("quality_test.json", "clarity_train.json"), ""),
        (("quality-dev.json", "clarity.json"), "validation"),
        (("latest.json", "testing.json"), ""),
    ],
)
def test_a_files_name_states_the_split_where_the_files_agree(
    tmp_path: Path, names: tuple[str, str], expected: str
) -> None:
    rows = joined(
        save(tmp_path / names[0], item(1, Quality=1)),
        save(tmp_path / names[1], item(1, Clarity=1)),
    )
    assert [row.split for row in rows] == [expected]


def test_a_bad_item_is_reported_with_the_name_of_its_file(tmp_path: Path) -> None:
    good = save(tmp_path / "good.json", item(1, Quality=1))
    with pytest.raises(FormatError, match=r"bad\.json.*item 1, field human_eval\.Quality"):
        joined(good, save(tmp_path / "bad.json", item(1, Quality=3)))


def test_a_named_format_is_not_guessed(tmp_path: Path) -> None:
    path = save(tmp_path / "quality.json", item(1, Quality=1))
    with pytest.raises(FormatError, match="array"):
        read(path, "patent-ce-jsonl")


def test_a_missing_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        joined(tmp_path / "missing.json")
