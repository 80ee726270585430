"""The sessions and tokens of one person, and all accounts as a site admin sees them."""

from collections.abc import Mapping
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotator.models import (
    ApiToken,
    BrowserSession,
    Passkey,
    PendingRole,
    SecondFactor,
    User,
)


def own_sessions(user: User, this: UUID | None) -> list[Mapping[str, object]]:
    """Return the living sessions of a person, without keys: this one first, then the last seen."""
    rows = BrowserSession.objects.filter(user=user, expire_date__gt=Now()).order_by("-seen_at")
    shown = rows.values("id", "device", "started_at", "seen_at")
    return sorted(shown, key=lambda row: row["id"] != this)


def own_tokens(user: User) -> QuerySet[ApiToken]:
    """Return the tokens that have not expired, the newest first; what they are is not stored."""
    rows = ApiToken.objects.filter(user=user, expires_at__gt=Now())
    return rows.select_related("campaign").order_by("-created_at")


def own_pending_roles(user: User) -> QuerySet[PendingRole]:
    """Return the roles of a person that an admin of the campaign has yet to agree to."""
    return PendingRole.objects.filter(user=user).select_related("campaign").order_by("given_at")


def accounts() -> QuerySet[User]:
    """Return every account by name, with its living sessions and tokens, and its second factor."""
    living = Q(sessions__expire_date__gt=Now())
    alive = Q(api_tokens__expires_at__gt=Now())
    return User.objects.annotate(
        session_count=Count("sessions", filter=living, distinct=True),
        token_count=Count("api_tokens", filter=alive, distinct=True),
        has_factor=Exists(SecondFactor.objects.filter(user=OuterRef("pk")))
        | Exists(Passkey.objects.filter(user=OuterRef("pk"))),
    ).order_by("username")
