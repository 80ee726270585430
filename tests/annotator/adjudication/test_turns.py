"""Turns: one adjudicator at a time, the ratings locked meanwhile, and nothing left behind."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.adjudication.rounds import TURN_LENGTH, give_back, take_turn
from annotator.conflicts.queries import is_locked
from annotator.models import AuditEvent, Conflict, Membership, Rating, Turn, User
from annotator.rating.services import revise_rating
from annotator.rubric import CRITERIA
from core.errors import OutOfDate

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def rating(cast) -> Rating:
    """Alice's rating of a candidate on which bob disagrees, everywhere."""
    reference = cast.reference("r1", 2)
    ratings = [cast.submit(row, (1, 1, 1, 1)) for row in cast.assign(cast.alice, reference)]
    for row in cast.assign(cast.bob, reference):
        cast.submit(row, (9, 9, 9, 9))
    return ratings[0]


@pytest.fixture
def conflict(rating) -> Conflict:
    return Conflict.objects.get(candidate=rating.candidate_id, kind="overall_gap")


@pytest.fixture
def dora(cast) -> User:
    user = User.objects.create(username="dora")
    Membership.objects.create(user=user, campaign=cast.campaign, role="adjudicator")
    return user


def revise(rating: Rating) -> Rating:
    rating.refresh_from_db()
    return revise_rating(
        rating_id=rating.pk,
        annotator=rating.annotator,
        version=rating.version,
        scores=dict.fromkeys(CRITERIA, 2),
    )


def run_out() -> None:
    Turn.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


def test_a_turn_locks_the_ratings_of_its_candidate_and_no_others(rating, conflict, cast) -> None:
    revise(rating)
    take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    with pytest.raises(OutOfDate):
        revise(rating)
    other = Rating.objects.filter(annotator=cast.alice).exclude(pk=rating.pk).get()
    assert not is_locked(other.assignment)
    revise(other)


def test_given_back_unruled_the_ratings_are_open_again(rating, conflict, cast) -> None:
    take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    give_back(conflict_id=conflict.pk, adjudicator=cast.carol)
    assert revise(rating).version == 2


def test_given_back_what_is_locked_anyway_stays_so(rating, conflict, cast) -> None:
    Rating.objects.update(revised_at=timezone.now() - timedelta(hours=25))
    take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    give_back(conflict_id=conflict.pk, adjudicator=cast.carol)
    assert is_locked(rating.assignment)


def test_a_turn_that_ran_out_locks_nothing_and_keeps_nobody_out(
    rating, conflict, cast, dora
) -> None:
    take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    run_out()
    revise(rating)
    take_turn(conflict_id=conflict.pk, adjudicator=dora)
    assert Turn.objects.get().adjudicator == dora


def test_another_adjudicator_waits_until_it_is_given_back(conflict, cast, dora) -> None:
    take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    with pytest.raises(OutOfDate):
        take_turn(conflict_id=conflict.pk, adjudicator=dora)
    give_back(conflict_id=conflict.pk, adjudicator=dora)
    assert Turn.objects.get().adjudicator == cast.carol
    give_back(conflict_id=conflict.pk, adjudicator=cast.carol)
    take_turn(conflict_id=conflict.pk, adjudicator=dora)


def test_a_turn_on_one_conflict_of_a_candidate_is_one_on_all_of_them(conflict, cast, dora) -> None:
    take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    siblings = Conflict.objects.filter(candidate=conflict.candidate, kind="criterion_gap")
    sibling = siblings.earliest("pk")
    with pytest.raises(OutOfDate):
        take_turn(conflict_id=sibling.pk, adjudicator=dora)


def test_taking_it_again_gives_the_whole_time_and_one_row_in_the_trail(conflict, cast) -> None:
    take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    Turn.objects.update(expires_at=timezone.now() + timedelta(minutes=1))
    until = take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    assert until - timezone.now() > TURN_LENGTH - timedelta(minutes=1)
    assert AuditEvent.objects.filter(action="turn.taken").count() == 1


def test_what_lapsed_or_is_not_in_reach_is_not_taken(rating, conflict, cast) -> None:
    Membership.objects.create(user=cast.mallory, campaign=cast.elsewhere, role="adjudicator")
    with pytest.raises(Conflict.DoesNotExist):
        take_turn(conflict_id=conflict.pk, adjudicator=cast.mallory)
    Conflict.objects.update(status="lapsed")
    with pytest.raises(OutOfDate):
        take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
