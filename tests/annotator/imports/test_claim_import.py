from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotator.campaigns.services import create_campaign
from annotator.formats.references import BATCH, CandidateRecord, ReferenceRecord
from annotator.imports.claims import queries as claims_queries
from annotator.imports.claims.queries import known_candidates, known_references, stored_texts
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
from core.errors import OutOfDate, Refused
from core.text_io.streams import BadRecord, FormatError
from core.text_io.text import text_sha256
from tests.faults import raising

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
        (record("r1", "c1", text="1. A pot."), "1 reference ids .* other claims: r1"),
        (record("r1", "c1", text="1. A cup. "), "1 reference ids .* other claims: r1"),
        (
            ReferenceRecord("r1", "1. A cup.", (CandidateRecord("c1", "1. A jug."),)),
            "1 candidate ids .* other claims: r1/c1",
        ),
    ],
    ids=["a word", "white space", "a candidate"],
)
def test_a_changed_text_is_refused_and_nothing_stored(campaign, changed, words) -> None:
    import_claims(campaign=campaign, records=[record("r1", "c1")])
    with pytest.raises(Refused, match=words):
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
    known = known_references(campaign)
    assert list(known) == ["r1", "r2"]
    assert known["r2"][1:] == (2, text_sha256("1. Cup r2."))
    texts = known_candidates([known["r2"].pk])
    assert texts == {
        (known["r2"].pk, "a"): text_sha256("1. A."),
        (known["r2"].pk, "b"): text_sha256("1. B."),
    }
    assert known_candidates([]) == {}


def test_all_texts_come_batch_by_batch_each_reference_before_its_candidates(monkeypatch) -> None:
    monkeypatch.setattr(claims_queries, "BATCH", 2)
    campaign = filled("mugs", "r1", "r2", "r3")
    assert [(reference, candidate) for reference, candidate, _ in stored_texts(campaign)] == [
        (name, candidate) for name in ("r1", "r2", "r3") for candidate in ("", "a", "b")
    ]


def test_a_stream_longer_than_a_batch_is_stored_in_its_order(campaign: Campaign) -> None:
    counted: list[int] = []
    counts = import_claims(
        campaign=campaign,
        records=(record(f"r{n}") for n in range(BATCH + 7)),
        progress=counted.append,
    )
    assert counts == ImportCounts(BATCH + 7, BATCH + 7, 0, 0)
    assert counted == [BATCH, BATCH + 7]
    rows = Reference.objects.order_by("position").values_list("reference_id", "position")
    assert list(rows) == [(f"r{n}", n + 1) for n in range(BATCH + 7)]
    assert set(Candidate.objects.values_list("places", "has_room", "held")) == {(2, True, 0)}


def test_one_batch_at_a_time_is_taken_from_a_stream(campaign: Campaign) -> None:
    taken: list[int] = []
    stored: list[int] = []

    def stream() -> Iterator[ReferenceRecord]:
        for number in range(2 * BATCH):
            taken.append(number)
            yield record(f"r{number}")

    import_claims(campaign=campaign, records=stream(), progress=lambda _: stored.append(len(taken)))
    assert stored == [BATCH, 2 * BATCH]


def test_a_file_found_bad_midway_leaves_nothing(campaign: Campaign) -> None:
    def stream() -> Iterator[ReferenceRecord]:
        for number in range(BATCH + 1):
            yield record(f"r{number}")
        raise FormatError("Refused.", [BadRecord(9, "claims", "empty")])

    with pytest.raises(FormatError):
        import_claims(campaign=campaign, records=stream())
    assert not Reference.objects.exists()
    assert not Candidate.objects.exists()


def test_who_is_counted_of_progress_may_stop_the_import(campaign: Campaign) -> None:
    with pytest.raises(RuntimeError, match="lost"):
        import_claims(
            campaign=campaign, records=[record("r1")], progress=raising(RuntimeError("lost"))
        )
    assert not Reference.objects.exists()


def test_new_rows_name_the_import_that_they_come_from_and_known_ones_keep_theirs(campaign) -> None:
    def source(name: str) -> ClaimImport:
        return ClaimImport.objects.create(campaign=campaign, file_name=name, file_bytes=1)

    first, second = source("a.csv"), source("b.csv")
    import_claims(campaign=campaign, records=[record("r1")], source=first)
    import_claims(campaign=campaign, records=[record("r1", "c1", "c2")], source=second)
    assert Reference.objects.get().imported_from == first
    assert [c.imported_from for c in Candidate.objects.order_by("candidate_id")] == [first, second]


def test_an_id_that_comes_again_in_the_stream_is_known_or_refused(campaign: Campaign) -> None:
    fillers = [record(f"x{n}") for n in range(BATCH)]
    counts = import_claims(campaign=campaign, records=[record("r1"), *fillers, record("r1", "c2")])
    assert (counts.known_references, counts.candidates) == (1, BATCH + 2)
    other = Campaign.objects.create(slug="other")
    with pytest.raises(Refused, match="1 reference ids .* other claims: r1"):
        import_claims(campaign=other, records=[record("r1"), record("r1", text="1. A pot.")])
    assert not Reference.objects.filter(campaign=other).exists()


def test_many_changed_texts_are_not_looked_for_without_end(campaign: Campaign) -> None:
    names = [f"r{n}" for n in range(3 * BATCH)]
    import_claims(campaign=campaign, records=[record(name) for name in names])
    taken: list[str] = []

    def stream() -> Iterator[ReferenceRecord]:
        for name in names:
            taken.append(name)
            yield record(name, text="1. A pot.")

    with pytest.raises(Refused, match="100 or more reference ids"):
        import_claims(campaign=campaign, records=stream())
    assert len(taken) == BATCH


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
