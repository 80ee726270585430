import pytest

from patclaimeval.text_io.shapes import Shape, checked, is_blank
from patclaimeval.text_io.streams import BadRecord, FormatError, ReadNotes, Record


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "\t\n", "\u200b", "\ufeff\u2060", "\u00a0\u3000"),
        *("\u0301", "\u3164", "\u2800", "\u202e", "\U000e0041"),
    ],
)
def test_a_text_in_which_nothing_can_be_seen_is_blank(text):
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", "\u200b1", ".", "権利", "\u0645", "e\u0301", "+", "😀"])
def test_a_text_with_anything_to_see_is_not_blank(text):
    assert not is_blank(text)


def test_every_unknown_field_is_named():
    shape = Shape({"a": 1, "scroe": 2, "x\n": 3}, ["a"], "candidates[2]")
    assert shape.problems == [
        ("candidates[2].scroe", "unknown field"),
        ("candidates[2].x\\n", "unknown field"),
    ]


def test_a_value_that_is_no_object_gives_one_problem_only():
    shape = Shape([1], ["a"])
    assert (shape.claims("a"), shape.identifier("a"), shape.text("a", 5)) == ("", "", "")
    assert shape.problems == [("", "an object was expected, not an array")]


@pytest.mark.parametrize("value", ["", " a", "a\n", "a\tb", "x" * 201, 7, True, None, ["a"]])
def test_an_id_is_one_visible_line_without_white_space_around_it(value):
    shape = Shape({"id": value}, ["id"])
    assert shape.identifier("id") == ""
    assert [name for name, _ in shape.problems] == ["id"]


@pytest.mark.parametrize("fields", [{}, {"id": None}])
def test_an_id_that_may_be_left_out_may_be_null_too(fields):
    shape = Shape(fields, ["id"])
    assert shape.identifier("id", is_required=False) == ""
    assert shape.problems == []


def test_claims_are_never_changed_and_an_optional_text_has_a_limit():
    text = "\r\n 1. A\u2028e\u0301 \u202e\u200b "
    assert Shape({"claims": text}, ["claims"]).claims("claims") == text
    shape = Shape({"ipc": "x" * 41}, ["ipc"])
    shape.text("ipc", 40)
    assert shape.problems == [("ipc", "longer than 40 characters")]


def test_good_records_come_out_until_the_first_bad_one_and_all_bad_ones_are_listed():
    stream = [Record(1, 1), BadRecord(2, "", "torn"), Record(3, 3), Record(4, -4)]
    values = checked(
        stream,
        lambda record: (record.value, [] if record.value > 0 else [("n", "negative")]),
        ReadNotes(),
        file="a.jsonl",
    )
    assert next(values) == 1
    with pytest.raises(FormatError) as caught:
        next(values)
    assert [str(bad) for bad in caught.value.bad_records] == [
        "a.jsonl, line 2: torn",
        "a.jsonl, line 4, field n: negative",
    ]
    with pytest.raises(FormatError, match="0 records"):
        list(checked([], lambda record: (record.value, []), ReadNotes()))
