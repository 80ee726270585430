"""Batches of claim sets, and the streams they are cut from."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotator.campaigns.services import create_campaign
from annotator.formats.references import BATCH, CandidateRecord, ReferenceRecord
from annotator.imports.claims.services import ImportCounts, import_claims
from annotator.models import Campaign, Candidate, ClaimImport, Reference
from core.errors import Refused
from core.text_io.streams import BadRecord, FormatError

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def record(name: str, *candidates: str, text: str = "1. A cup.") -> ReferenceRecord:
    made = tuple(CandidateRecord(c, f"1. A mug {c}.") for c in candidates or ("c1",))
    return ReferenceRecord(name, text, made)


@pytest.fixture
def campaign() -> Campaign:
    return create_campaign(slug="room")


def test_a_stream_longer_than_a_batch_is_stored_in_its_order(campaign: Campaign) -> None:
    told: list[int] = []
    counts = import_claims(
        campaign=campaign,
        records=(record(f"r{n}") for n in range(BATCH + 7)),
        progress=told.append,
    )
    assert counts == ImportCounts(BATCH + 7, BATCH + 7, 0, 0)
    assert told == [BATCH, BATCH + 7]
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


def test_who_gets_progress_may_stop_the_import(campaign: Campaign) -> None:
    def stop(_: int) -> None:
        raise RuntimeError("lost")

    with pytest.raises(RuntimeError, match="lost"):
        import_claims(campaign=campaign, records=[record("r1")], progress=stop)
    assert not Reference.objects.exists()


def test_new_rows_name_the_import_that_they_come_from_and_known_ones_keep_theirs(
    campaign: Campaign,
) -> None:
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
def test_a_batch_takes_the_same_number_of_questions_whatever_its_size(
    campaign: Campaign, count: int
) -> None:
    with CaptureQueriesContext(connection) as asked:
        import_claims(campaign=campaign, records=[record(f"r{n}") for n in range(count)])
    assert len(asked) < 12


def test_where_some_references_are_shared_places_are_spread(campaign: Campaign) -> None:
    campaign.shared_percent = 50
    campaign.save()
    import_claims(campaign=campaign, records=[record(f"r{n}") for n in range(4)])
    assert sorted(Candidate.objects.values_list("places", flat=True)) == [1, 1, 2, 2]
