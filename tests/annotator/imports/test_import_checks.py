"""What a file would bring, before anything of it is stored."""

import gzip
import io
import json
from typing import Any

import pytest

from annotator.campaigns.services import create_campaign
from annotator.formats import label_studio
from annotator.formats.references import BATCH, CandidateRecord, ReferenceRecord
from annotator.imports.checks import PREVIEWED, PREVIEWED_CHARACTERS, check_claims
from annotator.imports.claims.services import import_claims
from annotator.imports.preferences.services import import_preferences
from annotator.models import Campaign, Candidate, Purpose, Reference
from core.text_io.streams import FormatError
from tests.annotator.formats.exports import as_bytes, item

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def line(name: str, *candidates: str, text: str = "", **more: Any) -> dict[str, Any]:
    told = [
        {"candidate_id": c, "claims": f"1. A mug {c} of {name}."} for c in candidates or ("c1",)
    ]
    claims = text or f"1. A cup {name}."
    return {"reference_id": name, "reference_claims": claims, "candidates": told} | more


def file(*lines: dict[str, Any]) -> io.BytesIO:
    return io.BytesIO("".join(json.dumps(one) + "\n" for one in lines).encode())


@pytest.fixture
def campaign() -> Campaign:
    return create_campaign(slug="room")


def store(campaign: Campaign, name: str, *candidates: str, text: str = "") -> None:
    made = tuple(CandidateRecord(c, f"1. A mug {c} of {name}.") for c in candidates or ("c1",))
    record = ReferenceRecord(name, text or f"1. A cup {name}.", made)
    import_claims(campaign=campaign, records=[record])


def test_new_and_known_are_counted_and_nothing_is_stored(campaign: Campaign) -> None:
    store(campaign, "r1", "c1")
    found = check_claims(campaign=campaign, file=file(line("r1", "c1", "c2"), line("r2")))
    assert found.format == "claims-jsonl"
    assert found.counts == {
        "references": 1,
        "candidates": 2,
        "known_references": 1,
        "known_candidates": 1,
    }
    assert Reference.objects.count() == Candidate.objects.count() == 1
    without = check_claims(campaign=None, file=file(line("r1"), line("r2")))
    assert (without.counts["references"], without.counts["known_references"]) == (2, 0)


def test_counts_are_what_the_import_then_does(campaign: Campaign) -> None:
    names = [f"r{n}" for n in range(BATCH + 5)]
    for name in names[::100]:
        store(campaign, name)
    found = check_claims(campaign=campaign, file=file(*(line(name) for name in names)))
    assert found.counts["known_references"] == len(names[::100])
    assert found.counts["references"] == len(names) - len(names[::100])


def test_an_id_with_another_text_is_a_bad_record_with_its_line(campaign: Campaign) -> None:
    store(campaign, "r1", text="1. A pot.")
    store(campaign, "r2", "c1")
    other = line("r2")
    other["candidates"][0]["claims"] = "1. A jug."
    with pytest.raises(FormatError) as caught:
        check_claims(campaign=campaign, file=file(line("r0"), line("r1"), other))
    found = [(bad.line, bad.field) for bad in caught.value.bad_records]
    assert found == [(2, "reference_id"), (3, "candidate_id")]
    assert "give the new text a new id" in caught.value.bad_records[0].reason


def test_a_bad_file_is_refused_with_its_records(campaign: Campaign) -> None:
    with pytest.raises(FormatError) as caught:
        check_claims(campaign=campaign, file=file(line("r1"), line("r2", scroe=1)))
    assert [bad.line for bad in caught.value.bad_records] == [2]


def test_alike_texts_of_the_file_and_of_the_campaign_are_reported(campaign: Campaign) -> None:
    store(campaign, "r1", text="1. A cup.")
    found = check_claims(
        campaign=campaign,
        file=file(line("r1", text="1. A cup."), line("r2", text="1. A  cup."), line("r3")),
    )
    (pair,) = found.as_json()["near_duplicates"]
    assert pair == {
        "first": {"reference_id": "r1", "candidate_id": ""},
        "second": {"reference_id": "r2", "candidate_id": ""},
        "likeness": "white_space",
        "similarity": 1.0,
        "is_own_reference": False,
        "words": "Reference 'r2' has the same text, but for white space, as reference 'r1'",
    }


def test_what_the_app_made_itself_is_not_compared_with(campaign: Campaign) -> None:
    store(campaign, "r1")
    reference = Reference.objects.get()
    Candidate.objects.create(
        reference=reference,
        campaign=campaign,
        candidate_id="x",
        claims="1. A cup r2.",
        purpose=Purpose.SENTINEL,
    )
    found = check_claims(campaign=campaign, file=file(line("r2")))
    assert found.near_duplicates == []


def test_signs_that_mislead_are_noted_with_the_first_text_that_has_them() -> None:
    odd = line("r2", text="1. A \u202ecup.")
    found = check_claims(campaign=None, file=file(line("r1"), odd, line("r3", text="\u202e3")))
    assert found.notes == [
        "2 texts hold U+202E RIGHT-TO-LEFT OVERRIDE; the first is reference 'r2'."
    ]


def test_the_first_references_are_shown_and_long_texts_cut() -> None:
    lines = [line(f"r{n}", title=f"T{n}") for n in range(PREVIEWED + 3)]
    lines[0]["reference_claims"] = "1. " + "x" * PREVIEWED_CHARACTERS
    found = check_claims(campaign=None, file=file(*lines))
    assert [one["reference_id"] for one in found.preview] == [f"r{n}" for n in range(PREVIEWED)]
    assert len(found.preview[0]["claims"]) == PREVIEWED_CHARACTERS + 1
    assert found.preview[1] == {
        "reference_id": "r1",
        "title": "T1",
        "claims": "1. A cup r1.",
        "candidates": [{"candidate_id": "c1", "claims": "1. A mug c1 of r1."}],
    }


def test_progress_is_reported_after_each_batch_and_may_stop_the_reading() -> None:
    told: list[int] = []
    lines = [line(f"r{n}") for n in range(BATCH + 1)]
    check_claims(campaign=None, file=file(*lines), progress=told.append)
    assert told == [BATCH, BATCH + 1]

    def stop(_: int) -> None:
        raise RuntimeError("lost")

    with pytest.raises(RuntimeError, match="lost"):
        check_claims(campaign=None, file=file(*lines), progress=stop)


def test_a_packed_file_is_checked_as_what_is_in_it() -> None:
    packed = io.BytesIO(gzip.compress(file(line("r1")).getvalue()))
    assert check_claims(campaign=None, file=packed).counts["references"] == 1


def test_everything_is_plain_json() -> None:
    found = check_claims(campaign=None, file=file(line("r1"), line("r2", text="1. A cup r1.")))
    assert json.loads(json.dumps(found.as_json())) == found.as_json()


def test_an_export_of_preferences_counts_texts_and_annotations(campaign: Campaign) -> None:
    data = as_bytes(item(), item(annotator=8))
    first = check_claims(campaign=campaign, file=io.BytesIO(data))
    assert first.format == "label-studio"
    assert first.counts == {
        "references": 1,
        "candidates": 2,
        "known_references": 0,
        "known_candidates": 0,
        "annotations": 2,
        "known_annotations": 0,
    }
    import_preferences(campaign=campaign, records=label_studio.read(io.BytesIO(data)))
    again = check_claims(campaign=campaign, file=io.BytesIO(data))
    assert again.counts == {
        "references": 0,
        "candidates": 0,
        "known_references": 1,
        "known_candidates": 2,
        "annotations": 0,
        "known_annotations": 2,
    }
    assert again.near_duplicates == []
    assert check_claims(campaign=None, file=io.BytesIO(data)).counts == first.counts
