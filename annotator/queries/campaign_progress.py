"""How far a campaign is, for its admin: counts only, no scores and no claim text."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Q

from annotator.models import (
    HOLDING,
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Conflict,
    ConflictStatus,
    Membership,
    Role,
)
from annotator.queries.locks import locked_candidates


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """One annotator's share."""

    username: str
    assigned: int
    rated: int

    @property
    def left(self) -> int:
        return self.assigned - self.rated


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """The counts of a campaign."""

    references: int
    candidates: int
    begun: int
    complete: int
    locked: int
    ratings: int
    open_conflicts: int
    annotators: tuple[AnnotatorProgress, ...]


def campaign_progress(campaign: Campaign) -> CampaignProgress:
    """Count the campaign; a candidate is complete when its overlap is reached."""
    counted = Candidate.objects.filter(reference__campaign=campaign).annotate(
        times=Count("ratings")
    )
    times = list(counted.values_list("times", flat=True))
    return CampaignProgress(
        references=campaign.references.count(),
        candidates=len(times),
        begun=sum(count > 0 for count in times),
        complete=sum(count >= campaign.overlap for count in times),
        locked=locked_candidates(campaign).count(),
        ratings=sum(times),
        open_conflicts=Conflict.objects.filter(
            campaign=campaign, status=ConflictStatus.OPEN
        ).count(),
        annotators=tuple(_annotators(campaign)),
    )


def _annotators(campaign: Campaign) -> Iterable[AnnotatorProgress]:
    submitted = Q(status=AssignmentStatus.SUBMITTED)
    held = Q(status__in=HOLDING)
    counts = {
        row["annotator__username"]: row
        for row in Assignment.objects.filter(campaign=campaign)
        .order_by()
        .values("annotator__username")
        .annotate(assigned=Count("pk", filter=held), rated=Count("pk", filter=submitted))
    }
    members = Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR)
    names = set(counts) | set(members.values_list("user__username", flat=True))
    for name in sorted(names):
        row = counts.get(name, {"assigned": 0, "rated": 0})
        yield AnnotatorProgress(name, row["assigned"], row["rated"])
