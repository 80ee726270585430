"""How far a campaign and its annotators are, its notices, its rules, its retention."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from django.db.models import Count, F, Q, Sum

from annotator.conflicts.queries import count_cases, locked_candidates
from annotator.conflicts.rules import gap_text
from annotator.models import (
    GENUINE,
    UNSETTLED,
    Campaign,
    Candidate,
    Comparison,
    Conflict,
    ConflictStatus,
    Departure,
    DepartureKind,
    Flag,
    Purpose,
    RulesVersion,
)
from annotator.planning.queries import AnnotatorProgress, annotator_progress
from core.clock import database_now


def count_candidates(campaign: Campaign, *purposes: str) -> dict[str, int]:
    """Return how many candidates of the purposes there are, are begun, complete; their ratings."""
    rows = Candidate.objects.filter(campaign=campaign, purpose__in=purposes)
    return rows.annotate(times=Count("ratings")).aggregate(
        candidates=Count("pk"),
        begun=Count("pk", filter=Q(times__gt=0)),
        complete=Count("pk", filter=Q(times__gte=F("places"))),
        ratings=Sum("times", default=0),
    )


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """The counts of a campaign; `candidates` to `ratings` are of genuine candidates only.

    `comparisons` were asked for or came with a file; `preferences` were stated about them.
    """

    references: int
    candidates: int
    begun: int
    complete: int
    locked: int
    ratings: int
    comparisons: int
    preferences: int
    open_conflicts: int
    open_cases: int
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


def campaign_progress(campaign: Campaign) -> CampaignProgress:
    """Count the campaign; a candidate is complete when as many have rated it as it has places."""
    now = database_now()
    repeats, sentinels = (
        count_candidates(campaign, purpose) for purpose in (Purpose.REPEAT, Purpose.SENTINEL)
    )
    conflicts = Conflict.objects.filter(campaign=campaign)
    by_status = {
        f"{status}_conflicts": Count("pk", filter=Q(status=status))
        for status in ConflictStatus.values
    }
    stated = Comparison.objects.filter(campaign=campaign).aggregate(
        comparisons=Count("pk"), preferences=Count("preference")
    )
    # A flip disputes both of its candidates.
    unsettled = conflicts.filter(status__in=UNSETTLED).order_by()
    others = unsettled.filter(other_candidate__isnull=False).values("other_candidate_id")
    return CampaignProgress(
        references=campaign.references.count(),
        **count_candidates(campaign, *GENUINE),
        locked=locked_candidates(campaign).filter(purpose__in=GENUINE).count(),
        **stated,
        **conflicts.aggregate(**by_status),
        open_cases=count_cases(conflicts.filter(status=ConflictStatus.OPEN)),
        unsettled=unsettled.values("candidate_id").union(others).count(),
        repeats=repeats["candidates"],
        repeat_ratings=repeats["ratings"],
        sentinels=sentinels["candidates"],
        sentinel_ratings=sentinels["ratings"],
        annotators=annotator_progress(campaign, now),
        counted_at=now,
    )


MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Notice:
    """One flag or skip, or a recusal from a reference, and what became of the candidates."""

    row: Flag | Departure
    kind: str
    outcome: str
    candidates: int = 1

    @property
    def flag(self) -> Flag | None:
        return self.row if isinstance(self.row, Flag) else None


def campaign_notices(campaign: Campaign) -> tuple[Notice, ...]:
    """Return the latest flags, skips and recusals of a campaign, the newest first."""
    flags = Flag.objects.filter(assignment__campaign=campaign).order_by("-made_at")
    left = Departure.objects.filter(assignment__campaign=campaign).order_by("-made_at")
    joined = ("assignment__annotator", "assignment__candidate__reference")
    reference = "assignment__candidate__reference"
    texts = ("assignment__candidate__claims", f"{reference}__claims", f"{reference}__draft_claims")
    flagged = flags.select_related(*joined).defer(*texts)[:MOST_SHOWN]
    found = [Notice(row, "flag", _state_of(row)) for row in flagged]
    rerouted = left.select_related(*joined, "rerouted_to__annotator").defer(*texts)
    acts: defaultdict[tuple[object, ...], list[Departure]] = defaultdict(list)
    for departure in rerouted[:MOST_SHOWN]:
        acts[_act_of(departure)].append(departure)
    found += [Notice(rows[0], rows[0].kind, _outcome(rows), len(rows)) for rows in acts.values()]
    return tuple(sorted(found, key=lambda one: one.row.made_at, reverse=True)[:MOST_SHOWN])


def _state_of(flag: Flag) -> str:
    if flag.closed_at is not None:
        return "closed"
    return "answered" if flag.answered_at is not None else "not answered yet"


def _act_of(departure: Departure) -> tuple[object, ...]:
    """Return what departures of one act share: a recusal leaves all candidates of a reference."""
    if departure.kind != DepartureKind.RECUSAL:
        return (departure.pk,)
    left = departure.assignment
    return left.annotator_id, left.candidate.reference_id, departure.made_at


def _outcome(rows: Sequence[Departure]) -> str:
    """Return what became of the candidates of one act, each outcome once with its number."""
    outcomes = Counter(_outcome_of(row) for row in rows)
    if len(outcomes) == 1:
        return next(iter(outcomes))
    return ", ".join(f"{number} {outcome}" for outcome, number in outcomes.items())


def _outcome_of(departure: Departure) -> str:
    if departure.rerouted_to:
        return f"now with {departure.rerouted_to.annotator.username}"
    # A leased place is free for whoever asks next.
    has_lease = departure.assignment.lease_expires_at is not None
    return "free for the next" if has_lease else "nobody has it now"


WARNED_DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class Retention:
    """The last day of storage; `days_left` is negative once it has passed."""

    until: date
    days_left: int

    @property
    def has_passed(self) -> bool:
        return self.days_left < 0

    @property
    def is_near(self) -> bool:
        """Whether the day is at most thirty days away, and not past."""
        return 0 <= self.days_left <= WARNED_DAYS

    @property
    def days_over(self) -> int:
        return max(0, -self.days_left)


def retention(campaign: Campaign, today: date) -> Retention | None:
    """Return until when texts are stored; none when nobody has decided."""
    until = campaign.retain_until
    return Retention(until, (until - today).days) if until else None


@dataclass(frozen=True, slots=True)
class PastRules:
    """The rules of one number, with the gaps of the overall kinds in rating points."""

    row: RulesVersion
    overall_gap: str
    flip_gap: str
    is_current: bool


def rules_history(campaign: Campaign) -> tuple[PastRules, ...]:
    """Return every version of the rules, the newest first."""
    rows = RulesVersion.objects.filter(campaign=campaign).order_by("-number")
    return tuple(
        PastRules(
            row,
            gap_text(row.overall_gap_numerator),
            gap_text(row.flip_gap_numerator),
            row.number == campaign.rules_version,
        )
        for row in rows.select_related("made_by")
    )
