"""The record that somebody was shown systems."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.access.visibility import show_systems
from annotator.models import AuditEvent, Campaign, Unblinding

pytestmark = pytest.mark.postgres


def close(cast, days_ago: int = 0) -> None:
    at = timezone.now() - timedelta(days=days_ago)
    Campaign.objects.filter(pk=cast.campaign.pk).update(status="closed", closed_at=at)


def test_nothing_is_recorded_while_nothing_is_shown(cast) -> None:
    show_systems(campaign=cast.campaign, user=cast.ada)
    assert not Unblinding.objects.exists()


def test_each_person_is_recorded_once_with_a_row_in_the_trail(cast) -> None:
    close(cast)
    for user in (cast.ada, cast.ada, cast.rita):
        show_systems(campaign=cast.campaign, user=user)
    shown = Unblinding.objects.order_by("at").values_list("user__username", "shown")
    assert list(shown) == [("ada", "systems"), ("rita", "systems")]
    assert AuditEvent.objects.filter(action="unblinding.shown", actor=cast.ada).count() == 1


def test_after_another_closing_it_is_recorded_again(cast) -> None:
    close(cast, days_ago=2)
    show_systems(campaign=cast.campaign, user=cast.ada)
    Unblinding.objects.update(at=timezone.now() - timedelta(days=1))
    close(cast)
    show_systems(campaign=cast.campaign, user=cast.ada)
    assert Unblinding.objects.count() == 2
