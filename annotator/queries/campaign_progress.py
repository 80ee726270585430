"""How far a campaign is, for its admin: counts only, no scores and no claim text.

Every count is one aggregate over one index; no row is read for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q

from annotator.clock import database_now
from annotator.models import UNSETTLED, Campaign, Conflict, ConflictStatus, Purpose
from annotator.queries.annotator_progress import AnnotatorProgress, annotator_progress
from annotator.queries.candidate_counts import CandidateCounts, candidate_counts


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """The counts of a campaign; `candidates` to `ratings` are of genuine candidates only."""

    references: int
    candidates: int
    begun: int
    complete: int
    locked: int
    ratings: int
    open_conflicts: int
    waiting_conflicts: int
    ruled_conflicts: int
    lapsed_conflicts: int
    unsettled: int
    repeats: int
    repeat_ratings: int
    sentinels: int
    sentinel_ratings: int
    annotators: tuple[AnnotatorProgress, ...]
    counted_at: datetime


def campaign_progress(campaign: Campaign, now: datetime | None = None) -> CampaignProgress:
    """Count the campaign; a candidate is complete when as many have rated it as it has places."""
    now = now or database_now()
    of = candidate_counts(campaign, now)
    genuine = of[Purpose.RATED] + of[Purpose.QUALIFICATION]
    return CampaignProgress(
        references=campaign.references.count(),
        **_genuine(genuine),
        **_conflicts(campaign),
        unsettled=_unsettled(campaign),
        repeats=of[Purpose.REPEAT].candidates,
        repeat_ratings=of[Purpose.REPEAT].ratings,
        sentinels=of[Purpose.SENTINEL].candidates,
        sentinel_ratings=of[Purpose.SENTINEL].ratings,
        annotators=annotator_progress(campaign, now),
        counted_at=now,
    )


def _genuine(counts: CandidateCounts) -> Mapping[str, Any]:
    return {
        name: getattr(counts, name)
        for name in ("candidates", "begun", "complete", "locked", "ratings")
    }


def _conflicts(campaign: Campaign) -> Mapping[str, Any]:
    rows = Conflict.objects.filter(campaign=campaign)
    return rows.aggregate(
        **{
            f"{status}_conflicts": Count("pk", filter=Q(status=status))
            for status in ConflictStatus.values
        }
    )


def _unsettled(campaign: Campaign) -> int:
    """Count the candidates with a conflict that is open or waits; a flip disputes both of its."""
    rows = Conflict.objects.filter(campaign=campaign, status__in=UNSETTLED).order_by()
    others = rows.filter(other_candidate__isnull=False)
    return rows.values("candidate_id").union(others.values("other_candidate_id")).count()
