"""Writes of conflicts: the rows of a reference say what its ratings show now."""

from datetime import datetime
from uuid import UUID

from annotator.conflicts import ConflictRules, Finding, RatedScores, find_conflicts
from annotator.models import AuditEvent, Campaign, Conflict, ConflictStatus, Rating
from annotator.rubric import CRITERIA

Key = tuple[str, str, str, str]


def measure_conflicts(campaign: Campaign, reference_id: UUID, now: datetime) -> None:
    """Make the conflict rows of a reference say what its ratings show now."""
    found = _findings(campaign, reference_id)
    rows = Conflict.objects.filter(candidate__reference_id=reference_id).values_list(
        "pk", "kind", "candidate_id", "other_candidate_id", "criterion", "status", "gap"
    )
    for pk, kind, candidate, other, criterion, status, gap in rows:
        finding = found.pop(
            (kind, str(candidate), "" if other is None else str(other), criterion), None
        )
        wanted = ConflictStatus.OPEN if finding else ConflictStatus.LAPSED
        width = finding.gap if finding else gap
        if (status, gap) != (wanted, width):
            Conflict.objects.filter(pk=pk).update(status=wanted, gap=width)
    if found:
        _open_conflicts(campaign, list(found.values()), now)


def _findings(campaign: Campaign, reference_id: UUID) -> dict[Key, Finding]:
    rules = ConflictRules(
        campaign.criterion_gap,
        campaign.overall_gap_numerator,
        campaign.flip_gap_numerator,
    )
    rows = Rating.objects.filter(candidate__reference_id=reference_id).values_list(
        "annotator_id", "candidate_id", "overall_numerator", *CRITERIA
    )
    ratings = [
        RatedScores(
            str(annotator), str(candidate), dict(zip(CRITERIA, scores, strict=True)), overall
        )
        for annotator, candidate, overall, *scores in rows
    ]
    return {
        (f.kind, f.candidate, f.other_candidate, f.criterion): f
        for f in find_conflicts(ratings, rules)
    }


def _open_conflicts(campaign: Campaign, findings: list[Finding], now: datetime) -> None:
    conflicts = Conflict.objects.bulk_create(
        Conflict(
            campaign=campaign,
            candidate_id=finding.candidate,
            other_candidate_id=finding.other_candidate or None,
            kind=finding.kind,
            criterion=finding.criterion,
            gap=finding.gap,
            opened_at=now,
        )
        for finding in findings
    )
    AuditEvent.objects.bulk_create(
        AuditEvent(
            campaign=campaign,
            action="conflict.opened",
            object_type="conflict",
            object_id=str(conflict.pk),
            details={"kind": conflict.kind, "criterion": conflict.criterion, "gap": conflict.gap},
        )
        for conflict in conflicts
    )
