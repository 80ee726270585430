"""Claim sets into a campaign: the whole file or nothing, and no text twice or changed."""

from typing import Any

import pytest
from django.db import connection

from annotator.campaigns.services import create_campaign
from annotator.formats.references import CandidateRecord, ReferenceRecord
from annotator.imports.claims import services as claims_services
from annotator.imports.claims.services import ImportCounts, import_claims
from annotator.models import AuditEvent, Campaign, Candidate, Membership, Reference, User
from core.errors import OutOfDate, Refused
from core.sqlite.cache import LARGE_KIB

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

AWKWARD = "1. A cup\u2028 of e\u0301,\r\n\u200b\U0001f600."


def record(name: str, *candidates: str, text: str = "1. A cup.", **more: Any) -> ReferenceRecord:
    made = tuple(CandidateRecord(c, f"1. A mug {c}.", "gpt") for c in candidates)
    return ReferenceRecord(name, text, made, **more)


@pytest.fixture
def campaign() -> Campaign:
    return create_campaign(slug="room")


def test_a_campaign_is_created_open_with_its_creator_as_admin() -> None:
    ada = User.objects.create(username="ada")
    campaign = create_campaign(slug="cups", created_by=ada)
    assert (campaign.is_open, campaign.name, campaign.overlap) == (True, "cups", 2)
    assert Membership.objects.get(campaign=campaign).role == "admin"
    assert AuditEvent.objects.get(action="campaign.created").actor == ada
    with pytest.raises(OutOfDate, match="campaign 'cups' already"):
        create_campaign(slug="cups")
    assert Campaign.objects.count() == 1


@pytest.mark.parametrize("slug", ["", "a b", "../x", "x" * 61])
def test_a_slug_that_cannot_be_is_refused(slug: str) -> None:
    with pytest.raises(Refused, match="cannot be a campaign's short name"):
        create_campaign(slug=slug)
    assert not Campaign.objects.exists()


def test_a_campaign_closed_meanwhile_takes_no_claims(campaign: Campaign) -> None:
    Campaign.objects.update(status="closed")
    with pytest.raises(OutOfDate):
        import_claims(campaign=campaign, records=[record("r1", "c1")])


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


def test_a_large_import_has_more_memory_for_its_pages_until_it_ends(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims_services, "LARGE_IMPORT", 1)
    sizes: list[int] = []

    def look(_: int) -> None:
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                sizes.append(cursor.execute("PRAGMA cache_size").fetchone()[0])

    look(0)
    records = [record("r1", "c1"), record("r2", "c1", "c2")]
    counts = import_claims(campaign=campaign, records=records, progress=look)
    look(0)
    assert counts == ImportCounts(2, 3, 0, 0)
    if sizes:
        assert sizes[1] == -LARGE_KIB
        assert sizes[0] == sizes[-1] != -LARGE_KIB


def test_new_candidates_and_references_are_added_to_what_is_there(campaign: Campaign) -> None:
    import_claims(campaign=campaign, records=[record("r1", "c1")])
    counts = import_claims(campaign=campaign, records=[record("r1", "c1", "c2"), record("r2", "c")])
    assert counts == ImportCounts(1, 2, 1, 1)
    assert [r.position for r in Reference.objects.order_by("reference_id")] == [1, 2]


def test_a_changed_reference_is_refused_and_nothing_stored(campaign: Campaign) -> None:
    import_claims(campaign=campaign, records=[record("r1", "c1")])
    with pytest.raises(Refused, match="1 reference ids .* other claims: r1"):
        import_claims(
            campaign=campaign, records=[record("new", "c1"), record("r1", "c1", text="1. A pot.")]
        )
    assert Reference.objects.get().claims == "1. A cup."
    assert AuditEvent.objects.filter(action="claims.imported").count() == 1


def test_a_changed_candidate_is_refused_and_nothing_stored(campaign: Campaign) -> None:
    import_claims(campaign=campaign, records=[record("r1", "c1")])
    other = ReferenceRecord("r1", "1. A cup.", (CandidateRecord("c1", "1. A jug."),))
    with pytest.raises(Refused, match="1 candidate ids .* other claims: r1/c1"):
        import_claims(campaign=campaign, records=[record("new", "c1"), other])
    assert Reference.objects.get().reference_id == "r1"
    assert Candidate.objects.get().claims == "1. A mug c1."


def test_a_difference_in_white_space_is_a_changed_text(campaign: Campaign) -> None:
    import_claims(campaign=campaign, records=[record("r1", "c1")])
    with pytest.raises(Refused):
        import_claims(campaign=campaign, records=[record("r1", "c1", text="1. A cup. ")])


def test_nothing_is_stored_when_the_audit_row_cannot_be_written(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("disk full")

    monkeypatch.setattr(AuditEvent.objects, "create", fail)
    with pytest.raises(RuntimeError):
        import_claims(campaign=campaign, records=[record("r1", "c1")])
    assert not Reference.objects.exists()
    assert not Candidate.objects.exists()


def test_a_closed_campaign_takes_no_claims(campaign: Campaign) -> None:
    campaign.status = "closed"
    campaign.save()
    with pytest.raises(OutOfDate, match="closed"):
        import_claims(campaign=campaign, records=[record("r1", "c1")])
    assert not Reference.objects.exists()


def test_one_id_in_two_campaigns_is_two_references(campaign: Campaign) -> None:
    other = create_campaign(slug="other")
    import_claims(campaign=campaign, records=[record("r1", "c1")])
    counts = import_claims(campaign=other, records=[record("r1", "c1", text="1. A pot.")])
    assert (counts.references, counts.candidates) == (1, 1)


@pytest.mark.parametrize(
    ("of_record", "of_import", "expected"),
    [(None, False, False), (None, True, True), (False, True, False), (True, False, True)],
)
def test_training_is_allowed_by_the_record_and_else_by_the_import(
    campaign: Campaign, of_record: bool | None, of_import: bool, expected: bool
) -> None:
    import_claims(
        campaign=campaign,
        records=[record("r1", "c1", may_train=of_record)],
        may_train=of_import,
    )
    assert Reference.objects.get().may_train is expected
