"""PatentEval's export: what is read, what a tie is, and every way in which an item is bad."""

import io
import json
import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from annotator.formats.label_studio import TEXTS, PreferenceRecord, read
from core.text_io.streams import FormatError, ReadNotes
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


def test_texts_stay_as_they_are() -> None:
    awkward = "1. A cup\u2028 of e\u0301,\r\n\u200b\U0001f600. "
    (found,) = records(item(input_claim=awkward, output2=awkward))
    assert (found.reference_claims, found.right) == (awkward, awkward)


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"input_claim": ABSENT}, "input_claim", "missing"),
        ({"input_claim": " \u200b"}, "input_claim", "blank"),
        ({"output1": ""}, "output1", "empty"),
        ({"output2": None}, "output2", "not null"),
        ({"output2": ["2. A mug."]}, "output2", "not an array"),
        ({"outptu2": "x"}, "outptu2", "unknown field"),
        ({"comparison": [{"selected": "middle"}]}, "comparison[1].selected", "left or right"),
        ({"comparison": [{"selected": ["left"]}]}, "comparison[1].selected", "left or right"),
        ({"comparison": [{"selected": None}]}, "comparison[1].selected", "left or right"),
        ({"comparison": [{}]}, "comparison[1].selected", "missing"),
        ({"comparison": ["left"]}, "comparison[1]", "an object"),
        ({"comparison": [{"selected": "left"}] * 2}, "comparison", "one choice"),
        ({"comparison": "left"}, "comparison", "one choice"),
        ({"comparison": False}, "comparison", "one choice"),
        ({"comparison": {"selected": "left"}}, "comparison", "one choice"),
        ({"comparison": "[{'selected': 'left'"}, "comparison", "well formed"),
        ({"comparison": "[{'selected': 'left"}, "comparison", "not closed"),
        ({"comparison": "[" * 1000 + "]" * 1000}, "comparison", "deeper"),
        ({"comparison": "[__import__('os')]"}, "comparison", "character 2"),
        ({"annotator": ABSENT}, "annotator", "missing"),
        ({"annotator": "7"}, "annotator", "not a text"),
        ({"annotator": True}, "annotator", "not true or false"),
        ({"annotator": -1}, "annotator", "negative"),
        ({"annotator": 7.0}, "annotator", "not a number with a point"),
        ({"annotation_id": None}, "annotation_id", "not null"),
        ({"created_at": ABSENT}, "created_at", "missing"),
        ({"created_at": "yesterday"}, "created_at", "zone"),
        ({"created_at": "2024-03-22T16:32:50"}, "created_at", "zone"),
        ({"created_at": "2024-13-22T16:32:50Z"}, "created_at", "zone"),
        ({"created_at": "0001-01-01T00:00:00+14:00"}, "created_at", "zone"),
        ({"created_at": 1711125170}, "created_at", "zone"),
        ({"updated_at": "2024-03-01T00:00:00Z"}, "updated_at", "before created_at"),
        ({"domain": "x" * 41}, "domain", "longer"),
        ({"domain": 1}, "domain", "a text"),
        ({"lead_time": "12"}, "lead_time", "number"),
        ({"lead_time": -1}, "lead_time", "number"),
        ({"lead_time": True}, "lead_time", "number"),
        ({"id": "x"}, "id", "whole number"),
        ({"length1": 1.5}, "length1", "whole number"),
        ({"dependency": []}, "dependency", "a text"),
        ({"comment2": "x" * 9001}, "comment2", "longer"),
    ],
    ids=range(41),
)
def test_a_bad_value_names_item_field_and_reason(
    changes: dict[str, object], field: str, reason: str
) -> None:
    ((number, at, why),) = problems(item(), item(**changes))
    assert (number, at) == (2, field)
    assert reason in why


def test_a_number_that_stands_twice_is_refused() -> None:
    again = item(annotation_id=4, annotator=14)
    ((number, field, why),) = problems(item(annotation_id=4), item(), again)
    assert (number, field) == (3, "annotation_id")
    assert "item 1" in why


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[]", "0 records"),
        (b"", "0 records"),
        (b"[{}", "not closed"),
        (b"{}", "array"),
        (b"[1]", "an object was expected"),
        (b'["x', "not closed"),
        (b"[" + b"[" * 1000 + b"]" * 1000 + b"]", "deeper"),
        (b'[{"output1": "a\\u0000"}]', "NUL"),
        (b'[{"output1": "a\\ud800"}]', "surrogate"),
        (b'[{"output1": "\xff"}]', "UTF-8"),
        (b'[{"id": 1, "id": 2}]', "twice"),
        (b'[{"annotator": ' + b"9" * 400 + b"}]", "digits"),
        (b'[{"lead_time": NaN}]', "NaN"),
        ("[{}]".encode("utf-16"), "UTF-16"),
    ],
    ids=range(14),
)
def test_what_is_no_such_file_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(FormatError) as caught:
        list(read(io.BytesIO(content)))
    assert reason in " ".join([caught.value.sentence, *map(str, caught.value.bad_records)])


def test_everything_but_the_texts_is_stored_as_it_was_written() -> None:
    written = item(
        comparison="[{'selected': 'left'}]",
        lead_time=1e-7,
        agreement=50.0,
        comment1="line\u2028break \U0001f600",
        mark1=[{"end": 2, "start": 0, "text": "2.", "labels": ["UNK"]}],
    )
    (found,) = records(written)
    kept = json.loads(found.fields)
    texts = {name: written[name] for name in TEXTS}
    assert kept == written | dict.fromkeys(TEXTS)
    assert list(kept) == list(written)
    assert json.dumps(kept | texts) == json.dumps(written)


def test_an_item_beyond_the_limit_is_refused() -> None:
    content = as_bytes(item(output1="2. " + "x" * 5000))
    with pytest.raises(FormatError) as caught:
        list(read(io.BytesIO(content), max_bytes=4000))
    assert "limit of 4,000 bytes" in caught.value.bad_records[0].reason


def bad_fields(content: bytes) -> set[str]:
    try:
        list(read(io.BytesIO(content)))
    except FormatError as error:
        return {bad.field.partition("[")[0].partition(".")[0] for bad in error.bad_records}
    return set()


@pytest.mark.parametrize("name", [*item(), "dimension1", "mark1", "comment1"])
def test_a_strange_value_is_read_or_refused_by_its_field(name: str) -> None:
    strange: list[Any] = [
        None,
        True,
        -1,
        1.5,
        "",
        "x",
        "[",
        "[]",
        "{}",
        [],
        [[]],
        [{}],
        {},
        {"a": []},
        "\n",
    ]
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
