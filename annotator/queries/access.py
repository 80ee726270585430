"""The one layer of scope: whose campaigns, whose assignments. Everything else starts here."""

from collections.abc import Collection

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from annotator.models import Assignment, Campaign, Membership, Role, User


def campaigns_for(
    user: User | AnonymousUser, roles: Collection[str] = tuple(Role)
) -> QuerySet[Campaign]:
    """Return the campaigns in which the user holds one of the roles."""
    if not user.is_authenticated or not user.is_active:
        return Campaign.objects.none()
    return Campaign.objects.filter(
        memberships__user=user, memberships__role__in=list(roles)
    ).distinct()


def roles_of(user: User | AnonymousUser, campaign: Campaign | None = None) -> frozenset[str]:
    """Return the user's roles in a campaign, or in any campaign when none is named."""
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    rows = Membership.objects.filter(user=user)
    if campaign is not None:
        rows = rows.filter(campaign=campaign)
    return frozenset(rows.values_list("role", flat=True))


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
