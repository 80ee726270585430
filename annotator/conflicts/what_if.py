"""What other conflict rules would find: widths measured once, of which every rule is a filter.

Standard library only.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final, NamedTuple

from annotator.conflicts.rules import ConflictRules, Finding, RatedScores
from annotator.rubric import CRITERIA, TOTAL_WEIGHT

CRITERION_GAP: Final = "criterion_gap"
OVERALL_GAP: Final = "overall_gap"
ORDER_FLIP: Final = "order_flip"
KINDS: Final = (CRITERION_GAP, OVERALL_GAP, ORDER_FLIP)


class Width(NamedTuple):
    """How far annotators are apart on one criterion, on the overall, or on one pair's order.

    `reference`, `candidate`, `other_candidate` and `criterion` name the place; the other candidate
    is "" but for an order, the criterion is "" but for a criterion gap. `largest` >= 1 decides
    without a ladder, `on_ladder` (0 to `largest`) with one: the smallest distance between any two
    annotators, and for an order 0 where more than half of three or more put it one way round. In
    rating points for a criterion, in numerators over 11 else.
    """

    # A tuple, because a campaign has tens of thousands.

    kind: str
    reference: str
    candidate: str
    other_candidate: str
    criterion: str
    largest: int
    on_ladder: int

    @property
    def place(self) -> tuple[str, str, str, str]:
        """What the conflict would be on: kind, candidate, other candidate, criterion."""
        return (self.kind, self.candidate, self.other_candidate, self.criterion)


# What one annotator gave a candidate: their key, the overall numerator, the four scores.
Row = tuple[str, int, int, int, int, int]


def widths(reference: str, ratings: Sequence[RatedScores]) -> Iterator[Width]:
    """Measure the ratings of one reference once, for every rule.

    Input: the reference's name and the ratings of its candidates, at most one for each annotator
    and candidate. Output: the widths above 0; none where fewer than two annotators rated.
    """
    by_candidate: dict[str, list[Row]] = {}
    for rating in ratings:
        one, two, three, four = (rating.scores[criterion] for criterion in CRITERIA)
        row = (rating.annotator, rating.overall, one, two, three, four)
        by_candidate.setdefault(rating.candidate, []).append(row)
    return row_widths(reference, by_candidate)


def row_widths(reference: str, by_candidate: Mapping[str, Sequence[Row]]) -> Iterator[Width]:
    """Measure as `widths` does, from rows by candidate: those of a whole campaign are many."""
    for candidate, rows in by_candidate.items():
        if len(rows) > 1:
            yield from _gaps(reference, candidate, rows)
    overalls = [
        (candidate, {row[0]: row[1] for row in by_candidate[candidate]})
        for candidate in sorted(by_candidate)
    ]
    for (left, of_left), (right, of_right) in combinations(overalls, 2):
        apart = [value - of_right[who] for who, value in of_left.items() if who in of_right]
        if len(apart) > 1 and min(apart) < 0 < max(apart):
            yield Width(ORDER_FLIP, reference, left, right, "", *_flip(apart))


def _gaps(reference: str, candidate: str, rows: Sequence[Row]) -> Iterator[Width]:
    _, overalls, *columns = zip(*rows, strict=True)
    for criterion, column in zip(CRITERIA, columns, strict=True):
        values = sorted(column)
        if values[0] != values[-1]:
            yield Width(CRITERION_GAP, reference, candidate, "", criterion, *_apart(values))
    values = sorted(overalls)
    if values[0] != values[-1]:
        yield Width(OVERALL_GAP, reference, candidate, "", "", *_apart(values))


def _apart(values: Sequence[int]) -> tuple[int, int]:
    """Return the largest and the smallest distance of any two of the sorted values."""
    return values[-1] - values[0], min([two - one for one, two in pairwise(values)])


def _flip(apart: Sequence[int]) -> tuple[int, int]:
    """Return the width of the widest pair of opposite orders, and the one that a ladder leaves.

    Input: by how much each annotator puts the left candidate above the right one; both signs.
    """
    # Of two annotators in opposite order, the one that is nearer to a tie decides.
    widest = min(max(apart), -min(apart))
    most = max(sum(value > 0 for value in apart), sum(value < 0 for value in apart))
    # Two annotators in opposite order are no majority.
    return widest, 0 if 2 * most > len(apart) else widest


def found_by(rules: ConflictRules, measured: Iterable[Width]) -> list[Width]:
    """Return the widths that conflict under the rules, in the order given.

    The same places as `annotator.conflicts.rules.find_conflicts` finds on the ratings measured.
    """
    least = {
        CRITERION_GAP: rules.criterion_gap,
        OVERALL_GAP: rules.overall_gap_numerator,
        ORDER_FLIP: rules.flip_gap_numerator,
    }
    if rules.has_ladder:
        return [width for width in measured if width.on_ladder >= least[width.kind]]
    return [width for width in measured if width.largest >= least[width.kind]]


def as_findings(measured: Iterable[Width]) -> list[Finding]:
    """Return the widths as conflicts are stored: by place, with the largest gap, sorted."""
    return sorted(Finding(*width.place, width.largest) for width in measured)


@dataclass(frozen=True, slots=True)
class Caught:
    """How many conflicts a rule finds, and how many candidates and references they touch."""

    conflicts: int
    candidates: int
    references: int


def caught(found: Iterable[Width]) -> Caught:
    """Count conflicts, and the candidates and references that they touch; all 0 or more."""
    rows = list(found)
    touched = {key for row in rows for key in (row.candidate, row.other_candidate) if key}
    return Caught(len(rows), len(touched), len({row.reference for row in rows}))


def cases(found: Iterable[Width], ruled: frozenset[str] = frozenset()) -> int:
    """Return how many rulings would settle what was found, at most.

    One ruling settles every gap of its candidate; an order flip needs one more unless both of its
    candidates are ruled, or have a gap to be ruled. `ruled` names the candidates that have a
    ruling already.
    """
    rows = list(found)
    gaps = {row.candidate for row in rows if row.kind != ORDER_FLIP} - ruled
    settled = gaps | ruled
    flips = [row for row in rows if row.kind == ORDER_FLIP]
    return len(gaps) + sum(not {row.candidate, row.other_candidate} <= settled for row in flips)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What a gap of so many rating points would find, for each kind alone."""

    points: int
    criterion_gap: Caught
    overall_gap: Caught
    order_flip: Caught


def curve(measured: Sequence[Width], *, has_ladder: bool) -> list[CurvePoint]:
    """Return what each gap from 1 to 10 points would find, one kind at a time."""
    by_kind = {kind: [width for width in measured if width.kind == kind] for kind in KINDS}
    rows = []
    for points in range(1, 11):
        rules = ConflictRules(points, points * TOTAL_WEIGHT, points * TOTAL_WEIGHT, has_ladder)
        # What a wider gap finds, a narrower one has found.
        by_kind = {kind: found_by(rules, kept) for kind, kept in by_kind.items()}
        rows.append(CurvePoint(points, *(caught(by_kind[kind]) for kind in KINDS)))
    return rows
