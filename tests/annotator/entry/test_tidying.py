"""Names and addresses of people whom nobody let in do not stay."""

from datetime import timedelta
from typing import Any

import pytest

from annotator.audit_log import listed_actions
from annotator.entry.services import approve, delete_old_strangers
from annotator.models import AuditEvent, Identity
from core.clock import database_now
from core.jobs.registry import tidy
from tests.crowd import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def arrived(subject: str, days: float, **more: Any) -> Identity:
    """Make somebody who signed in for the first time so many days ago."""
    about = {"name": "nora", "address": "nora@firm.example"}
    row = Identity.objects.create(issuer="https://firm.example", subject=subject, **about, **more)
    Identity.objects.filter(pk=row.pk).update(made_at=database_now() - timedelta(days=days))
    return row


def test_the_sweep_deletes_who_was_refused_or_waited_too_long_and_nobody_else(cast) -> None:
    now = database_now()

    def refused(days: float) -> dict[str, Any]:
        return {"refused_at": now - timedelta(days=days)}

    gone = [arrived("waits long", 90.01), arrived("refused long", 31, **refused(30.01))]
    stay = [
        arrived("waits", 89.9),
        # What counts is the refusal, and how long ago that is.
        arrived("refused lately", 300, **refused(29.9)),
        arrived("let in", 300, user=cast.alice),
    ]
    tidy()
    assert set(Identity.objects.all()) == set(stay)
    events = AuditEvent.objects.filter(action="identity.forgotten")
    assert {event.object_id for event in events} == {str(row.pk) for row in gone}
    assert {(event.actor, event.object_type, str(event.details)) for event in events} == {
        (None, "identity", "{}")
    }
    assert "identity.forgotten" in dict(listed_actions())
    assert delete_old_strangers() == 0


@pytest.mark.django_db(transaction=True)
def test_who_is_let_in_at_that_moment_keeps_their_account_or_was_gone(cast) -> None:
    for number in range(8):
        row = arrived(f"s-{number}", 91)

        def let_in(row: Identity = row, number: int = number) -> Any:
            return approve(identity=row, username=f"nora.{number}", by=cast.ada)

        user, _ = at_once([let_in, delete_old_strangers])
        left = Identity.objects.filter(pk=row.pk).first()
        if isinstance(user, Exception):
            assert (type(user).__name__, left) == ("OutOfDate", None)
        else:
            assert left is not None and left.user == user
