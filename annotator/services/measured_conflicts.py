"""Writes of conflicts: the rows of a reference say what its ratings show now."""

from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef

from annotator.conflicts import ConflictRules, Finding, RatedScores, find_conflicts
from annotator.models import AuditEvent, Campaign, Conflict, ConflictStatus, Rating, Ruling
from annotator.rubric import CRITERIA

Key = tuple[str, str, str, str]


def measure_conflicts(campaign: Campaign, reference_id: UUID, now: datetime) -> None:
    """Make the conflict rows of a reference say what its ratings show now.

    What is ruled stays ruled, whatever a later rating shows: no conflict of ruled candidates opens.
    """
    found = _findings(campaign, reference_id)
    rows = Conflict.objects.filter(candidate__reference_id=reference_id).values_list(
        "pk", "kind", "candidate_id", "other_candidate_id", "criterion", "status", "gap"
    )
    for pk, kind, candidate, other, criterion, status, gap in rows:
        finding = found.pop(
            (kind, str(candidate), "" if other is None else str(other), criterion), None
        )
        if status == ConflictStatus.RULED:
            continue
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
    ruling = Ruling.objects.filter(candidate=OuterRef("candidate_id"), is_valid=True)
    rows = (
        Rating.objects.filter(candidate__reference_id=reference_id)
        .annotate(is_ruled=Exists(ruling))
        .values_list("annotator_id", "candidate_id", "overall_numerator", "is_ruled", *CRITERIA)
    )
    ratings = []
    ruled = {""}
    for annotator, candidate, overall, is_ruled, *scores in rows:
        values = dict(zip(CRITERIA, scores, strict=True))
        ratings.append(RatedScores(str(annotator), str(candidate), values, overall))
        ruled |= {str(candidate)} if is_ruled else set()
    return {
        (f.kind, f.candidate, f.other_candidate, f.criterion): f
        for f in find_conflicts(ratings, rules)
        if not {f.candidate, f.other_candidate} <= ruled
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
