"""How far a campaign has come: counts, and no ranking of people."""

from dataclasses import dataclass

from django.db.models import Count, Q

from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Conflict,
    ConflictStatus,
    Rating,
    Reference,
)
from annotator.queries.locks import locked_candidates


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """One annotator's counts."""

    username: str
    open: int
    submitted: int


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """The counts of one campaign."""

    references: int
    candidates: int
    ratings: int
    locked: int
    open_conflicts: int
    annotators: tuple[AnnotatorProgress, ...]


def campaign_progress(campaign: Campaign) -> CampaignProgress:
    """Return the counts of a campaign as they stand now."""
    people = (
        Assignment.objects.filter(campaign=campaign)
        .values("annotator__username")
        .annotate(
            left=Count("pk", filter=Q(status=AssignmentStatus.OPEN)),
            done=Count("pk", filter=Q(status=AssignmentStatus.SUBMITTED)),
        )
        .order_by("annotator__username")
    )
    return CampaignProgress(
        references=Reference.objects.filter(campaign=campaign).count(),
        candidates=Candidate.objects.filter(reference__campaign=campaign).count(),
        ratings=Rating.objects.filter(candidate__reference__campaign=campaign).count(),
        locked=locked_candidates(campaign).count(),
        open_conflicts=Conflict.objects.filter(
            campaign=campaign, status=ConflictStatus.OPEN
        ).count(),
        annotators=tuple(
            AnnotatorProgress(row["annotator__username"], row["left"], row["done"])
            for row in people
        ),
    )
