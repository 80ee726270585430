"""The sessions of one person, as they see them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models.functions import Now

from annotator.models import BrowserSession, User


@dataclass(frozen=True, slots=True)
class OwnSession:
    """One browser in which the person is signed in; no key is in it."""

    id: UUID
    device: str
    started_at: datetime
    seen_at: datetime
    is_this: bool


def own_sessions(user: User, this: UUID | None) -> tuple[OwnSession, ...]:
    """Return the living sessions of a person: this one first, then the last seen."""
    rows = BrowserSession.objects.filter(user=user, expire_date__gt=Now()).order_by("-seen_at")
    found = [
        OwnSession(
            row.id, row.device or "Unknown device", row.started_at, row.seen_at, row.id == this
        )
        for row in rows
    ]
    return tuple(sorted(found, key=lambda one: not one.is_this))
