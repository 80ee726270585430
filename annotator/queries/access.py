"""The one layer of scope: whose campaigns, whose assignments. Everything else starts here."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import Q, QuerySet

from annotator.clock import now_sql
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
    rows = Campaign.objects.filter(memberships__user=user, memberships__role__in=list(roles))
    return rows.filter(in_reach(user, "pk")).distinct()


def in_reach(user: User | AnonymousUser, path: str = "campaign_id") -> Q:
    """Return what a token for one campaign leaves of rows that name theirs by `path`."""
    only = getattr(user, "only_campaign_id", None)
    return Q(**{path: only}) if only else Q()


def campaign_named(slug: str) -> Campaign | None:
    """Return a campaign whoever asks: for a site admin's invitations, which read nothing of it."""
    return Campaign.objects.filter(slug=slug).first()


def closed_for(user: User | AnonymousUser) -> QuerySet[Campaign]:
    """Return the closed campaigns in which the user is annotator, the last closed first."""
    rows = campaigns_for(user, (Role.ANNOTATOR,)).filter(status=CampaignStatus.CLOSED)
    return rows.order_by("-closed_at", "name")


def roles_of(user: User | AnonymousUser, campaign: Campaign | None = None) -> frozenset[str]:
    """Return the user's roles in a campaign, or in any campaign when none is named."""
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    rows = Membership.objects.filter(in_reach(user), user=user)
    if campaign is not None:
        rows = rows.filter(campaign=campaign)
    return frozenset(rows.values_list("role", flat=True))


@dataclass(frozen=True, slots=True)
class Caller:
    """The owner of a token, with what decides whether a call is let in."""

    user: User
    scope: str
    roles_by_campaign: dict[str, set[str]]
    token_id: UUID
    is_first_today: bool


# Written as SQL: this is asked with every call, and building it through the ORM costs several times
# what it costs the database. The database's clock decides.
_CALLER: Final = f"""
SELECT t.id, t.scope, t.campaign_id, COALESCE(t.last_used_on <> CURRENT_DATE, TRUE),
       u.id, u.username, u.is_superuser, m.campaign_id, c.slug, m.role
  FROM {ApiToken._meta.db_table} t JOIN {User._meta.db_table} u ON u.id = t.user_id
       LEFT JOIN {Membership._meta.db_table} m ON m.user_id = u.id
       LEFT JOIN {Campaign._meta.db_table} c ON c.id = m.campaign_id
 WHERE t.token_sha256 = %s AND u.is_active AND t.expires_at > ({{now}})
"""  # noqa: S608 - table names only


def token_caller(token_sha256: str) -> Caller | None:
    """Return the owner of a living token and the roles that it reaches, in one query.

    What else is asked of the user is loaded when it is asked for.
    """
    with connection.cursor() as cursor:
        cursor.execute(_CALLER.format(now=now_sql()), [token_sha256])
        rows = cursor.fetchall()
    if not rows:
        return None
    found: dict[str, set[str]] = {}
    for *_, only, _, _, _, _, campaign, slug, role in rows:
        if slug is not None and only in {None, campaign}:
            found.setdefault(slug, set()).add(role)
    token, scope, only, is_first_today, pk, username, is_superuser, *_ = rows[0]
    known = {
        "id": _uuid(pk),
        "username": username,
        "is_superuser": bool(is_superuser),
        "is_active": True,
    }
    # In the order of the model's fields, as `from_db` reads them.
    names = [field.attname for field in User._meta.concrete_fields if field.attname in known]
    user = User.from_db("default", names, [known[name] for name in names])
    user.only_campaign_id = _uuid(only) if only else None
    # Who is a site admin is so outside of any campaign.
    user.is_superuser = known["is_superuser"] and only is None
    return Caller(user, scope, found, _uuid(token), bool(is_first_today))


def _uuid(key: UUID | str) -> UUID:
    # SQLite hands its text over as it is kept.
    return UUID(key) if isinstance(key, str) else key


def roles_by_campaign(user: User | AnonymousUser) -> dict[str, set[str]]:
    """Return the user's roles by campaign slug, in one query."""
    if not user.is_authenticated or not user.is_active:
        return {}
    found: dict[str, set[str]] = {}
    for slug, role in Membership.objects.filter(user=user).values_list("campaign__slug", "role"):
        found.setdefault(slug, set()).add(role)
    return found


def ever_assigned(user: User) -> QuerySet[Assignment]:
    """Return the user's own assignments whatever their roles are now: to keep what they typed."""
    rows = Assignment.objects.filter(in_reach(user), annotator=user)
    return rows.select_related("campaign")


def assignments_for(user: User) -> QuerySet[Assignment]:
    """Return the user's own assignments in campaigns where they still are annotator."""
    return Assignment.objects.filter(
        in_reach(user),
        annotator=user,
        campaign__memberships__user=user,
        campaign__memberships__role=Role.ANNOTATOR,
    ).select_related("campaign", "candidate__reference")
