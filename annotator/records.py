"""The ratings and preferences of a campaign as tables to measure, with what is left out and why.

numpy comes in when a table is made, which only a worker or a command does.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Self
from uuid import UUID

from django.db.models import Count, F, Max, Model, QuerySet, Sum

from annotator.models import (
    GENUINE,
    Assignment,
    Campaign,
    Candidate,
    Membership,
    Preference,
    Purpose,
    Rating,
    RatingRevision,
    Role,
)
from annotator.rating_values import RatedScores, scores_of
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, HIGHEST, SCORE_COLUMNS

if TYPE_CHECKING:
    from patclaimeval.statistics.tables import Repeat, Sentinel, Table

# Raised when a change here or in annotator.reliability moves a number.
CODE_VERSION: Final = "2"


@dataclass(frozen=True, slots=True)
class State:
    """How many rows there are, how often they were written in all, and when last.

    Every revision raises a row's version, so that no change leaves all three as they were.
    """

    rows: int
    versions: int
    last: str

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[int, datetime]]) -> Self:
        """Return the state of rows that were read; each gives its version and last change."""
        found = list(rows)
        last = max((at for _, at in found), default=None)
        return cls(len(found), sum(version for version, _ in found), _text(last))

    @property
    def revisions(self) -> int:
        return self.versions - self.rows


@dataclass(frozen=True, slots=True)
class Inputs:
    """The ratings and preferences of a campaign, and whose ratings are left out as an admin's."""

    ratings: State
    preferences: State
    admins: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """The digest by which a report is found again."""
        text = json.dumps([CODE_VERSION, asdict(self)], sort_keys=True)
        return sha256(text.encode()).hexdigest()


def inputs_of(campaign: Campaign) -> Inputs:
    """Measure the inputs by aggregates; no rating is read."""
    return Inputs(
        # By way of the assignments: those of the candidates are wide with claim texts.
        _state(Rating.objects.filter(assignment__campaign=campaign)),
        _state(Preference.objects.filter(comparison__campaign=campaign)),
        rating_admins(campaign),
    )


def rating_admins(campaign: Campaign) -> tuple[str, ...]:
    """Return the ids of the campaign's admins who were given something to rate."""
    admins = Membership.objects.filter(campaign=campaign, role=Role.ADMIN).values("user")
    rows = Assignment.objects.filter(campaign=campaign, annotator__in=admins).order_by()
    return tuple(sorted(str(pk) for pk in set(rows.values_list("annotator", flat=True))))


def _state(rows: QuerySet[Model]) -> State:
    found = rows.aggregate(n=Count("pk"), versions=Sum("version"), last=Max("revised_at"))
    return State(found["n"], found["versions"] or 0, _text(found["last"]))


def _text(at: datetime | None) -> str:
    return at.astimezone(UTC).isoformat() if at else ""


NOT_BLIND: Final = "not given blind"
LATER_ROUND: Final = "first given in a later round"
BY_ADMIN: Final = "given by an admin of the campaign"

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GivenRatings:
    """What was read, by one statement, so that it belongs together; and its state as a whole."""

    rows: tuple[RatedScores, ...]
    state: State
    left_out: Counter[str] = field(default_factory=Counter)


def given_ratings(campaign: Campaign) -> GivenRatings:
    """Read every rating of a campaign; no claim text is read.

    A rating that was changed in a later round counts as it stood before; one that was given in a
    later round, not blind, or by an admin of the campaign, is left out and counted.
    """
    found = _read(campaign)
    earlier = _first_rounds(campaign)
    places = _positions(found)
    admins = set(rating_admins(campaign))
    left_out: Counter[str] = Counter()
    rows = []
    for row in found:
        first = row if row["round"] == 1 else earlier.get(row["pk"])
        annotator = str(row["annotator_id"])
        if annotator in admins:
            left_out[BY_ADMIN] += 1
        elif first is None:
            left_out[LATER_ROUND] += 1
        elif not first["is_blind"]:
            left_out[NOT_BLIND] += 1
        else:
            rows.append(
                RatedScores(
                    annotator,
                    str(row["candidate_id"]),
                    scores_of(first[column] for column in SCORE_COLUMNS),
                    reference=str(row["candidate__reference_id"]),
                    purpose=row["candidate__purpose"],
                    position=places[row["pk"]],
                )
            )
    state = State.of_rows((row["version"], row["revised_at"]) for row in found)
    return GivenRatings(tuple(rows), state, left_out)


def is_genuine(row: RatedScores) -> bool:
    """Return whether the rating is one that the campaign is about."""
    return row.purpose not in (Purpose.REPEAT, Purpose.SENTINEL)


def _read(campaign: Campaign) -> list[Row]:
    return list(
        Rating.objects.filter(assignment__campaign=campaign).values(
            *("pk", "candidate_id", "candidate__reference_id", "candidate__purpose"),
            *("annotator_id", "version", "submitted_at", "revised_at", "is_blind", "round"),
            *SCORE_COLUMNS,
        )
    )


def _first_rounds(campaign: Campaign) -> dict[UUID, Row]:
    """Return how the ratings that a later round changed stood at the end of the first one."""
    rows = RatingRevision.objects.filter(
        rating__assignment__campaign=campaign, rating__round__gt=1, round=1
    ).order_by("number")
    # The last one of each rating stays.
    return {row["rating_id"]: row for row in rows.values("rating_id", "is_blind", *SCORE_COLUMNS)}


def _positions(rows: Iterable[Row]) -> dict[UUID, int]:
    by_annotator: dict[UUID, list[Row]] = defaultdict(list)
    for row in rows:
        by_annotator[row["annotator_id"]].append(row)
    places = {}
    for own in by_annotator.values():
        own.sort(key=lambda row: (row["submitted_at"], row["pk"]))
        places.update({row["pk"]: place for place, row in enumerate(own, start=1)})
    return places


@dataclass(frozen=True, slots=True)
class GivenPreference:
    """One annotator's answers about a pair: 1 where the candidate first shown left is better."""

    pair: str
    reference: str
    annotator: str
    answers: dict[str, int]


@dataclass(frozen=True, slots=True)
class GivenPreferences:
    """What was read by one statement, its state, and how many of an admin's are left out."""

    rows: tuple[GivenPreference, ...]
    state: State
    by_admins: int = 0


def given_preferences(campaign: Campaign) -> GivenPreferences:
    """Read every preference of a campaign; what `given_ratings` leaves out is left out, too.

    Annotators may have seen a pair either way round, and what agreement is expected by chance
    depends on which side is called left. Every pair is read as its first comparison was shown:
    ids are random, and would give the same ratings other figures in every copy of the campaign.
    """
    found = list(
        Preference.objects.filter(comparison__campaign=campaign)
        .order_by("comparison__created_at", "comparison__position", "comparison_id")
        .values_list(
            *("version", "revised_at", "comparison__pair", "comparison__annotator_id"),
            *("comparison__left_id", "comparison__left__reference_id"),
            *ALL_CRITERIA,
        )
    )
    admins = set(rating_admins(campaign))
    rows = []
    by_admins = 0
    first_left: dict[str, UUID] = {}
    for _, _, pair, annotator, left, reference, *judgements in found:
        if str(annotator) in admins:
            by_admins += 1
            continue
        sign = 1 if first_left.setdefault(pair, left) == left else -1
        answers = {
            criterion: sign * value
            for criterion, value in zip(ALL_CRITERIA, judgements, strict=True)
            if value is not None
        }
        rows.append(GivenPreference(pair, str(reference), str(annotator), answers))
    state = State.of_rows((version, at) for version, at, *_ in found)
    return GivenPreferences(tuple(rows), state, by_admins)


def preference_table(rows: Iterable[GivenPreference], criterion: str) -> Table:
    """Return the answers on one criterion: pairs by annotators; unanswered ones are gaps."""
    from patclaimeval.statistics.tables import table_of

    return table_of(
        (row.pair, row.reference, row.annotator, row.answers[criterion])
        for row in rows
        if criterion in row.answers
    )


ALONE: Final = "a repeat whose first rating does not count"
UNKNOWN_DAMAGE: Final = "a sentinel that does not say which criterion it damages"

Own = dict[tuple[str, str], RatedScores]


def score_table(rows: Iterable[RatedScores], criterion: str) -> Table:
    """Return the genuine ratings on one criterion: candidates by annotators."""
    return _table(rows, lambda row: row.scores[criterion])


def position_table(rows: Iterable[RatedScores]) -> Table:
    """Return for each genuine rating its place in its annotator's own work."""
    return _table(rows, lambda row: row.position)


def _table(rows: Iterable[RatedScores], value: Callable[[RatedScores], int]) -> Table:
    from patclaimeval.statistics.tables import table_of

    return table_of(
        (row.candidate, row.reference, row.annotator, value(row)) for row in rows if is_genuine(row)
    )


def repeated_ratings(
    campaign: Campaign, given: GivenRatings
) -> tuple[tuple[RatedScores, RatedScores], ...]:
    """Return first and second rating of each hidden repeat, by the same annotator."""
    own = _own(given)
    repeats = Candidate.objects.filter(campaign=campaign, purpose=Purpose.REPEAT)
    originals = {str(pk): str(one) for pk, one in repeats.values_list("pk", "original_id")}
    pairs = []
    for row in given.rows:
        if row.purpose != Purpose.REPEAT:
            continue
        original = originals.get(row.candidate)
        first = own.get((original, row.annotator)) if original else None
        if first is None:
            given.left_out[ALONE] += 1
        else:
            pairs.append((first, row))
    return tuple(pairs)


def repeats_of(
    pairs: Iterable[tuple[RatedScores, RatedScores]], criterion: str
) -> tuple[Repeat, ...]:
    """Return the repeats on one criterion, in its units."""
    from patclaimeval.statistics.tables import Repeat

    return tuple(
        Repeat(one.annotator, one.reference, one.scores[criterion], two.scores[criterion])
        for one, two in pairs
    )


def sentinels_of(campaign: Campaign, given: GivenRatings) -> tuple[tuple[Sentinel, ...], int]:
    """Return the sentinels that were rated, and for how many the untouched scores are assumed.

    A sentinel is the reference, damaged. Untouched, it is a candidate that equals the reference:
    where the annotator rated one, those scores count, else full marks, which the reference has
    against itself.
    """
    from patclaimeval.statistics.tables import Sentinel

    twins = _twins(campaign)
    own = _own(given)
    made = Candidate.objects.filter(campaign=campaign, purpose=Purpose.SENTINEL)
    damaged = {str(pk): damage for pk, damage in made.values_list("pk", "damage")}
    found, assumed = [], 0
    for row in given.rows:
        if row.purpose != Purpose.SENTINEL:
            continue
        criterion = damaged.get(row.candidate, {}).get("criterion")
        if criterion not in CRITERIA:
            given.left_out[UNKNOWN_DAMAGE] += 1
            continue
        twin = own.get((twins[row.reference], row.annotator)) if row.reference in twins else None
        assumed += twin is None
        untouched = _four(twin) if twin else dict.fromkeys(CRITERIA, HIGHEST)
        found.append(Sentinel(row.annotator, row.reference, criterion, untouched, _four(row)))
    return tuple(found), assumed


def _own(given: GivenRatings) -> Own:
    return {(row.candidate, row.annotator): row for row in given.rows if is_genuine(row)}


def _four(row: RatedScores) -> dict[str, int]:
    return {criterion: row.scores[criterion] for criterion in CRITERIA}


def _twins(campaign: Campaign) -> dict[str, str]:
    """Return for each reference the candidate that is its own text, where there is one."""
    rows = Candidate.objects.filter(
        campaign=campaign, purpose__in=GENUINE, claims_sha256=F("reference__claims_sha256")
    )
    return {str(reference): str(pk) for reference, pk in rows.values_list("reference_id", "pk")}
