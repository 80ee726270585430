"""Which references wait for a place in the order of a campaign, and how large its control is."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet

from annotator.models import (
    GENUINE,
    HOLDING,
    Assignment,
    Campaign,
    CampaignStatus,
    Candidate,
    Reference,
)

# Of a reference: somebody has a candidate of it open, or has rated one.
IS_BEGUN: Final = Exists(
    Assignment.objects.filter(candidate__reference=OuterRef("pk"), status__in=HOLDING)
)


def readable(campaign: Campaign) -> QuerySet[Reference]:
    """Return the references of a campaign with something to rate."""
    ratable = Candidate.objects.filter(reference=OuterRef("pk"), purpose__in=GENUINE)
    return Reference.objects.filter(Exists(ratable), campaign=campaign, erased_at=None)


def waiting_references(campaign: Campaign) -> list[UUID]:
    """Return the references that nobody has begun, in the order in which they came."""
    rows = readable(campaign).filter(~IS_BEGUN).order_by("position", "reference_id")
    return list(rows.values_list("pk", flat=True))


def begun_references(campaign: Campaign) -> list[UUID]:
    """Return the references that somebody has begun, in the order in which they came."""
    rows = readable(campaign).filter(IS_BEGUN).order_by("position", "reference_id")
    return list(rows.values_list("pk", flat=True))


def choosing_campaigns() -> QuerySet[Campaign]:
    """Return the open campaigns that choose their order."""
    return Campaign.objects.filter(status=CampaignStatus.OPEN, choosing_since__isnull=False)


def is_out_of_order(campaign: Campaign) -> bool:
    """Return whether a reference of a campaign that chooses has no place in the order yet.

    One that was imported since, or one whose candidates stand apart since one of them came later.
    """
    undrawn = readable(campaign).filter(~IS_BEGUN, is_control=None)
    rows = Candidate.objects.filter(reference__in=readable(campaign)).order_by()
    places = rows.values("reference").annotate(
        first=Min("queue_position"), last=Max("queue_position")
    )
    return undrawn.exists() or places.filter(first__lt=F("last")).exists()


@dataclass(frozen=True, slots=True)
class Choosing:
    """Whether a campaign chooses, and how many of its references are what.

    `control` were drawn for the control share, `chosen` were not; `before` were begun before
    anything was drawn and count beside the control; `waiting` have no place in the order yet.
    `control_begun` and `chosen_begun` say how many of both somebody has begun.
    """

    is_on: bool
    percent: int
    control: int
    control_begun: int
    chosen: int
    chosen_begun: int
    before: int
    waiting: int

    @property
    def is_drawn(self) -> bool:
        return bool(self.control or self.chosen)

    @property
    def total(self) -> int:
        return self.control + self.chosen


def choosing_of(campaign: Campaign) -> Choosing:
    """Return how a campaign's order is chosen, in counts: which are control is shown nowhere."""
    drawn, left, begun = Q(is_control=True), Q(is_control=False), Q(IS_BEGUN)
    counts = readable(campaign).aggregate(
        control=Count("pk", filter=drawn),
        control_begun=Count("pk", filter=drawn & begun),
        chosen=Count("pk", filter=left),
        chosen_begun=Count("pk", filter=left & begun),
        before=Count("pk", filter=Q(is_control=None) & begun),
        waiting=Count("pk", filter=Q(is_control=None) & ~begun),
    )
    return Choosing(campaign.is_choosing, campaign.control_percent, **counts)
