"""Files joined on their texts: labels merged, contradictions refused with both places."""

import io
import json

import pytest

from core.text_io.streams import FormatError, ReadNotes
from scoring.datasets.drafts import Draft
from scoring.formats.dataset_files import join
from scoring.formats.rows import DatasetRow
from scoring.quadruplets import SPLIT_NAMES, SplitPlan

CLARITY, OVERALL = "conceptual_clarity", "overall_quality"


def row(row_id="q-1", y=None, b="b", **fields):
    return DatasetRow(row_id, "r", "R", b, "c", "b1", "c1", y or {OVERALL: 1}, **fields)


def joined(files, notes=None):
    """Return id and labels of each row, and the splits that the files state."""
    draft = Draft(io.BytesIO())
    join(files, draft, notes)
    stated = [(*SPLIT_NAMES, "")[place] for place in draft.splits]
    draft.split(SplitPlan("item", 0, 0))
    return [(row["id"], row["y"]) for row in map(json.loads, draft.lines())], stated


def refusals(*files):
    with pytest.raises(FormatError) as caught:
        joined(files)
    return [str(bad) for bad in caught.value.bad_records]


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
