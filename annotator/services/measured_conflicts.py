"""Writes of conflicts: the rows of a reference say what its ratings show now."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Count, F

from annotator.conflicts.rules import ConflictRules, Finding, RatedScores, find_conflicts
from annotator.models import (
    Campaign,
    Candidate,
    Conflict,
    ConflictStatus,
    Round,
    Ruling,
)
from annotator.queries.reference_ratings import reference_ratings
from annotator.services import audit
from annotator.services.further_annotators import ask_by_ladder, can_be_rated

# Kind, candidate, other candidate, criterion; candidates as 32 hexadecimal digits, "" for none.
Key = tuple[str, str, str, str]


def measure_conflicts(campaign: Campaign, reference_id: UUID, now: datetime) -> None:
    """Make the conflict rows of a reference say what its ratings show now.

    What is ruled stays ruled, whatever a later rating shows: no conflict of ruled candidates opens.
    With a ladder a further annotator is asked first. While annotators are asked, it waits.
    """
    ratings = reference_ratings(reference_id)
    if len({rating.annotator for rating in ratings}) < 2:
        return
    found = _findings(campaign, ratings)
    known = _known(reference_id)
    asked = _asked(campaign, reference_id, found, known, now) if found else set()
    for key, (pk, status, gap) in known.items():
        finding = found.pop(key, None)
        if status == ConflictStatus.RULED:
            continue
        wanted = _status(finding, asked) if finding else ConflictStatus.LAPSED
        width = finding.gap if finding else gap
        if (status, gap) != (wanted, width):
            Conflict.objects.filter(pk=pk).update(
                status=wanted, gap=width, rules_version=campaign.rules_version
            )
    if found:
        ruled = _ruled(reference_id)
        new = [f for f in found.values() if not {f.candidate, f.other_candidate} <= ruled | {""}]
        _open_conflicts(campaign, new, asked, now)


def _known(reference_id: UUID) -> dict[Key, tuple[UUID, str, int]]:
    rows = Conflict.objects.filter(candidate__reference_id=reference_id).values_list(
        "pk", "kind", "candidate_id", "other_candidate_id", "criterion", "status", "gap"
    )
    return {
        (kind, candidate.hex, "" if other is None else other.hex, criterion): (pk, status, gap)
        for pk, kind, candidate, other, criterion, status, gap in rows
    }


def _asked(
    campaign: Campaign,
    reference_id: UUID,
    found: Mapping[Key, Finding],
    known: Mapping[Key, tuple[UUID, str, int]],
    now: datetime,
) -> set[str]:
    """Return the candidates about which annotators are asked, having asked by the ladder."""
    rounds = Round.objects.filter(candidate__reference_id=reference_id)
    rows = list(rounds.values_list("candidate_id", "finished_at"))
    asked = {pk.hex for pk, finished_at in rows if finished_at is None}
    if campaign.has_ladder:
        # Nobody is asked by the ladder twice, nor about what is ruled.
        past = {pk.hex for pk, _ in rows} | _ruled(reference_id) | {""}
        first = {pk for key in found for pk in key[1:3]} - past
        coming = _with_ratings_to_come(first)
        beyond = [key for key, (_, status, _) in known.items() if status != ConflictStatus.LAPSED]
        new = first - coming - {pk for key in beyond for pk in key[1:3]}
        asked |= coming
        asked |= {pk for pk in sorted(new) if ask_by_ladder(candidate_id=UUID(pk), now=now)}
    return asked


def _with_ratings_to_come(candidates: set[str]) -> set[str]:
    rows = Candidate.objects.filter(pk__in=candidates).annotate(rated=Count("ratings"))
    return {row.pk.hex for row in rows.filter(rated__lt=F("places")) if can_be_rated(row)}


def _ruled(reference_id: UUID) -> set[str]:
    rulings = Ruling.objects.filter(candidate__reference_id=reference_id, is_valid=True)
    return {pk.hex for pk in rulings.values_list("candidate_id", flat=True)}


def _status(finding: Finding, asked: set[str]) -> ConflictStatus:
    is_asked = finding.candidate in asked or finding.other_candidate in asked
    return ConflictStatus.WAITING if is_asked else ConflictStatus.OPEN


def _findings(campaign: Campaign, ratings: list[RatedScores]) -> dict[Key, Finding]:
    rules = ConflictRules(
        campaign.criterion_gap,
        campaign.overall_gap_numerator,
        campaign.flip_gap_numerator,
        campaign.has_ladder,
    )
    return {
        (f.kind, f.candidate, f.other_candidate, f.criterion): f
        for f in find_conflicts(ratings, rules)
    }


def _open_conflicts(
    campaign: Campaign, findings: Sequence[Finding], asked: set[str], now: datetime
) -> None:
    conflicts = Conflict.objects.bulk_create(
        Conflict(
            campaign=campaign,
            status=_status(finding, asked),
            rules_version=campaign.rules_version,
            candidate_id=finding.candidate,
            other_candidate_id=finding.other_candidate or None,
            kind=finding.kind,
            criterion=finding.criterion,
            gap=finding.gap,
            opened_at=now,
        )
        for finding in findings
    )
    audit.record_each(
        campaign=campaign,
        action="conflict.opened",
        object_type="conflict",
        details_by_id=(
            (row.pk, {"kind": row.kind, "criterion": row.criterion, "gap": row.gap})
            for row in conflicts
        ),
    )
