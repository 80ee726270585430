"""Unblindings: recorded with their audit row, only of closed campaigns, anew after a reopening."""

import pytest

from annotator.access.visibility import is_unblinded, show_feedback, show_names, unblindings_of
from annotator.campaigns.services import close_campaign, reopen_campaign
from annotator.models import AuditEvent, Shown, Unblinding
from core.errors import OutOfDate, Refused
from core.text_io.shapes import LONGEST_REASON

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def closed(cast):
    close_campaign(campaign=cast.campaign, reason="Done.", closed_by=cast.ada)
    cast.campaign.refresh_from_db()
    return cast


def test_names_are_shown_to_who_asked_until_the_campaign_is_opened_again(closed) -> None:
    show_names(campaign=closed.campaign, asked_by=closed.ada, reason="To train.")
    assert is_unblinded(closed.campaign, closed.ada, Shown.NAMES)
    assert not is_unblinded(closed.campaign, closed.rita, Shown.NAMES)
    assert not is_unblinded(closed.campaign, closed.ada, Shown.FEEDBACK)
    reopen_campaign(campaign=closed.campaign, reason="More.", reopened_by=closed.ada)
    closed.campaign.refresh_from_db()
    assert not is_unblinded(closed.campaign, closed.ada, Shown.NAMES)
    close_campaign(campaign=closed.campaign, reason="Done.", closed_by=closed.ada)
    closed.campaign.refresh_from_db()
    assert not is_unblinded(closed.campaign, closed.ada, Shown.NAMES)


@pytest.mark.parametrize("reason", ["", " \n", "x" * (LONGEST_REASON + 1), "a\x00"])
def test_names_need_a_reason_that_can_be_stored(closed, reason: str) -> None:
    with pytest.raises(Refused):
        show_names(campaign=closed.campaign, asked_by=closed.ada, reason=reason)
    assert not Unblinding.objects.exists() and not AuditEvent.objects.filter(
        action="unblinding.shown"
    )


def test_nothing_is_shown_of_an_open_campaign(cast) -> None:
    with pytest.raises(OutOfDate):
        show_names(campaign=cast.campaign, asked_by=cast.ada, reason="To train.")
    with pytest.raises(OutOfDate):
        show_feedback(campaign=cast.campaign, annotator=cast.alice)
    assert not Unblinding.objects.exists()


def test_feedback_is_recorded_once_for_each_closing(closed) -> None:
    for _ in range(2):
        show_feedback(campaign=closed.campaign, annotator=closed.alice)
    show_feedback(campaign=closed.campaign, annotator=closed.bob)
    assert Unblinding.objects.count() == 2
    reopen_campaign(campaign=closed.campaign, reason="More.", reopened_by=closed.ada)
    close_campaign(campaign=closed.campaign, reason="Done.", closed_by=closed.ada)
    show_feedback(campaign=closed.campaign, annotator=closed.alice)
    assert Unblinding.objects.filter(user=closed.alice).count() == 2
    events = AuditEvent.objects.filter(action="unblinding.shown")
    assert {str(row.pk) for row in Unblinding.objects.all()} == set(
        events.values_list("object_id", flat=True)
    )


def test_the_list_begins_with_the_latest_and_holds_this_campaign_only(closed) -> None:
    show_names(campaign=closed.campaign, asked_by=closed.ada, reason="First.")
    show_names(campaign=closed.campaign, asked_by=closed.ada, reason="Second.")
    assert [row.reason for row in unblindings_of(closed.campaign)] == ["Second.", "First."]
    assert not unblindings_of(closed.elsewhere)
