"""When ratings conflict: criterion gap, overall gap, order flip.

Standard library only.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from math import ceil
from typing import Final

from annotator.rating_values import RatedScores, majority
from patclaimeval.rubric import CRITERIA, OVERALL, TOTAL_WEIGHT

CRITERION_GAP: Final = "criterion_gap"
OVERALL_GAP: Final = "overall_gap"
ORDER_FLIP: Final = "order_flip"

# Overall numerators (0 to 110) by candidate and annotator.
Overalls = Mapping[str, Mapping[str, int]]
Pair = tuple[str, str]


def flip_gap(left: Mapping[str, int], right: Mapping[str, int], *, has_ladder: bool) -> int:
    """Return how wide two candidates' order flip is, or 0 where there is none.

    Input: the overall numerators that annotators gave each of the two. Of two annotators in
    opposite order the one nearer to a tie decides; the gap is the largest of any two. With a ladder
    there is none where the majority of three or more put the two in one order.
    """
    apart = [value - right[who] for who, value in left.items() if who in right]
    gap = max(0, min(max(apart), -min(apart))) if apart else 0
    # Two held equal are in no order, however many find so; two opposite orders are no majority.
    is_settled = has_ladder and bool(majority([(one > 0) - (one < 0) for one in apart]))
    return 0 if is_settled else gap


def flip_gaps(overalls: Overalls, least: int, *, has_ladder: bool) -> dict[Pair, int]:
    """Return the order flips of at least `least` among all pairs of candidates, by sorted pair."""
    found = {}
    for left, right in combinations(sorted(overalls), 2):
        gap = flip_gap(overalls[left], overalls[right], has_ladder=has_ladder)
        if gap >= least:
            found[left, right] = gap
    return found


def widest_flips(
    flips: Mapping[Pair, int], ruled: Collection[str] = (), asked: Collection[str] = ()
) -> dict[Pair, int]:
    """Return each candidate's widest of the order flips: at most one for each candidate.

    Two candidates that are each other's widest share one. A candidate in any flip is in one of
    these. Two that are both `ruled` are in none. Who is not `asked` about is paired with another
    such one where there is any; of equally wide ones the first by name counts.
    """
    best: dict[str, tuple[bool, int, str]] = {}
    for pair, gap in flips.items():
        if pair[0] in ruled and pair[1] in ruled:
            continue
        for one, other in (pair, pair[::-1]):
            # The least is the best.
            rank = (one not in asked and other in asked, -gap, other)
            best[one] = min(best.get(one, rank), rank)
    pairs = {tuple(sorted((one, other))) for one, (_, _, other) in best.items()}
    return {pair: gap for pair, gap in flips.items() if pair in pairs}


@dataclass(frozen=True, slots=True)
class ConflictRules:
    """Smallest gaps that conflict: rating points for a criterion, numerators over 11 else."""

    criterion_gap: int = 3
    overall_gap_numerator: int = 22
    flip_gap_numerator: int = 11
    # A further annotator decides before an adjudicator: see `find_gaps`, `find_flips`.
    has_ladder: bool = False

    def least(self, kind: str) -> int:
        """Return the smallest gap of a kind that conflicts."""
        if kind == CRITERION_GAP:
            return self.criterion_gap
        if kind == OVERALL_GAP:
            return self.overall_gap_numerator
        return max(1, self.flip_gap_numerator)


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A conflict that the ratings show; `gap` is the largest found of its kind."""

    kind: str
    candidate: str
    other_candidate: str
    criterion: str
    gap: int


def find_gaps(ratings: Iterable[RatedScores], rules: ConflictRules) -> list[Finding]:
    """Return the criterion gaps and overall gaps that conflict under the rules."""
    return [
        Finding(kind, candidate, "", criterion, widest)
        for kind, candidate, criterion, widest, decisive in measure_gaps(
            ratings, has_ladder=rules.has_ladder
        )
        if decisive >= rules.least(kind)
    ]


def measure_gaps(
    ratings: Iterable[RatedScores], *, has_ladder: bool
) -> Iterator[tuple[str, str, str, int, int]]:
    """Yield kind, candidate, criterion, the gap, and the distance that decides about it.

    Input: ratings of one reference's candidates, at most one of each annotator and candidate.
    The largest distance of any two ratings decides, with a ladder the smallest: a candidate that
    three or more have rated conflicts then only where no two of them agree.
    """
    given: dict[str, list[RatedScores]] = {}
    for rating in ratings:
        given.setdefault(rating.candidate, []).append(rating)
    places = [(CRITERION_GAP, criterion, criterion) for criterion in CRITERIA]
    for candidate, rows in given.items():
        if len(rows) < 2:
            continue
        for kind, criterion, column in (*places, (OVERALL_GAP, "", OVERALL)):
            ordered = sorted(row.scores[column] for row in rows)
            widest = ordered[-1] - ordered[0]
            decisive = widest
            if has_ladder:
                decisive = min(two - one for one, two in pairwise(ordered))
            yield kind, candidate, criterion, widest, decisive


def find_flips(ratings: Iterable[RatedScores], rules: ConflictRules) -> dict[Pair, int]:
    """Return every order flip of one reference's candidates, by sorted pair.

    A flip is two annotators who put two candidates in opposite order, both by at least
    `flip_gap_numerator`; its gap is the smaller of the two distances. With a ladder a pair of
    candidates that three or more have rated conflicts only where no order has more than half of
    the annotators behind it.
    """
    return flip_gaps(overalls_of(ratings), rules.least(ORDER_FLIP), has_ladder=rules.has_ladder)


def overalls_of(ratings: Iterable[RatedScores]) -> dict[str, dict[str, int]]:
    """Return the overall numerators by candidate and annotator."""
    found: dict[str, dict[str, int]] = {}
    for rating in ratings:
        found.setdefault(rating.candidate, {})[rating.annotator] = rating.overall
    return found


def gap_text(numerator: int) -> str:
    """Return a gap over 11 in rating points with two decimals, rounded down.

    Input 0 to 110. The smallest numerator that is no nearer than the text gives is the same again.
    """
    hundredths = numerator * 100 // TOTAL_WEIGHT
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def least_numerator(points: Fraction) -> int:
    """Return the smallest numerator over 11 that is at least so many rating points (0 to 10)."""
    return ceil(points * TOTAL_WEIGHT)
