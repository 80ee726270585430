from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.assignments.services import assign_candidates
from annotator.conflicts.queries import (
    Circumstances,
    circumstances_of,
    is_locked,
    locked_candidates,
)
from annotator.models import (
    Assignment,
    Campaign,
    Candidate,
    Membership,
    Rating,
    Round,
    Unblinding,
    User,
)
from annotator.rating.services import revise_rating
from tests.conftest import grant, spread

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

DAY = timedelta(hours=24)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def campaign(cast) -> Campaign:
    cast.reference("r1", 2)
    return cast.campaign


def rate(cast, user: User, ago: timedelta) -> Assignment:
    candidate = Candidate.objects.earliest("candidate_id")
    (row,) = assign_candidates(campaign=cast.campaign, annotator=user, candidates=[candidate])
    cast.submit(row, submitted_at=timezone.now() - ago)
    row.refresh_from_db()
    return row


def locked(campaign: Campaign) -> list[str]:
    return sorted(one.candidate_id[-1] for one in locked_candidates(campaign))


def test_nothing_locks_before_its_overlap_is_complete(cast, campaign) -> None:
    row = rate(cast, cast.alice, 30 * DAY)
    assert locked(campaign) == []
    assert not is_locked(row)


def test_a_candidate_locks_when_the_window_of_the_last_rating_has_passed(cast, campaign) -> None:
    first = rate(cast, cast.alice, 30 * DAY)
    last = rate(cast, cast.bob, DAY - MINUTE)
    assert locked(campaign) == []
    rated = Rating.objects.filter(assignment=last)
    rated.update(revised_at=timezone.now() - DAY - MINUTE)
    assert locked(campaign) == ["0"]
    assert is_locked(first) and is_locked(last)
    # Of another campaign nothing is locked, nor an assignment without a rating.
    cast.elsewhere.status = "closed"
    assert locked(cast.elsewhere) == []
    candidate = Candidate.objects.earliest("candidate_id")
    (row,) = assign_candidates(campaign=campaign, annotator=cast.mallory, candidates=[candidate])
    assert not is_locked(row)
    # A revision opens the window again.
    Rating.objects.filter(assignment=first).update(revised_at=timezone.now())
    assert locked(campaign) == []


def test_the_window_and_the_overlap_are_the_campaigns_own(cast, campaign) -> None:
    rate(cast, cast.alice, 3 * MINUTE)
    campaign.revision_hours = 0
    spread(campaign, 1)
    assert locked(campaign) == ["0"]


def test_closing_locks_all_that_is_rated_and_nothing_else(cast, campaign) -> None:
    row = rate(cast, cast.alice, MINUTE)
    Campaign.objects.update(status="closed")
    campaign.refresh_from_db()
    row.refresh_from_db()
    assert locked(campaign) == ["0"]
    assert is_locked(Assignment.objects.get(pk=row.pk))


@pytest.fixture
def row(cast):
    return cast.assign(cast.alice, cast.reference("r1", 1))[0]


def test_an_annotator_alone_rates_blind_in_no_round(row) -> None:
    assert circumstances_of(row) == Circumstances(True, 1, "")


@pytest.mark.parametrize(
    ("role", "is_blind"),
    [("admin", False), ("adjudicator", False), ("researcher", False), ("reader", True)],
)
def test_who_sees_others_work_by_another_role_does_not_rate_blind(row, cast, role, is_blind):
    grant(cast.alice, cast.elsewhere, role)
    assert circumstances_of(row).is_blind
    grant(cast.alice, cast.campaign, role)
    assert circumstances_of(row).is_blind is is_blind
    rating = cast.submit(row)
    assert (rating.is_blind, rating.revisions.get().is_blind) == (is_blind, is_blind)


def test_who_was_shown_results_here_does_not_rate_blind(row, cast) -> None:
    shown = {"user": cast.alice, "shown": "feedback", "at": timezone.now()}
    Unblinding.objects.create(campaign=cast.elsewhere, **shown)
    Unblinding.objects.create(campaign=cast.campaign, **shown | {"user": cast.bob})
    assert circumstances_of(row).is_blind
    Unblinding.objects.create(campaign=cast.campaign, **shown)
    assert not circumstances_of(row).is_blind


def test_a_rating_given_with_open_eyes_is_not_blind_after_a_revision(row, cast) -> None:
    role = Membership.objects.create(user=cast.alice, campaign=cast.campaign, role="admin")
    rating = cast.submit(row)
    role.delete()
    revise_rating(rating_id=rating.pk, annotator=cast.alice, version=1, scores=rating.scores)
    assert not Rating.objects.get().is_blind


def test_only_an_unfinished_round_counts(row) -> None:
    now = timezone.now()
    made = {"candidate": row.candidate, "kind": "another", "made_at": now}
    Round.objects.create(number=2, finished_at=now, **made)
    assert circumstances_of(row) == Circumstances(True, 1, "")
    Round.objects.create(number=3, **made)
    assert circumstances_of(row) == Circumstances(True, 3, "another")
