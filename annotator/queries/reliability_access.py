"""Who reads the figures of a campaign, and from whom they are withheld while it is open.

The one rule: who rates in an open campaign, or did, is told no count and no figure that another's
rating moves. They know their own scores, and what a number says before and after one of their own
ratings says what it was measured against. Closing the campaign ends it. Roles do not: an admin who
also rates gives the counts up, and another admin of the campaign has them (B1, B8).
"""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Q

from annotator.models import Campaign, CampaignStatus, Preference, Rating, Role, User
from annotator.queries.access import roles_of

COUNTS_WITHHELD: Final = (
    "You rate in this campaign, and its counts would tell you what the others gave. They are open "
    "to you once the campaign is closed; until then another admin of the campaign has them."
)


@dataclass(frozen=True, slots=True)
class Reader:
    """A person who may read the figures; withheld from who could subtract their own part."""

    is_admin: bool
    is_withheld: bool


def reader_of(campaign: Campaign, user: User) -> Reader | None:
    """Return how the person reads the figures, None when their roles do not open them."""
    roles = roles_of(user, campaign)
    if not roles & {Role.ADMIN, Role.RESEARCHER}:
        return None
    return Reader(Role.ADMIN in roles, campaign.pk in withheld_campaigns(user))


def withheld_campaigns(user: User) -> frozenset[UUID]:
    """Return the open campaigns in which the person rates, or did."""
    return _open_campaigns(user, Role.ANNOTATOR)


def counts_withheld(campaign: Campaign, user: User) -> bool:
    """Say whether the counts of a campaign are withheld from one of its admins.

    Conflicts, locks, rulings, places and what the others have done all move with ratings: places
    too, because a ladder and an adjudicator add some. Before the first rating nothing of it can
    move, so that an admin who will rate can plan the campaign first.
    """
    if campaign.pk not in withheld_campaigns(user):
        return False
    return (
        Rating.objects.filter(assignment__campaign=campaign).exists()
        or Preference.objects.filter(comparison__campaign=campaign).exists()
    )


def judges_in(campaign: Campaign, user: User) -> bool:
    """Say whether the person rates or adjudicates in a campaign that is open."""
    return campaign.pk in _open_campaigns(user, Role.ANNOTATOR, Role.ADJUDICATOR)


def judges_meanwhile(user: User) -> bool:
    """Say whether the person rates or adjudicates in any campaign that is open.

    What is not of one campaign is withheld from them: what a model says of claim sets, and numbers
    that count the acts of the whole site.
    """
    return bool(_open_campaigns(user, Role.ANNOTATOR, Role.ADJUDICATOR))


def _open_campaigns(user: User, *roles: Role) -> frozenset[UUID]:
    judges = Q(memberships__user=user, memberships__role__in=roles)
    rows = Campaign.objects.filter(judges | Q(assignments__annotator=user))
    return frozenset(rows.filter(status=CampaignStatus.OPEN).values_list("pk", flat=True))
