from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotator.campaigns.services import create_campaign
from annotator.imports.claims.queries import stored_references, stored_texts
from annotator.imports.claims.services import ImportCounts, import_claims
from annotator.models import (
    AuditEvent,
    Campaign,
    Candidate,
    ClaimImport,
    Membership,
    Reference,
    User,
)
from core.errors import OutOfDate
from patclaimeval.documents.references import CandidateRecord, ReferenceRecord
from patclaimeval.text_io.streams import BadRecord, FormatError
from patclaimeval.text_io.text import text_sha256

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

AWKWARD = "1. A cup\u2028 of e\u0301,\r\n\u200b\U0001f600."


def record(name: str, *candidates: str, text: str = "1. A cup.", **more: Any) -> ReferenceRecord:
    made = (CandidateRecord(c, f"1. A mug {c}.", "gpt") for c in candidates or ("c1",))
    return ReferenceRecord(name, text, tuple(made), **more)


def test_a_campaign_is_created_open_with_its_creator_as_admin() -> None:
    ada = User.objects.create(username="ada")
    campaign = create_campaign(slug="cups", created_by=ada)
    assert (campaign.is_open, campaign.name, campaign.overlap) == (True, "cups", 2)
    assert Membership.objects.get(campaign=campaign).role == "admin"
    assert AuditEvent.objects.get(action="campaign.created").actor == ada
    with pytest.raises(OutOfDate, match="campaign 'cups' already"):
        create_campaign(slug="cups")
    assert Campaign.objects.count() == 1


def test_a_campaign_closed_meanwhile_takes_no_claims(campaign: Campaign) -> None:
    Campaign.objects.update(status="closed")
    with pytest.raises(OutOfDate, match="closed"):
        import_claims(campaign=campaign, records=[record("r1", "c1")])
    assert not Reference.objects.exists()


def test_texts_are_stored_as_they_are_and_in_the_order_of_the_file(campaign: Campaign) -> None:
    counts = import_claims(
        campaign=campaign,
        records=[record("r2", "c1", text=AWKWARD, office="EPO"), record("r1", "c1", "c2")],
    )
    assert counts == ImportCounts(2, 3, 0, 0)
    first, second = Reference.objects.filter(campaign=campaign)
    assert (first.reference_id, first.claims, first.office) == ("r2", AWKWARD, "EPO")
    assert (second.reference_id, second.candidates.count()) == ("r1", 2)
    assert Candidate.objects.filter(system="gpt").count() == 3
    event = AuditEvent.objects.get(action="claims.imported")
    assert event.details == {"references": 2, "candidates": 3}


def test_the_same_file_again_adds_nothing(campaign: Campaign) -> None:
    records = [record("r1", "c1"), record("r2", "c1", "c2")]
    import_claims(campaign=campaign, records=records)
    before = list(Candidate.objects.order_by("pk").values())
    assert import_claims(campaign=campaign, records=records) == ImportCounts(0, 0, 2, 3)
    assert list(Candidate.objects.order_by("pk").values()) == before
    assert Reference.objects.count() == 2


def test_new_candidates_and_references_are_added_to_what_is_there(campaign: Campaign) -> None:
    import_claims(campaign=campaign, records=[record("r1", "c1")])
    counts = import_claims(campaign=campaign, records=[record("r1", "c1", "c2"), record("r2", "c")])
    assert counts == ImportCounts(1, 2, 1, 1)
    assert [r.position for r in Reference.objects.order_by("reference_id")] == [1, 2]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            record("r1", "c1", text="1. A pot."),
            "reference_id: 'r1' is in this campaign",
        ),
        (
            record("r1", "c1", text="1. A cup. "),
            "reference_id: 'r1' is in this campaign",
        ),
        (
            ReferenceRecord("r1", "1. A cup.", (CandidateRecord("c1", "1. A jug."),)),
            "candidate_id: 'c1' is in this campaign",
        ),
    ],
    ids=["a word", "white space", "a candidate"],
)
def test_a_changed_text_is_refused_and_nothing_stored(campaign, changed, words) -> None:
    import_claims(campaign=campaign, records=[record("r1", "c1")])
    with pytest.raises(FormatError, match=words):
        import_claims(campaign=campaign, records=[record("new", "c1"), changed])
    assert Reference.objects.get().claims == "1. A cup."
    assert Candidate.objects.get().claims == "1. A mug c1."
    assert AuditEvent.objects.filter(action="claims.imported").count() == 1


def test_one_id_in_two_campaigns_is_two_references(campaign: Campaign) -> None:
    other = create_campaign(slug="other")
    import_claims(campaign=campaign, records=[record("r1", "c1")])
    counts = import_claims(campaign=other, records=[record("r1", "c1", text="1. A pot.")])
    assert (counts.references, counts.candidates) == (1, 1)


@pytest.mark.parametrize(
    ("of_record", "of_import", "expected"),
    [(None, False, False), (None, True, True), (False, True, False), (True, False, True)],
)
def test_training_is_allowed_by_record_and_else_by_import(campaign, of_record, of_import, expected):
    import_claims(
        campaign=campaign, records=[record("r1", "c1", may_train=of_record)], may_train=of_import
    )
    assert Reference.objects.get().may_train is expected


def filled(slug: str, *names: str) -> Campaign:
    campaign = create_campaign(slug=slug)
    candidates = (CandidateRecord("b", "1. B."), CandidateRecord("a", "1. A."))
    records = [ReferenceRecord(name, f"1. Cup {name}.", candidates) for name in names]
    import_claims(campaign=campaign, records=records)
    return campaign


def test_names_are_looked_up_in_their_own_campaign() -> None:
    campaign = filled("mugs", "r1", "r2")
    filled("other", "r3")
    found = stored_references(campaign, ["r2", "r3"])
    assert list(found) == ["r2"]
    assert (found["r2"].position, found["r2"].sha256) == (2, text_sha256("1. Cup r2."))
    assert found["r2"].candidates == {"a": text_sha256("1. A."), "b": text_sha256("1. B.")}
    assert [(reference, candidate) for reference, candidate, _ in stored_texts(campaign)] == [
        (name, candidate) for name in ("r1", "r2") for candidate in ("", "a", "b")
    ]


def test_a_file_found_bad_midway_leaves_nothing(campaign: Campaign) -> None:
    def stream() -> Iterator[ReferenceRecord]:
        for number in range(3):
            yield record(f"r{number}")
        raise FormatError("Refused.", [BadRecord(9, "claims", "empty")])

    with pytest.raises(FormatError):
        import_claims(campaign=campaign, records=stream())
    assert not Reference.objects.exists()
    assert not Candidate.objects.exists()


def test_new_rows_name_the_import_that_they_come_from_and_known_ones_keep_theirs(campaign) -> None:
    def source(name: str) -> ClaimImport:
        return ClaimImport.objects.create(campaign=campaign, file_name=name, file_bytes=1)

    first, second = source("a.csv"), source("b.csv")
    import_claims(campaign=campaign, records=[record("r1")], source=first)
    import_claims(campaign=campaign, records=[record("r1", "c1", "c2")], source=second)
    assert Reference.objects.get().imported_from == first
    assert [c.imported_from for c in Candidate.objects.order_by("candidate_id")] == [first, second]


@pytest.mark.parametrize("count", [10, 400])
def test_a_batch_takes_the_same_number_of_questions_whatever_its_size(campaign, count) -> None:
    with CaptureQueriesContext(connection) as asked:
        import_claims(campaign=campaign, records=[record(f"r{n}") for n in range(count)])
    # SQLite takes about 50 rows a statement.
    assert len(asked) < 25


def test_where_some_references_are_shared_places_are_spread(campaign: Campaign) -> None:
    campaign.shared_percent = 50
    campaign.save()
    import_claims(campaign=campaign, records=[record(f"r{n}") for n in range(4)])
    assert sorted(Candidate.objects.values_list("places", flat=True)) == [1, 1, 2, 2]
