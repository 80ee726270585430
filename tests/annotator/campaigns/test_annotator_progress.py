"""Each annotator's share of a campaign."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from annotator.campaigns.queries import AnnotatorProgress, annotator_progress
from annotator.models import Assignment, AssignmentStatus, Membership, User

pytestmark = pytest.mark.postgres


def test_shares_days_and_quotas_are_shown_by_name(cast) -> None:
    reference = cast.reference("r1", 3)
    day = datetime(2026, 3, 4, 23, 59, tzinfo=UTC)
    cast.submit(cast.assign(cast.alice, reference)[0], submitted_at=day)
    Membership.objects.filter(user=cast.bob).update(quota=40)
    assert annotator_progress(cast.campaign, timezone.now()) == (
        AnnotatorProgress("alice", 3, 1, last_rated_on=day.date()),
        AnnotatorProgress("bob", 0, 0, quota=40),
    )


def test_only_what_is_open_past_its_date_is_overdue(cast) -> None:
    now = timezone.now()
    rows = cast.assign(cast.alice, cast.reference("r1", 4))
    cast.submit(rows[0])
    for row, hours in zip(rows, (-1, -1, 1), strict=False):
        Assignment.objects.filter(pk=row.pk).update(due_at=now + timedelta(hours=hours))
    (alice, _) = annotator_progress(cast.campaign, now)
    assert (alice.assigned, alice.rated, alice.left, alice.overdue) == (4, 1, 3, 1)


def test_what_was_given_back_is_not_assigned(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 3))
    Assignment.objects.filter(pk=rows[0].pk).update(status=AssignmentStatus.RECUSED)
    Assignment.objects.filter(pk=rows[1].pk).update(status=AssignmentStatus.WITHDRAWN)
    (alice, _) = annotator_progress(cast.campaign, timezone.now())
    assert (alice.assigned, alice.left) == (1, 1)


def test_who_also_is_admin_is_marked_and_who_only_was_annotator_stays_listed(cast) -> None:
    cast.submit(cast.assign(cast.bob, cast.reference())[0])
    Membership.objects.create(user=cast.alice, campaign=cast.campaign, role="admin")
    Membership.objects.filter(user=cast.bob).delete()
    alice, bob = annotator_progress(cast.campaign, timezone.now())
    assert (alice.is_admin, alice.is_annotator) == (True, True)
    assert (bob.is_admin, bob.is_annotator, bob.rated) == (False, False, 1)


def test_another_campaign_gives_no_annotator_and_no_day(cast) -> None:
    Membership.objects.create(user=cast.alice, campaign=cast.elsewhere, role="annotator")
    cast.submit(cast.assign(cast.alice, cast.reference(campaign=cast.elsewhere))[0])
    assert User.objects.filter(username="mallory").exists()
    assert annotator_progress(cast.campaign, timezone.now()) == (
        AnnotatorProgress("alice", 0, 0),
        AnnotatorProgress("bob", 0, 0),
    )
