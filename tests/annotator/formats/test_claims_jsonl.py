import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.formats.claims_jsonl import line_of, read
from patclaimeval.documents.references import CandidateRecord, ReferenceRecord
from patclaimeval.text_io.streams import FormatError, ReadNotes

CLAIMS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])).map(
    lambda t: "1. A" + t
)


def reference(reference_id="EP1", **fields):
    candidate = {"candidate_id": "c1", "claims": "1. A pump."}
    return {
        "reference_id": reference_id,
        "reference_claims": "1. A pump with a seal.",
        "candidates": [candidate],
    } | fields


def rows(*values):
    data = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode()
    return list(read(io.BytesIO(data)))


def problems(*values):
    with pytest.raises(FormatError) as caught:
        rows(*values)
    return [(bad.line, bad.field, bad.reason) for bad in caught.value.bad_records]


def test_a_file_that_jq_has_written_is_read_as_what_it_says():
    notes = ReadNotes()
    path = Path(__file__).parent / "golden" / "jq.jsonl"
    found = list(read(io.BytesIO(path.read_bytes()), notes))
    assert [reference.line for reference in found] == [1, 2]
    assert found == [
        ReferenceRecord(
            "EP1",
            '1. A pump; with a seal.\n2. The pump of claim 1, "sealed".',
            (
                CandidateRecord("c1", "1. A pump.\x7f\u2028", "gpt-4"),
                CandidateRecord("c2", "1. A pu\u0308mp \U0001d6fc."),
            ),
            office="EPO",
            ipc="F04D 29/08",
            title="P\u00fcmp",
            may_train=True,
        ),
        ReferenceRecord(
            "EP2", "1. A cup.\r\n", (CandidateRecord("c1", "=1. A mug."),), may_train=False
        ),
    ]
    assert notes.records == 2


def test_all_fields_are_read():
    given: dict[str, Any] = {
        "office": "EPO",
        "ipc": "G06F 11/36",
        "language": "en",
        "title": "Pump",
    }
    given |= {"family": "F1", "draft_claims": "1. A pomp.", "may_train": False}
    candidate = {"candidate_id": "c1", "system": "s", "claims": "1. X."}
    found = CandidateRecord("c1", "1. X.", "s")
    assert rows(reference(**given, candidates=[candidate])) == [
        ReferenceRecord("EP1", "1. A pump with a seal.", (found,), **given)
    ]


def test_what_is_left_out_or_null_stays_ungiven():
    (row,) = rows(reference(office=None, may_train=None, draft_claims=None))
    assert (row.office, row.may_train, row.draft_claims) == ("", None, "")
    assert row.candidates[0].system == ""


@given(CLAIMS, CLAIMS)
def test_claim_texts_come_out_byte_for_byte(reference_claims, claims):
    candidate = {"candidate_id": "c", "claims": claims}
    (row,) = rows(reference(reference_claims=reference_claims, candidates=[candidate]))
    assert (row.reference_claims, row.candidates[0].claims) == (reference_claims, claims)


@pytest.mark.parametrize("field", ["reference_id", "reference_claims", "candidates"])
def test_a_field_that_is_missing_or_null_is_named(field):
    assert [bad[:2] for bad in problems(reference(**{field: None}))] == [(1, field)]
    whole = reference()
    del whole[field]
    assert problems(whole) == [(1, field, "missing")]


@pytest.mark.parametrize("answer", ["yes", 1, 0, "true", []])
def test_may_train_is_true_or_false(answer):
    assert [bad[:2] for bad in problems(reference(may_train=answer))] == [(1, "may_train")]


def test_candidates_without_an_id_are_refused_as_such_and_not_as_twins():
    nameless = [{"claims": "1. A."}, {"claims": "1. B."}]
    found = problems(reference(candidates=nameless))
    fields = [f"candidates[{number}].candidate_id" for number in (1, 2)]
    assert [field for _, field, _ in found] == fields
    assert not any("twice" in reason for _, _, reason in found)


def test_ids_that_stand_twice_are_refused():
    other = reference("a", reference_claims="1. Another.")
    assert problems(reference("a"), reference("b"), other) == [
        (3, "reference_id", "'a' stands on line 1 already, and says something else here")
    ]
    twins = [{"candidate_id": "c", "claims": "1. A."}, {"candidate_id": "c", "claims": "1. B."}]
    assert problems(reference(candidates=twins)) == [
        (1, "candidates[2].candidate_id", "'c' stands twice in this reference")
    ]


def test_an_empty_file_is_refused():
    for data in (b"", b"\n\n", b"\xef\xbb\xbf"):
        with pytest.raises(FormatError, match="0 records"):
            list(read(io.BytesIO(data)))


def test_notes_are_filled():
    notes = ReadNotes()
    list(read(io.BytesIO(json.dumps(reference()).encode() + b"\r\n\n"), notes))
    assert (notes.records, notes.crlf_lines, notes.blank_lines) == (1, 1, 1)


def test_a_line_that_only_repeats_an_earlier_one_is_counted_and_taken_once():
    notes, other = ReadNotes(), reference("b")
    turned = dict(reversed(list(reference("a").items())))
    data = b"".join(json.dumps(one).encode() + b"\n" for one in (reference("a"), other, turned))
    assert [one.reference_id for one in read(io.BytesIO(data), notes)] == ["a", "b"]
    assert notes.duplicates == 1
    assert "1 items repeat an earlier item of their file." in notes.sentences()


@given(CLAIMS, st.sampled_from([None, True, False]), st.sampled_from(["", "a title"]))
def test_a_written_line_is_read_as_the_same_reference(text, may_train, title):
    record = ReferenceRecord(
        *("EP1", text, (CandidateRecord("c1", text, "gpt"), CandidateRecord("c2", "1. A cup."))),
        title=title,
        draft_claims=title and text,
        may_train=may_train,
    )
    line = line_of(record)
    assert line.count(b"\n") == 1
    assert list(read(io.BytesIO(line))) == [record]
    assert (b"title" in line) == bool(title)
