"""The counts of a campaign."""

import pytest
from django.utils import timezone

from annotator.campaigns.queries import campaign_progress
from annotator.models import Candidate, Conflict, ConflictStatus, Purpose

pytestmark = pytest.mark.postgres


def test_progress_counts_ratings_candidates_and_conflicts(cast) -> None:
    reference = cast.reference("r1", 3)
    hers = cast.assign(cast.alice, reference)
    his = cast.assign(cast.bob, reference)
    twin = next(row for row in his if row.candidate_id == hers[0].candidate_id)
    cast.submit(hers[0], (9, 5, 5, 5))
    cast.submit(hers[1])
    cast.submit(twin, (2, 5, 5, 5))
    progress = campaign_progress(cast.campaign)
    assert (progress.references, progress.candidates, progress.ratings) == (1, 3, 3)
    assert (progress.begun, progress.complete, progress.locked) == (2, 1, 0)
    assert progress.open_conflicts == 2  # the criterion gap of 7, and 28/11 overall
    assert progress.unsettled == 1
    assert [person.username for person in progress.annotators] == ["alice", "bob"]


def test_a_candidate_is_complete_with_as_many_ratings_as_it_has_places(cast) -> None:
    reference = cast.reference("r1", 3)
    for row in cast.assign(cast.alice, reference):
        cast.submit(row)
    assert campaign_progress(cast.campaign).complete == 0
    Candidate.objects.filter(pk=reference.candidates.first().pk).update(places=1)
    assert campaign_progress(cast.campaign).complete == 1


def test_conflicts_are_counted_by_status_and_a_flip_unsettles_both_its_candidates(cast) -> None:
    one, two, three = cast.reference("r1", 3).candidates.all()
    statuses = (*ConflictStatus.values, ConflictStatus.OPEN)
    for number, status in enumerate(statuses):
        Conflict.objects.create(
            campaign=cast.campaign,
            candidate=one if status in {"open", "waiting"} else three,
            other_candidate=two if number == 0 else None,
            kind="order_flip" if number == 0 else "criterion_gap",
            criterion=str(number),
            gap=11,
            status=status,
            opened_at=timezone.now(),
        )
    progress = campaign_progress(cast.campaign)
    counts = (
        *(progress.open_conflicts, progress.waiting_conflicts),
        *(progress.ruled_conflicts, progress.lapsed_conflicts),
    )
    assert counts == (2, 1, 1, 1)
    assert progress.unsettled == 2


def test_repeats_and_sentinels_are_counted_apart(cast) -> None:
    reference = cast.reference("r1", 4)
    rows = cast.assign(cast.alice, reference)
    for row in rows[:3]:
        cast.submit(row)
    kinds = (Purpose.REPEAT, Purpose.SENTINEL, Purpose.QUALIFICATION)
    for row, purpose in zip(rows, kinds, strict=False):
        Candidate.objects.filter(pk=row.candidate_id).update(purpose=purpose)
    progress = campaign_progress(cast.campaign)
    assert (progress.candidates, progress.begun, progress.ratings) == (2, 1, 1)
    assert (progress.repeats, progress.repeat_ratings) == (1, 1)
    assert (progress.sentinels, progress.sentinel_ratings) == (1, 1)


def test_another_campaign_counts_for_nothing(cast) -> None:
    reference = cast.reference("r1", 3, campaign=cast.elsewhere)
    cast.submit(cast.assign(cast.mallory, reference)[0])
    progress = campaign_progress(cast.campaign)
    assert (progress.references, progress.candidates, progress.ratings) == (0, 0, 0)
    assert [person.rated for person in progress.annotators] == [0, 0]
