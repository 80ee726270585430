"""How far a campaign and its annotators are, its notices, its rules, its retention."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.models import Count, DateTimeField, Q, UUIDField

from annotator.conflicts.queries import count_cases
from annotator.conflicts.rules import gap_text
from annotator.models import (
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
    Rating,
    Round,
    RulesVersion,
    Ruling,
    Turn,
)
from annotator.planning.queries import AnnotatorProgress, annotator_progress
from core.clock import database_now


class CandidateCounts(NamedTuple):
    """Candidates of one purpose: how many there are, are begun, complete, locked; their ratings."""

    candidates: int = 0
    begun: int = 0
    complete: int = 0
    locked: int = 0
    ratings: int = 0


def _table(model: Any) -> str:
    return str(model._meta.db_table)


# Written as SQL: the ORM would group every rating by all columns of its candidate, its claims among
# them. Locked as annotator.conflicts.queries has it; a test holds the two together.
_COUNTS: Final = f"""
WITH own AS MATERIALIZED (
  SELECT c.id, c.purpose, c.places, COUNT(r.id) AS times, MAX(r.revised_at) AS last
    FROM {_table(Candidate)} c LEFT JOIN {_table(Rating)} r ON r.candidate_id = c.id
   WHERE c.campaign_id = %(campaign)s
   GROUP BY c.id, c.purpose, c.places
)
SELECT purpose, COUNT(*),
       SUM(CASE WHEN times > 0 THEN 1 ELSE 0 END),
       SUM(CASE WHEN times >= places THEN 1 ELSE 0 END),
       SUM(CASE WHEN times = 0 THEN 0
                WHEN %(is_closed)s = 1 THEN 1
                WHEN id IN (SELECT candidate_id FROM {_table(Round)}
                             WHERE finished_at IS NULL) THEN 0
                WHEN times >= places AND last < %(before)s THEN 1
                WHEN id IN (SELECT candidate_id FROM {_table(Turn)}
                             WHERE expires_at > %(now)s) THEN 1
                WHEN id IN (SELECT candidate_id FROM {_table(Ruling)} WHERE is_valid) THEN 1
                ELSE 0 END),
       SUM(times)
  FROM own
 GROUP BY purpose
"""  # noqa: S608 - table names only


def candidate_counts(campaign: Campaign, now: datetime) -> Mapping[str, CandidateCounts]:
    """Return the counts by purpose; a purpose without candidates counts 0."""
    moment = DateTimeField()
    before = now - timedelta(hours=campaign.revision_hours)
    values = {
        "campaign": UUIDField().get_db_prep_value(campaign.pk, connection),
        "is_closed": int(not campaign.is_open),
        "before": moment.get_db_prep_value(before, connection),
        "now": moment.get_db_prep_value(now, connection),
    }
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, values)
        rows = cursor.fetchall()
    found: defaultdict[str, CandidateCounts] = defaultdict(CandidateCounts)
    return found | {purpose: CandidateCounts(*map(int, rest)) for purpose, *rest in rows}


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
    of = candidate_counts(campaign, now)
    genuine = zip(of[Purpose.RATED], of[Purpose.QUALIFICATION], strict=True)
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
        **CandidateCounts(*map(sum, genuine))._asdict(),
        **stated,
        **conflicts.aggregate(**by_status),
        open_cases=count_cases(conflicts.filter(status=ConflictStatus.OPEN)),
        unsettled=unsettled.values("candidate_id").union(others).count(),
        repeats=of[Purpose.REPEAT].candidates,
        repeat_ratings=of[Purpose.REPEAT].ratings,
        sentinels=of[Purpose.SENTINEL].candidates,
        sentinel_ratings=of[Purpose.SENTINEL].ratings,
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
