"""The sessions and tokens of one person, and all accounts as a site admin sees them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotator.models import ApiToken, BrowserSession, SecondFactor, User


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


def own_tokens(user: User) -> QuerySet[ApiToken]:
    """Return the tokens that have not expired, the newest first; what they are is not stored."""
    rows = ApiToken.objects.filter(user=user, expires_at__gt=Now())
    return rows.select_related("campaign").order_by("-created_at")


def accounts() -> QuerySet[User]:
    """Return every account by name, with its living sessions and tokens, and its second factor."""
    living = Q(sessions__expire_date__gt=Now())
    alive = Q(api_tokens__expires_at__gt=Now())
    return User.objects.annotate(
        session_count=Count("sessions", filter=living, distinct=True),
        token_count=Count("api_tokens", filter=alive, distinct=True),
        has_factor=Exists(SecondFactor.objects.filter(user=OuterRef("pk"))),
    ).order_by("username")
