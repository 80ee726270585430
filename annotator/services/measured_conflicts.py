"""Writes of conflicts: the rows of a reference say what its ratings show now."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from annotator.conflicts import ConflictRules, Finding, RatedScores, find_conflicts
from annotator.models import AuditEvent, Campaign, Conflict, ConflictStatus, Ruling
from annotator.queries.reference_ratings import reference_ratings

# Kind, candidate, other candidate, criterion; candidates as 32 hexadecimal digits, "" for none.
Key = tuple[str, str, str, str]


def measure_conflicts(campaign: Campaign, reference_id: UUID, now: datetime) -> None:
    """Make the conflict rows of a reference say what its ratings show now.

    What is ruled stays ruled, whatever a later rating shows: no conflict of ruled candidates opens.
    """
    ratings = reference_ratings(reference_id)
    if len({rating.annotator for rating in ratings}) < 2:
        return
    found = _findings(campaign, ratings)
    rows = Conflict.objects.filter(candidate__reference_id=reference_id).values_list(
        "pk", "kind", "candidate_id", "other_candidate_id", "criterion", "status", "gap"
    )
    for pk, kind, candidate, other, criterion, status, gap in rows:
        key = (kind, candidate.hex, "" if other is None else other.hex, criterion)
        finding = found.pop(key, None)
        if status == ConflictStatus.RULED:
            continue
        wanted = ConflictStatus.OPEN if finding else ConflictStatus.LAPSED
        width = finding.gap if finding else gap
        if (status, gap) != (wanted, width):
            Conflict.objects.filter(pk=pk).update(status=wanted, gap=width)
    if found:
        _open_conflicts(campaign, _not_ruled(reference_id, found.values()), now)


def _findings(campaign: Campaign, ratings: list[RatedScores]) -> dict[Key, Finding]:
    rules = ConflictRules(
        campaign.criterion_gap,
        campaign.overall_gap_numerator,
        campaign.flip_gap_numerator,
    )
    return {
        (f.kind, f.candidate, f.other_candidate, f.criterion): f
        for f in find_conflicts(ratings, rules)
    }


def _not_ruled(reference_id: UUID, findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings without those whose candidates are all ruled."""
    rulings = Ruling.objects.filter(candidate__reference_id=reference_id, is_valid=True)
    ruled = {"", *(pk.hex for pk in rulings.values_list("candidate_id", flat=True))}
    return [f for f in findings if not {f.candidate, f.other_candidate} <= ruled]


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
