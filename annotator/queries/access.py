"""The one layer of scope: whose campaigns, whose assignments. Everything else starts here."""

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.utils import timezone

from annotator.models import (
    ApiToken,
    Assignment,
    Campaign,
    CampaignStatus,
    Membership,
    Role,
    User,
)


def campaigns_for(
    user: User | AnonymousUser, roles: Collection[str] = tuple(Role)
) -> QuerySet[Campaign]:
    """Return the campaigns in which the user holds one of the roles."""
    if not user.is_authenticated or not user.is_active:
        return Campaign.objects.none()
    return Campaign.objects.filter(
        memberships__user=user, memberships__role__in=list(roles)
    ).distinct()


def closed_for(user: User | AnonymousUser) -> QuerySet[Campaign]:
    """Return the closed campaigns in which the user is annotator, the last closed first."""
    rows = campaigns_for(user, (Role.ANNOTATOR,)).filter(status=CampaignStatus.CLOSED)
    return rows.order_by("-closed_at", "name")


def roles_of(user: User | AnonymousUser, campaign: Campaign | None = None) -> frozenset[str]:
    """Return the user's roles in a campaign, or in any campaign when none is named."""
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    rows = Membership.objects.filter(user=user)
    if campaign is not None:
        rows = rows.filter(campaign=campaign)
    return frozenset(rows.values_list("role", flat=True))


@dataclass(frozen=True, slots=True)
class Caller:
    """The owner of a token, with what decides whether a call is let in."""

    user: User
    scope: str
    roles_by_campaign: dict[str, set[str]]


def token_caller(token_sha256: str) -> Caller | None:
    """Return the owner of a living token and all their roles, in one query.

    What else is asked of the user is loaded when it is asked for.
    """
    rows = ApiToken.objects.filter(
        token_sha256=token_sha256, expires_at__gt=timezone.now(), user__is_active=True
    ).values_list(
        *("scope", "user_id", "user__username", "user__is_superuser"),
        *("user__memberships__campaign__slug", "user__memberships__role"),
    )
    found: dict[str, set[str]] = {}
    row = None
    for row in rows:
        *_, slug, role = row
        if slug is not None:
            found.setdefault(slug, set()).add(role)
    if row is None:
        return None
    scope, pk, username, is_superuser, *_ = row
    known = {"id": pk, "username": username, "is_superuser": is_superuser, "is_active": True}
    # In the order of the model's fields, as `from_db` reads them.
    names = [field.attname for field in User._meta.concrete_fields if field.attname in known]
    return Caller(User.from_db("default", names, [known[name] for name in names]), scope, found)


def roles_by_campaign(user: User | AnonymousUser) -> dict[str, set[str]]:
    """Return the user's roles by campaign slug, in one query."""
    if not user.is_authenticated or not user.is_active:
        return {}
    found: dict[str, set[str]] = {}
    for slug, role in Membership.objects.filter(user=user).values_list("campaign__slug", "role"):
        found.setdefault(slug, set()).add(role)
    return found


def assignments_for(user: User) -> QuerySet[Assignment]:
    """Return the user's own assignments in campaigns where they still are annotator."""
    return Assignment.objects.filter(
        annotator=user,
        campaign__memberships__user=user,
        campaign__memberships__role=Role.ANNOTATOR,
    ).select_related("campaign", "candidate__reference")
