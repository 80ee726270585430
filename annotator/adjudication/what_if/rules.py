"""What other conflict rules would find: widths measured once, of which every rule is a filter.

Standard library only.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from annotator.conflicts.rules import ConflictRules, apart, flip_gaps, widest_flips
from annotator.rubric import CRITERIA, TOTAL_WEIGHT

CRITERION_GAP: Final = "criterion_gap"
OVERALL_GAP: Final = "overall_gap"
ORDER_FLIP: Final = "order_flip"
KINDS: Final = (CRITERION_GAP, OVERALL_GAP, ORDER_FLIP)


class Width(NamedTuple):
    """How far annotators are apart on one criterion, on the overall, or on one pair's order.

    `reference`, `candidate`, `other_candidate` and `criterion` name the place; the other candidate
    is "" but for an order, the criterion is "" but for a criterion gap. `largest` decides without a
    ladder, `on_ladder` with one: for a gap the smallest distance between any two annotators. For an
    order either is 0 where this pair is not the widest flip of one of its candidates, without a
    ladder or with one. In rating points for a criterion, in numerators over 11 else.
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


def row_widths(reference: str, by_candidate: Mapping[str, Sequence[Row]]) -> Iterator[Width]:
    """Measure the ratings of one reference once, for every rule.

    Input: the reference's name; by candidate the rows of its annotators, at most one of each: plain
    tuples, because those of a whole campaign are many. Output: the widths above 0; none where
    fewer than two annotators rated.
    """
    for candidate, rows in by_candidate.items():
        if len(rows) > 1:
            yield from _gaps(reference, candidate, rows)
    overalls = {name: {row[0]: row[1] for row in rows} for name, rows in by_candidate.items()}
    plain, on_ladder = (
        widest_flips(flip_gaps(overalls, 1, has_ladder=has_ladder)) for has_ladder in (False, True)
    )
    for pair in sorted(plain.keys() | on_ladder):
        gaps = plain.get(pair, 0), on_ladder.get(pair, 0)
        yield Width(ORDER_FLIP, reference, *pair, "", *gaps)


def _gaps(reference: str, candidate: str, rows: Sequence[Row]) -> Iterator[Width]:
    _, overalls, *columns = zip(*rows, strict=True)
    places = [(CRITERION_GAP, criterion) for criterion in CRITERIA] + [(OVERALL_GAP, "")]
    for (kind, criterion), values in zip(places, [*columns, overalls], strict=True):
        widest, least = apart(values)
        if widest:
            yield Width(kind, reference, candidate, "", criterion, widest, least)


def found_by(rules: ConflictRules, measured: Iterable[Width]) -> list[Width]:
    """Return the widths that conflict under the rules, in the order given.

    The same places as `find_gaps` and `find_flips` of annotator.conflicts.rules find.
    """
    least = {
        CRITERION_GAP: rules.criterion_gap,
        OVERALL_GAP: rules.overall_gap_numerator,
        ORDER_FLIP: max(1, rules.flip_gap_numerator),
    }
    if rules.has_ladder:
        return [width for width in measured if width.on_ladder >= least[width.kind]]
    return [width for width in measured if width.largest >= least[width.kind]]


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

    One ruling settles every gap of its candidate. The candidates that are in flips only need one
    each at most; where none in a flip of a reference has a gap or a ruling, the first ruling there
    settles two; and no more than one for each of their pairs. `ruled` names the candidates that
    have a ruling already.
    """
    rows = list(found)
    gaps = {row.candidate for row in rows if row.kind != ORDER_FLIP} - ruled
    done = gaps | ruled
    flips: dict[str, list[set[str]]] = {}
    for row in rows:
        if row.kind == ORDER_FLIP:
            flips.setdefault(row.reference, []).append({row.candidate, row.other_candidate})
    return len(gaps) + sum(_of_flips(pairs, done) for pairs in flips.values())


def _of_flips(pairs: Sequence[set[str]], done: Collection[str]) -> int:
    touched = set[str]().union(*pairs)
    alone = touched.difference(done)
    return min(len(alone) - (alone == touched), sum(not pair.issubset(done) for pair in pairs))


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
        by_kind = {kind: found_by(rules, found) for kind, found in by_kind.items()}
        rows.append(CurvePoint(points, *(caught(by_kind[kind]) for kind in KINDS)))
    return rows
