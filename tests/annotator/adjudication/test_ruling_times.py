"""How long a ruling takes."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotator.adjudication.rulings.queries import RulingTime, ruling_time
from annotator.models import Adjudication, AuditEvent, Conflict, Rating

pytestmark = pytest.mark.postgres

START = timezone.now() - timedelta(days=1)


def ruled(cast, number: int, minutes: float | None, taken: datetime = START) -> Conflict:
    """Store a ruling of carol's, so long after her turn; no turn when there are no minutes."""
    reference = cast.campaign.references.first() or cast.reference()
    conflict = Conflict.objects.create(
        campaign=cast.campaign,
        candidate=reference.candidates.first(),
        kind="criterion_gap",
        criterion=str(number),
        gap=3,
        opened_at=START,
    )
    Adjudication.objects.create(
        conflict=conflict,
        adjudicator=cast.carol,
        decision="mean",
        ratings_seen=[],
        made_at=taken + timedelta(minutes=minutes or 0),
    )
    if minutes is not None:
        turn(cast, conflict, taken)
    return conflict


def turn(cast, conflict: Conflict, at: datetime) -> None:
    AuditEvent.objects.create(
        at=at,
        actor=cast.carol,
        action="turn.taken",
        object_type="conflict",
        object_id=str(conflict.pk),
    )


def test_five_rulings_are_a_measure_and_a_long_one_counts_as_an_hour(cast) -> None:
    for number, minutes in enumerate((2, 4, 6, 8, 600)):
        ruled(cast, number, minutes)
    assert ruling_time(cast.campaign, set()) == RulingTime(16 * 60, 5, is_measured=True)
    assert ruling_time(cast.elsewhere, set()) is None


def test_the_last_turn_before_a_ruling_counts_and_none_after_it(cast) -> None:
    for number in range(5):
        conflict = ruled(cast, number, 10)
        turn(cast, conflict, START + timedelta(minutes=7))
        turn(cast, conflict, START + timedelta(minutes=11))
    assert ruling_time(cast.campaign, set()) == RulingTime(3 * 60, 5, is_measured=True)


def test_a_ruling_without_a_turn_is_no_measure(cast) -> None:
    for number in range(5):
        ruled(cast, number, None)
    assert ruling_time(cast.campaign, set()) is None


def test_with_four_rulings_twice_the_median_of_the_ratings_concerned_is_shown(cast) -> None:
    for number in range(4):
        ruled(cast, number, 1)
    rows = cast.assign(cast.alice, cast.campaign.references.get())
    ratings = [cast.submit(row) for row in rows]
    for rating, seconds in zip(ratings, (100, 0, 900), strict=True):
        Rating.objects.filter(pk=rating.pk).update(active_seconds=seconds)
    of = [rating.candidate_id.hex for rating in ratings]
    assert ruling_time(cast.campaign, of[:2]) == RulingTime(200, 1, is_measured=False)
    assert ruling_time(cast.campaign, of) == RulingTime(1000, 2, is_measured=False)
    assert ruling_time(cast.campaign, {uuid4().hex}) is None


def test_hours_follow_from_the_number_of_rulings() -> None:
    time = RulingTime(450, 9, is_measured=True)
    assert (time.minutes, time.hours(16)) == (7.5, 2.0)
