import io
import json
import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.formats.label_studio import (
    MAX_CHARACTERS,
    TEXTS,
    LiteralError,
    PreferenceRecord,
    is_literal,
    read,
    read_literal,
)
from patclaimeval.text_io.streams import FormatError, ReadNotes
from tests.annotator.formats.exports import ABSENT, as_bytes, item

SAMPLE = os.environ.get("PATENTEVAL_SAMPLE", "")


def records(*items: dict[str, Any]) -> list[PreferenceRecord]:
    return list(read(io.BytesIO(as_bytes(*items))))


def problems(*items: dict[str, Any]) -> list[tuple[int | None, str, str]]:
    with pytest.raises(FormatError) as caught:
        records(*items)
    return [(bad.item, bad.field, bad.reason) for bad in caught.value.bad_records]


def test_an_annotation_becomes_a_preference() -> None:
    (found,) = records(item(annotation_id=5, annotator=13))
    assert (found.annotation, found.annotator) == (5, "label-studio-13")
    assert (found.reference_claims, found.right) == ("1. A cup with a handle.", "2. A mug.")
    assert (found.judgement, found.ipc, found.comment) == (1, "A", "")
    assert found.created_at == datetime(2024, 3, 22, 16, 32, 50, 119106, tzinfo=UTC)
    assert found.updated_at > found.created_at


@pytest.mark.parametrize(
    ("comparison", "judgement"),
    [
        ([{"selected": "left"}], 1),
        ([{"selected": "right"}], -1),
        ("[{'selected': 'right'}]", -1),
        ('[{"selected": "left"}]', 1),
        ([], 0),
        ("[]", 0),
        ("", 0),
        (None, 0),
        (ABSENT, 0),
    ],
    ids=range(9),
)
def test_no_choice_is_a_tie_and_a_written_list_is_read(comparison: object, judgement: int) -> None:
    (found,) = records(item(comparison=comparison))
    assert found.judgement == judgement


BAD_VALUES: dict[str, dict[str, list[Any]]] = {
    "input_claim": {"missing": [ABSENT], "blank": [" \u200b"]},
    "output1": {"empty": [""]},
    "output2": {"not null": [None], "not an array": [["2. A mug."]]},
    "outptu2": {"unknown field": ["x"]},
    "comparison": {
        "one choice": [[{"selected": "left"}] * 2, "left", False, {"selected": "left"}],
        "well formed": ["[{'selected': 'left'"],
        "not well formed": ["[{'selected': 'left", "[" * 1000 + "]" * 1000, "[__import__('os')]"],
    },
    "comparison[1]": {"an object": [["left"]]},
    "comparison[1].selected": {
        "left or right": [[{"selected": wrong}] for wrong in ("middle", ["left"], None)],
        "missing": [[{}]],
    },
    "annotator": {
        "missing": [ABSENT],
        "not a text": ["7"],
        "not true or false": [True],
        "negative": [-1],
        "not a number with a point": [7.0],
    },
    "annotation_id": {"not null": [None]},
    "created_at": {
        "missing": [ABSENT],
        "zone": [
            *("yesterday", "2024-03-22T16:32:50", "2024-13-22T16:32:50Z", 1711125170),
            "0001-01-01T00:00:00+14:00",
        ],
    },
    "updated_at": {"before created_at": ["2024-03-01T00:00:00Z"]},
    "domain": {"longer": ["x" * 41], "a text": [1]},
    "lead_time": {"number": ["12", -1, True]},
    "id": {"whole number": ["x"]},
    "length1": {"whole number": [1.5]},
    "dependency": {"a text": [[]]},
    "comment2": {"longer": ["x" * 9001]},
}


@pytest.mark.parametrize("field", BAD_VALUES)
def test_a_bad_value_names_item_field_and_reason(field: str) -> None:
    for reason, values in BAD_VALUES[field].items():
        for value in values:
            ((number, at, why),) = problems(item(), item(**{field.partition("[")[0]: value}))
            assert (number, at) == (2, field) and reason in why, (value, why)


def test_everything_but_the_texts_is_kept_as_it_was_written() -> None:
    written = item(
        comparison="[{'selected': 'left'}]",
        lead_time=1e-7,
        agreement=50.0,
        comment1="line\u2028break \U0001f600",
        mark1=[{"end": 2, "start": 0, "text": "2.", "labels": ["UNK"]}],
    )
    (found,) = records(written)
    stored = json.loads(found.fields)
    texts = {name: written[name] for name in TEXTS}
    assert stored == written | dict.fromkeys(TEXTS)
    assert list(stored) == list(written)
    assert json.dumps(stored | texts) == json.dumps(written)


def bad_fields(content: bytes) -> set[str]:
    try:
        list(read(io.BytesIO(content)))
    except FormatError as error:
        return {bad.field.partition("[")[0].partition(".")[0] for bad in error.bad_records}
    return set()


@pytest.mark.parametrize("name", [*item(), "dimension1", "mark1", "comment1"])
def test_a_strange_value_is_read_or_refused_by_its_field(name: str) -> None:
    strange: list[Any] = [None, True, -1, 1.5, "", "x", "[", "[]", "{}", [], [[]], [{}], {}, "\n"]
    found = [bad_fields(as_bytes(item(**{name: value}))) for value in strange]
    assert {name} in found
    assert all(fields <= {name} for fields in found)


@pytest.mark.skipif(not SAMPLE, reason="PATENTEVAL_SAMPLE names no file: the sample is not shipped")
def test_the_published_sample_is_read_whole() -> None:
    with Path(SAMPLE).open("rb") as file:
        found = list(read(file))
    assert Counter(record.judgement for record in found) == {1: 64, -1: 49, 0: 24}
    assert Counter(record.annotator for record in found) == {
        "label-studio-13391": 108,
        "label-studio-13662": 29,
    }
    # Every tag of the file has its place: 3 are of the choice that asks for a comment.
    assert sum(len(record.error_tags) for record in found) == 192
    assert sum(len(record.other_errors) for record in found) == 3
    assert sum(record.highlights for record in found) == 4090


def test_an_item_that_only_repeats_an_earlier_one_is_counted_and_taken_once() -> None:
    notes = ReadNotes()
    twice = item(annotation_id=4)
    data = as_bytes(twice, item(annotation_id=5), twice)
    assert [one.annotation for one in read(io.BytesIO(data), notes)] == [4, 5]
    assert notes.duplicates == 1


NOW = datetime(2024, 3, 1, tzinfo=UTC)
RECORD = PreferenceRecord(
    annotation=1,
    annotator="somebody-1",
    reference_claims="1. A cup.",
    left="2. A mug.",
    right="2. A pot.",
    judgement=-1,
    created_at=NOW,
    updated_at=NOW,
    error_tags=({"tag": "vagueness", "side": "left", "start": 0, "end": 2},),
    right_comment="odd",
    other_errors=("left",),
)


def test_turning_changes_all_that_has_a_side_and_twice_changes_nothing() -> None:
    turned = RECORD.turned()
    assert (turned.left, turned.right, turned.judgement) == ("2. A pot.", "2. A mug.", 1)
    assert turned.error_tags == ({"tag": "vagueness", "side": "right", "start": 0, "end": 2},)
    assert RECORD.comment == (
        "Left: Another error of the left candidate, not described.\nRight: odd"
    )
    assert turned.comment == (
        "Left: odd\nRight: Another error of the right candidate, not described."
    )
    assert RECORD.turned().turned() == RECORD


texts = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=20)
plain = st.one_of(texts, st.integers(-(10**17), 10**17), st.booleans(), st.none())
objects = st.dictionaries(texts, plain, max_size=3)
values = st.lists(st.one_of(plain, objects, st.lists(plain, max_size=3)), max_size=3)


@given(st.one_of(values, st.dictionaries(texts, values, max_size=3)))
def test_what_python_writes_is_read_back(value: Any) -> None:
    assert read_literal(repr(value)) == value


NO_LITERALS = {
    "not well formed": [
        *("[{'selected': 'left'}", "]" * 100_000, "[01]", "['\\U00110000']", "", "['a\nb']"),
        *("[" * 1000 + "]" * 1000, "[" * 100_000, "[" + "-" * 100_000 + "1]", "[b'a']", "{'a'}"),
        *(
            "[__import__('os').system('true')]",
            "[f'{1}']",
            "[nan]",
            "[9**9**9]",
            "['a\0b']",
            "['\ud800']",
        ),
    ],
    "deeper": ["[" * 40 + "]" * 40],
    "not a JSON number": ["[1e999]"],
    "18 digits": ["[" + "9" * 19 + "]"],
    "NUL": ["['\\x00']"],
    "surrogate": ["['\\ud800']"],
    "longer": [" " * (MAX_CHARACTERS + 1)],
}


@pytest.mark.parametrize("reason", NO_LITERALS)
def test_anything_else_is_refused_with_a_reason(reason: str) -> None:
    for text in NO_LITERALS[reason]:
        with pytest.raises(LiteralError, match=reason):
            read_literal(text)


def test_only_an_opening_bracket_marks_a_literal() -> None:
    assert is_literal(" [1]") and is_literal("{'a': 1}")
    assert not is_literal("Grammar - [x]") and not is_literal("")
