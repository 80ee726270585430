"""From whom figures are withheld while a campaign is open, and who was shown what is hidden.

The one rule: who rates in an open campaign, or did, is shown no count and no figure that another's
rating moves. They know their own scores, and what a number is before and after one of their own
ratings shows what it was measured against. Closing the campaign ends it. Roles do not: an admin who
also rates gives the counts up, and another admin of the campaign has them (B1, B8).
"""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from annotator import audit_log
from annotator.access.scopes import roles_of
from annotator.models import (
    Assignment,
    Campaign,
    CampaignStatus,
    Membership,
    Preference,
    Rating,
    Role,
    Shown,
    Unblinding,
    User,
)
from core.clock import database_now
from core.errors import OutOfDate
from core.shapes import LONGEST_REASON, check_text

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


def ratings_withheld(campaign: Campaign, reader: Reader) -> bool:
    """Return whether ratings and rulings are not theirs to read yet: see the permission matrix."""
    return reader.is_withheld or (campaign.is_open and not reader.is_admin)


def withheld_campaigns(user: User) -> frozenset[UUID]:
    """Return the open campaigns in which the person rates, or did."""
    return _open_campaigns(user, Role.ANNOTATOR)


def counts_withheld(campaign: Campaign, user: User) -> bool:
    """Return whether the counts of a campaign are withheld from one of its admins.

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
    """Return whether the person rates or adjudicates in a campaign that is open."""
    return campaign.pk in _open_campaigns(user, Role.ANNOTATOR, Role.ADJUDICATOR)


def judges_meanwhile(user: User) -> bool:
    """Return whether the person rates or adjudicates in any campaign that is open.

    What is not of one campaign is withheld from them: how a model scores claim sets, and numbers
    that count the acts of the whole site.
    """
    return bool(_open_campaigns(user, Role.ANNOTATOR, Role.ADJUDICATOR))


def _open_campaigns(user: User, *roles: Role) -> frozenset[UUID]:
    # Each asked by the person: a join of both would read the assignments of the whole site.
    of_role = Membership.objects.filter(user=user, role__in=roles).values("campaign")
    of_work = Assignment.objects.filter(annotator=user).values("campaign")
    rows = Campaign.objects.filter(Q(pk__in=of_role) | Q(pk__in=of_work))
    return frozenset(rows.filter(status=CampaignStatus.OPEN).values_list("pk", flat=True))


MOST_LISTED: Final = 500


def is_unblinded(campaign: Campaign, user: User, shown: Shown) -> bool:
    """Return whether the person was shown it since the campaign closed; never while it is open."""
    if campaign.is_open or campaign.closed_at is None:
        return False
    rows = Unblinding.objects.filter(campaign=campaign, user=user, shown=shown)
    return rows.filter(at__gte=campaign.closed_at).exists()


def unblindings_of(campaign: Campaign) -> QuerySet[Unblinding]:
    """Return the latest unblindings of a campaign, with whom they showed it to."""
    rows = Unblinding.objects.filter(campaign=campaign).select_related("user")
    return rows.order_by("-at", "-pk")[:MOST_LISTED]


STILL_OPEN: Final = "The campaign is open; names are shown once it is closed."


@transaction.atomic
def show_names(*, campaign: Campaign, asked_by: User, reason: str) -> Unblinding:
    """Let an admin see which annotator is which until the campaign is opened again.

    Raises Refused without a reason, OutOfDate while the campaign is open.
    """
    empty = "Give a short reason: it is recorded on the list of unblindings."
    check_text("reason", reason, longest=LONGEST_REASON, empty=empty)
    row = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if row.is_open:
        raise OutOfDate(STILL_OPEN)
    return record_unblinding(campaign=row, user=asked_by, shown=Shown.NAMES, reason=reason)


@transaction.atomic
def show_feedback(*, campaign: Campaign, annotator: User) -> None:
    """Record the first time that an annotator looks at their own results after a closing.

    Raises OutOfDate while the campaign is open.
    """
    row = Campaign.objects.get(pk=campaign.pk)
    if row.is_open:
        raise OutOfDate("The campaign is open; own results are shown once it is closed.")
    _record_first(row, annotator, Shown.FEEDBACK)


@transaction.atomic
def record_unblinding(
    *, campaign: Campaign, user: User, shown: Shown, reason: str = ""
) -> Unblinding:
    """Store that somebody is shown something, with its row in the audit trail."""
    row = Unblinding.objects.create(
        campaign=campaign, user=user, shown=shown, reason=reason, at=database_now()
    )
    audit_log.record_on(row, "unblinding.shown", user, campaign, shown=str(shown))
    return row


@transaction.atomic
def show_systems(*, campaign: Campaign, user: User) -> None:
    """Record the first time that a person is shown the systems after a closing.

    Does nothing while the campaign is open: nobody is shown any then.
    """
    row = Campaign.objects.get(pk=campaign.pk)
    if not row.is_open:
        _record_first(row, user, Shown.SYSTEMS)


def _record_first(campaign: Campaign, user: User, shown: Shown) -> None:
    """Store that somebody is shown something, unless it is stored; call it in a transaction."""
    if is_unblinded(campaign, user, shown):
        return
    # Two views at once make one row: the second waits here, and looks again.
    list(Membership.objects.select_for_update(no_key=True).filter(campaign=campaign, user=user))
    if not is_unblinded(campaign, user, shown):
        record_unblinding(campaign=campaign, user=user, shown=shown)
