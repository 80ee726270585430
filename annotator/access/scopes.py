"""Which campaigns, assignments and members a person sees, and under which names."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from annotator.models import (
    ApiToken,
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Membership,
    Role,
    Ruling,
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


def living_token(token_sha256: str) -> ApiToken | None:
    """Return a token that has not expired by the database's clock, its owner narrowed to it."""
    rows = ApiToken.objects.select_related("user").filter(expires_at__gt=Now())
    token = rows.filter(token_sha256=token_sha256, user__is_active=True).first()
    if token is not None:
        token.user.only_campaign_id = token.campaign_id
        # Who is a site admin is so outside of any campaign.
        token.user.is_superuser = token.user.is_superuser and token.campaign_id is None
    return token


def roles_by_campaign(user: User | AnonymousUser) -> dict[str, set[str]]:
    """Return the user's roles by campaign slug, in one query."""
    if not user.is_authenticated or not user.is_active:
        return {}
    found: dict[str, set[str]] = {}
    rows = Membership.objects.filter(in_reach(user), user=user)
    for slug, role in rows.values_list("campaign__slug", "role"):
        found.setdefault(slug, set()).add(role)
    return found


def ever_assigned(user: User) -> QuerySet[Assignment]:
    """Return the user's own assignments whatever their roles are now: to store what they typed."""
    rows = Assignment.objects.filter(in_reach(user), annotator=user)
    return rows.select_related("campaign")


def assignments_for(user: User) -> QuerySet[Assignment]:
    """Return the user's own assignments in campaigns where they still are annotator."""
    rows = annotators_own(user.pk).filter(in_reach(user))
    return rows.select_related("campaign", "candidate__reference")


def annotators_own(user_id: UUID) -> QuerySet[Assignment]:
    """Return a person's own assignments as above, whatever their token reaches."""
    return Assignment.objects.filter(
        annotator=user_id,
        campaign__memberships__user=user_id,
        campaign__memberships__role=Role.ANNOTATOR,
    )


def recused_references(user_id: UUID) -> QuerySet[Assignment, Any]:
    """Return the references from which a person has recused themselves, for a subquery."""
    rows = Assignment.objects.filter(annotator=user_id, status=AssignmentStatus.RECUSED)
    return rows.order_by().values("candidate__reference")


def readable_assignments(user: User) -> QuerySet[Assignment]:
    """Return the user's own assignments without those of references that they recused from.

    Every address that shows an annotator a text of a reference starts here, or asks
    `RatePage.is_recused`: a recusal hides the texts of earlier ratings too.
    """
    return assignments_for(user).exclude(candidate__reference__in=recused_references(user.pk))


def has_ruled_on(user: User, candidates: Collection[UUID]) -> bool:
    """Return whether the user has ever ruled on one of the candidates, void rulings included."""
    return Ruling.objects.filter(candidate__in=candidates, adjudication__adjudicator=user).exists()


def annotators_of(campaign: Campaign | UUID) -> QuerySet[User]:
    """Return the annotators of a campaign, or of its id, who could work, by name.

    Left out: deactivated accounts, and those without a password, which belong to nobody.
    """
    members = Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR)
    return (
        User.objects.filter(pk__in=members.values("user_id"), is_active=True)
        .exclude(password__startswith=UNUSABLE_PASSWORD_PREFIX)
        .order_by("username")
    )


def members_who_annotate(campaign: Campaign | UUID) -> QuerySet[User]:
    """Return everybody with the role of annotator, deactivated accounts too, by name."""
    members = Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR)
    return User.objects.filter(pk__in=members.values("user_id")).order_by("username")


@dataclass(frozen=True, slots=True)
class Member:
    """One person with their roles in one campaign."""

    username: str
    is_active: bool
    roles: tuple[str, ...]


def members_of(campaign: Campaign) -> tuple[Member, ...]:
    """Return the members of a campaign by name, each with all their roles."""
    people: dict[tuple[str, bool], list[str]] = {}
    rows = Membership.objects.filter(campaign=campaign).order_by("user__username", "role")
    for username, is_active, role in rows.values_list("user__username", "user__is_active", "role"):
        people.setdefault((username, is_active), []).append(role)
    return tuple(Member(*person, tuple(roles)) for person, roles in people.items())


# Fewer annotators than this are not distinguished, because who is one of them knows the rest.
LEAST_DISTINGUISHED: Final = 3

Names = dict[str, str]


def pseudonyms(ids: Iterable[str], key: object) -> Names:
    """Return "Annotator 1" and so on by user id, in an order that only the secret key explains.

    The same key gives the same numbers as long as nobody joins; another key gives others, so that
    two lists cannot be joined.
    """

    def place(pk: str) -> str:
        return salted_hmac("annotator.names", f"{key}:{pk}", algorithm="sha256").hexdigest()

    return {pk: f"Annotator {number}" for number, pk in enumerate(sorted(ids, key=place), start=1)}


def user_names(ids: Iterable[str]) -> Names:
    """Return the user names by id."""
    rows = User.objects.filter(pk__in=list(ids)).values_list("pk", "username")
    return {str(pk): name for pk, name in rows}


def renamed(value: Any, names: Names) -> Any:
    """Return stored figures with names in place of ids; a person without a name is left out."""
    if isinstance(value, list):
        return [renamed(one, names) for one in value if not _is_nameless(one, names)]
    if isinstance(value, dict):
        # Large results are mostly numbers: what cannot hold a person is not looked through.
        return {
            key: names.get(one, one)
            if key in PEOPLE
            else one
            if key in NOBODYS
            else renamed(one, names)
            for key, one in value.items()
        }
    return value


# Where stored figures hold the id of a user, and where they hold nobody's.
PEOPLE: Final = frozenset({"annotator", "first", "second"})
NOBODYS: Final = frozenset({"figures", "plan", "histogram"})


def _is_nameless(one: Any, names: Names) -> bool:
    """Return whether it is about somebody who has no name here; None stands for all together."""
    if not isinstance(one, dict):
        return False
    ids = [one[key] for key in PEOPLE & one.keys()]
    return any(pk is not None and pk not in names for pk in ids)
