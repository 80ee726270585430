"""When ratings are final."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.assignments.services import assign_candidates
from annotator.conflicts.queries import is_locked, locked_candidates
from annotator.models import Assignment, Campaign, Candidate, Membership, Rating, Reference, User
from annotator.rating.services import submit_rating
from annotator.rubric import CRITERIA
from tests.conftest import spread

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

DAY = timedelta(hours=24)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def campaign() -> Campaign:
    campaign = Campaign.objects.create(slug="room", name="Room")
    reference = Reference.objects.create(
        campaign=campaign, reference_id="r1", claims="x", claims_sha256="x"
    )
    for name in ("c1", "c2"):
        Candidate.objects.create(
            reference=reference,
            campaign=reference.campaign,
            queue_position=reference.position,
            candidate_id=name,
            claims="y",
            claims_sha256=name,
        )
    return campaign


def rate(campaign: Campaign, name: str, ago: timedelta, candidate: str = "c1") -> Assignment:
    user, _ = User.objects.get_or_create(username=name)
    Membership.objects.get_or_create(campaign=campaign, user=user, role="annotator")
    (row,) = assign_candidates(
        campaign=campaign,
        annotator=user,
        candidates=[Candidate.objects.get(candidate_id=candidate)],
    )
    submit_rating(
        assignment_id=row.pk,
        annotator=user,
        scores=dict.fromkeys(CRITERIA, 5),
        submitted_at=timezone.now() - ago,
    )
    row.refresh_from_db()
    return row


def locked(campaign: Campaign) -> list[str]:
    return sorted(c.candidate_id for c in locked_candidates(campaign))


def test_nothing_locks_before_its_overlap_is_complete(campaign: Campaign) -> None:
    row = rate(campaign, "alice", 30 * DAY)
    assert locked(campaign) == []
    assert not is_locked(row)


def test_a_candidate_locks_when_the_window_of_the_last_rating_has_passed(
    campaign: Campaign,
) -> None:
    first = rate(campaign, "alice", 30 * DAY)
    last = rate(campaign, "bob", DAY - MINUTE)
    assert locked(campaign) == []
    Rating.objects.filter(assignment=last).update(revised_at=timezone.now() - DAY - MINUTE)
    assert locked(campaign) == ["c1"]
    assert is_locked(first)
    assert is_locked(last)


def test_a_revision_opens_the_window_again(campaign: Campaign) -> None:
    first = rate(campaign, "alice", 30 * DAY)
    rate(campaign, "bob", 30 * DAY)
    assert locked(campaign) == ["c1"]
    Rating.objects.filter(assignment=first).update(revised_at=timezone.now())
    assert locked(campaign) == []


def test_the_window_and_the_overlap_are_the_campaigns_own(campaign: Campaign) -> None:
    rate(campaign, "alice", 3 * MINUTE)
    campaign.revision_hours = 0
    spread(campaign, 1)
    assert locked(campaign) == ["c1"]


def test_closing_locks_all_that_is_rated_and_nothing_else(campaign: Campaign) -> None:
    row = rate(campaign, "alice", MINUTE)
    Campaign.objects.update(status="closed")
    campaign.refresh_from_db()
    row.refresh_from_db()
    assert locked(campaign) == ["c1"]
    assert is_locked(Assignment.objects.get(pk=row.pk))


def test_an_unrated_assignment_of_a_locked_candidate_is_not_locked(campaign: Campaign) -> None:
    rate(campaign, "alice", 3 * DAY)
    rate(campaign, "bob", 3 * DAY)
    carl = User.objects.create(username="carl")
    (row,) = assign_candidates(
        campaign=campaign,
        annotator=carl,
        candidates=[Candidate.objects.get(candidate_id="c1")],
    )
    assert not is_locked(row)


def test_another_campaign_locks_nothing_here(campaign: Campaign) -> None:
    rate(campaign, "alice", 3 * DAY)
    rate(campaign, "bob", 3 * DAY)
    other = Campaign.objects.create(slug="other", name="Other", status="closed")
    assert locked(other) == []
