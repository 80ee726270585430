import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.rubric import ALL_CRITERIA
from patclaimeval.text_io.streams import FormatError
from scoring.formats import rows as formats_rows
from scoring.formats.patent_ce_jsonl import KEYS, read, write
from scoring.quadruplets import SPLIT_NAMES, DatasetRow, quadruplet_id
from tests.scoring.formats.golden_rows import ROWS, golden

ROW: dict[str, Any] = {
    "id": "q1",
    "reference_id": "r1",
    "A": "1. A cup.",
    "B": "1. A mug.",
    "C": "1. A bowl.",
    "b_id": "c1",
    "c_id": "c2",
    "y": {"feature_completeness": 1, "overall_quality": 0},
    "split": "train",
    "provenance": {"policy": "settled", "annotators": 2, "ratings": ["x", "y"]},
    "office": "EPO",
}


def line(**changes: Any) -> bytes:
    return json.dumps(ROW | changes, ensure_ascii=False).encode() + b"\n"


def without(*names: str) -> bytes:
    return json.dumps({key: ROW[key] for key in ROW if key not in names}).encode() + b"\n"


def rows_of(content: bytes) -> list[DatasetRow]:
    return list(read(BytesIO(content)))


def refusal(content: bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        rows_of(content)
    return caught.value


# Line separators that str.splitlines() would break at, decomposed letters, letters beyond 16 bits.
AWKWARD = '\u2028\u2029\u0085\x0b\x0c\x1c\r\n\t"\\e\u0301\u00e9\U0001f600\U000e0041\u202e\u200b'
texts = st.text(
    st.one_of(st.sampled_from(AWKWARD), st.characters(exclude_categories=["Cs"], min_codepoint=1)),
    max_size=40,
).map(lambda found: "1. A" + found)
names = st.text("abcXYZ-_. é", min_size=1, max_size=12).map(lambda found: f"n{found}n")
rows = st.builds(
    DatasetRow,
    *(names, names, texts, texts, texts, names, names),
    y=st.dictionaries(st.sampled_from(ALL_CRITERIA), st.sampled_from([1, 0, -1]), min_size=1),
    split=st.sampled_from(SPLIT_NAMES),
    provenance=st.fixed_dictionaries({"policy": names, "ratings": st.lists(names, max_size=3)}),
    extras=st.fixed_dictionaries(
        {},
        optional={
            "y_soft": st.dictionaries(st.sampled_from(ALL_CRITERIA), st.floats(0, 1), min_size=1),
            "annotator": names,
            "language": st.just("en"),
            "flags": st.just(["B equals C"]),
        },
    ),
)


@given(st.lists(rows, min_size=1, max_size=5, unique_by=lambda row: row.id))
def test_write_read_write_gives_the_same_bytes_and_texts(given_rows) -> None:
    first = b"".join(write(given_rows))
    again = rows_of(first)
    assert b"".join(write(again)) == first
    assert [(r.reference, r.b, r.c, r.y) for r in again] == [
        (r.reference, r.b, r.c, r.y) for r in given_rows
    ]
    assert first.count(b"\n") == len(given_rows)


def test_keys_stand_in_their_fixed_order() -> None:
    (written,) = write(rows_of(json.dumps(dict(reversed(ROW.items()))).encode()))
    found = list(json.loads(written))
    assert found == [key for key in KEYS if key in found]
    assert written == line()


def test_order_and_sides_of_the_file_are_stored() -> None:
    found = rows_of(line(id="q9") + line(id="q1", B="1. A bowl.", C="1. A mug."))
    assert [(row.id, row.b, row.c) for row in found] == [
        ("q9", "1. A mug.", "1. A bowl."),
        ("q1", "1. A bowl.", "1. A mug."),
    ]


def test_absent_ids_follow_from_the_texts() -> None:
    first, second = (rows_of(without("id", "reference_id", "b_id", "c_id"))[0] for _ in range(2))
    assert first == second
    assert first.id == quadruplet_id(first.reference, first.b, first.c)
    assert first.reference_id.startswith("ref-")
    assert first.b_id != first.c_id


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (line(spllit="train"), "field spllit: unknown field"),
        (line(y={}), "field y: holds no label"),
        (without("y"), "field y: missing"),
        (without("A"), "field A: missing"),
        (line(B=""), "field B: empty"),
        (line(B=" \u200b "), "field B: blank"),
        (line(C=7), "field C: a text was expected, not a whole number"),
        (line(split="dev"), "field split: must be one of train, validation, test"),
        (line(provenance="settled"), "field provenance: an object was expected, not a text"),
        (line(y_soft={"overall_quality": 1.5}), "field y_soft.overall_quality: a number from 0"),
        (line() + line(split="test"), "line 2, field id: stands on line 1 already, and says"),
        (line().replace(b"\n", b"\r") * 2, "lines end in CR alone"),
        (b"[" + line() + b"]", "array"),
        (b"", "0 records"),
        (b"[1, 2]\n", "array"),
        (line() + b"7\n", "line 2: an object was expected, not a whole number"),
        (line()[:-5], "line 1"),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused_in_a_sentence(content, expected) -> None:
    assert expected in refusal(content).sentence


def test_every_bad_line_is_listed_with_its_number() -> None:
    error = refusal(line(y={}) + line(id="q2") + line(id="q3", B=""))
    assert [(bad.line, bad.field) for bad in error.bad_records] == [(1, "y"), (3, "B")]


def test_rows_that_are_read_before_a_bad_line_are_no_excuse() -> None:
    stream: Callable[[], Any] = iter(read(BytesIO(line() + line(id="q2", B="")))).__next__
    assert stream().id == "q1"
    with pytest.raises(FormatError):
        stream()


def test_the_golden_file_is_written_and_read_as_its_rows() -> None:
    assert b"".join(write(ROWS)) == golden("patent-ce.jsonl")
    assert rows_of(golden("patent-ce.jsonl")) == list(ROWS)


@pytest.mark.parametrize("count", [1, 2])
def test_a_stored_file_is_closed_when_the_rows_are_read_or_given_up(count) -> None:
    file = BytesIO(b"".join(write(ROWS)))
    found: Any = formats_rows.read(file)
    assert [next(found) for _ in range(count)] == list(ROWS)[:count]
    found.close()
    assert file.closed
