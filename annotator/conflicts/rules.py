"""When ratings conflict: criterion gap, overall gap, order flip. Standard library only."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil

from annotator.conflicts.flips import widest_flips
from annotator.rubric import CRITERIA, TOTAL_WEIGHT


@dataclass(frozen=True, slots=True)
class ConflictRules:
    """Smallest gaps that conflict: rating points for a criterion, numerators over 11 else."""

    criterion_gap: int = 3
    overall_gap_numerator: int = 22
    flip_gap_numerator: int = 11
    # A further annotator decides before an adjudicator: see `find_conflicts`.
    has_ladder: bool = False


@dataclass(frozen=True, slots=True)
class RatedScores:
    """One annotator's scores for one candidate, with the overall numerator (0 to 110)."""

    annotator: str
    candidate: str
    scores: Mapping[str, int]
    overall: int


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A conflict that the ratings show; `gap` is the largest found of its kind."""

    kind: str
    candidate: str
    other_candidate: str
    criterion: str
    gap: int


def find_conflicts(ratings: Sequence[RatedScores], rules: ConflictRules) -> list[Finding]:
    """Return the conflicts among the ratings of one reference's candidates, sorted.

    Input: at most one rating of each annotator and candidate. See `find_gaps`, `find_flips`.
    """
    return sorted([*find_gaps(ratings, rules), *find_flips(ratings, rules)])


def find_gaps(
    ratings: Sequence[RatedScores], rules: ConflictRules, about: str = ""
) -> list[Finding]:
    """Return the criterion gaps and overall gaps: those of the candidate `about`, or "" for all.

    With a ladder a candidate that three or more have rated conflicts only where no two of them
    agree: every two are the gap or more apart.
    """
    given: dict[str, list[RatedScores]] = {}
    for rating in ratings:
        if about in ("", rating.candidate):
            given.setdefault(rating.candidate, []).append(rating)
    found = []
    for candidate, rows in given.items():
        shown = [dict(_gaps(one, two, rules)) for one, two in combinations(rows, 2)]
        for kind, criterion in {place for gaps in shown for place in gaps}:
            gaps = [of_two.get((kind, criterion), 0) for of_two in shown]
            if all(gaps) or not rules.has_ladder:
                found.append(Finding(kind, candidate, "", criterion, max(gaps)))
    return found


def find_flips(
    ratings: Sequence[RatedScores],
    rules: ConflictRules,
    ruled: Collection[str] = (),
    asked: Collection[str] = (),
) -> list[Finding]:
    """Return the order flips that stand for all: of each candidate its widest, as `widest_flips`.

    A flip is two annotators who put two candidates in opposite order, both by at least
    `flip_gap_numerator`; its gap is the smaller of the two distances. With a ladder a pair of
    candidates that three or more have rated conflicts only where no order has more than half of
    the annotators behind it.
    """
    pairs = widest_flips(
        overalls_of(ratings),
        max(1, rules.flip_gap_numerator),
        has_ladder=rules.has_ladder,
        ruled=ruled,
        asked=asked,
    )
    return [Finding("order_flip", *pair, "", gap) for pair, gap in pairs.items()]


def overalls_of(ratings: Iterable[RatedScores]) -> dict[str, dict[str, int]]:
    """Return the overall numerators by candidate and annotator."""
    found: dict[str, dict[str, int]] = {}
    for rating in ratings:
        found.setdefault(rating.candidate, {})[rating.annotator] = rating.overall
    return found


def gap_text(numerator: int) -> str:
    """Return a gap over 11 in rating points with two decimals, rounded down.

    Input 0 to 110. The smallest numerator that is no nearer than the text says is the same again.
    """
    hundredths = numerator * 100 // TOTAL_WEIGHT
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def least_numerator(points: Fraction) -> int:
    """Return the smallest numerator over 11 that is at least so many rating points (0 to 10)."""
    return ceil(points * TOTAL_WEIGHT)


def _gaps(
    one: RatedScores, two: RatedScores, rules: ConflictRules
) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield kind, criterion and width of what two ratings of one candidate differ in."""
    for criterion in CRITERIA:
        gap = abs(one.scores[criterion] - two.scores[criterion])
        if gap >= rules.criterion_gap:
            yield ("criterion_gap", criterion), gap
    gap = abs(one.overall - two.overall)
    if gap >= rules.overall_gap_numerator:
        yield ("overall_gap", ""), gap
