"""Writes of conflicts: the rows of a reference say what its ratings show now."""

from datetime import datetime
from uuid import UUID

from annotator.conflicts import ConflictRules, Finding, RatedScores, find_conflicts
from annotator.models import AuditEvent, Campaign, Conflict, ConflictStatus, Rating


def measure_conflicts(campaign: Campaign, reference_id: UUID, now: datetime) -> None:
    """Make the conflict rows of a reference say what its ratings show now."""
    ratings = Rating.objects.filter(candidate__reference_id=reference_id)
    rules = ConflictRules(
        campaign.criterion_gap,
        campaign.overall_gap_numerator,
        campaign.flip_gap_numerator,
    )
    found = {
        (f.kind, f.candidate, f.other_candidate, f.criterion): f
        for f in find_conflicts(
            [
                RatedScores(
                    str(r.annotator_id),
                    str(r.candidate_id),
                    r.scores,
                    r.overall_numerator,
                )
                for r in ratings
            ],
            rules,
        )
    }
    for row in Conflict.objects.filter(candidate__reference_id=reference_id):
        key = (
            row.kind,
            str(row.candidate_id),
            str(row.other_candidate_id or ""),
            row.criterion,
        )
        finding = found.pop(key, None)
        status = ConflictStatus.OPEN if finding else ConflictStatus.LAPSED
        gap = finding.gap if finding else row.gap
        if (row.status, row.gap) != (status, gap):
            Conflict.objects.filter(pk=row.pk).update(status=status, gap=gap)
    for finding in found.values():
        _open_conflict(campaign, finding, now)


def _open_conflict(campaign: Campaign, finding: Finding, now: datetime) -> None:
    conflict = Conflict.objects.create(
        campaign=campaign,
        candidate_id=finding.candidate,
        other_candidate_id=finding.other_candidate or None,
        kind=finding.kind,
        criterion=finding.criterion,
        gap=finding.gap,
        opened_at=now,
    )
    AuditEvent.objects.create(
        campaign=campaign,
        action="conflict.opened",
        object_type="conflict",
        object_id=str(conflict.pk),
        details={
            "kind": finding.kind,
            "criterion": finding.criterion,
            "gap": finding.gap,
        },
    )
