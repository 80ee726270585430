"""When ratings conflict: criterion gap, overall gap, order flip.

Standard library only.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import Final

from annotator.rating_values import RatedScores, majority
from annotator.rubric import CRITERIA, TOTAL_WEIGHT

# Overall numerators (0 to 110) by candidate and annotator.
Overalls = Mapping[str, Mapping[str, int]]
Pair = tuple[str, str]
_WIDEST: Final = 10 * TOTAL_WEIGHT


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


def widest_flips(
    overalls: Overalls,
    least: int,
    *,
    has_ladder: bool,
    ruled: Collection[str] = (),
    asked: Collection[str] = (),
) -> dict[Pair, int]:
    """Return each candidate's widest order flip, by sorted pair: at most one for each candidate.

    Those of at least `least` (1 to 110), as `flip_gap` measures them; two candidates that are each
    other's widest share one. A candidate in any flip is in one of these. Two that are both `ruled`
    are in none. Who is not `asked` about is paired with another such one where there is any; of
    equally wide ones the first by name counts.

    Candidates are bits of whole numbers, so that one operation looks at all partners of one
    candidate: the work grows with the candidates, and by a 64th of their square.
    """
    names = sorted(overalls)
    scales = _scales(names, overalls)
    everyone = (1 << len(names)) - 1
    unruled = everyone & ~_bits(names, ruled)
    unasked = everyone & ~_bits(names, asked)
    found: dict[Pair, int] = {}
    for name in names:
        own = [(scales[who], value) for who, value in overalls[name].items()]
        if len(own) < 2:
            continue
        partners = unruled if name in ruled else everyone
        if has_ladder:
            partners &= ~_in_order(own)
        first = partners if name in asked else partners & unasked
        gap, bit = _widest(own, first, least)
        if not gap and first != partners:
            gap, bit = _widest(own, partners, least)
        if gap:
            left, right = sorted((name, names[bit]))
            found[left, right] = gap
    return found


class _Scale:
    """One annotator's overall numerators, in order, with the candidates below and from each."""

    def __init__(self, bits: Mapping[int, int]) -> None:
        self._values = sorted(bits)
        self._below = [0]
        for value in self._values:
            self._below.append(self._below[-1] | bits[value])
        self.rated = self._below[-1]
        self._above = [self.rated ^ mask for mask in self._below]

    def below(self, value: int) -> int:
        """Return the candidates whose numerator is less."""
        return self._below[bisect_left(self._values, value)]

    def above(self, value: int) -> int:
        """Return the candidates whose numerator is as large or larger."""
        return self._above[bisect_left(self._values, value)]


def _scales(names: Sequence[str], overalls: Overalls) -> dict[str, _Scale]:
    bits: dict[str, dict[int, int]] = {}
    for place, name in enumerate(names):
        for who, value in overalls[name].items():
            of_one = bits.setdefault(who, {})
            of_one[value] = of_one.get(value, 0) | 1 << place
    return {who: _Scale(of_one) for who, of_one in bits.items()}


def _bits(names: Sequence[str], some: Collection[str]) -> int:
    return sum(1 << place for place, name in enumerate(names) if name in some) if some else 0


def _widest(own: Sequence[tuple[_Scale, int]], partners: int, least: int) -> tuple[int, int]:
    """Return the widest gap of a candidate to one of the partners with its place; 0, 0 if none."""

    def flips(gap: int) -> int:
        worse = better = 0
        for scale, value in own:
            worse |= scale.below(value - gap + 1)
            better |= scale.above(value + gap)
        return worse & better & partners

    flipped = flips(least)
    if not flipped:
        return 0, 0
    low, high = least, _WIDEST
    while low < high:
        middle = (low + high + 1) // 2
        if wider := flips(middle):
            low, flipped = middle, wider
        else:
            high = middle - 1
    return low, (flipped & -flipped).bit_length() - 1


def _in_order(own: Sequence[tuple[_Scale, int]]) -> int:
    """Return the partners that the majority of three or more put in one order with a candidate."""
    if len(own) < 3:
        return 0
    both = _at_least(scale.rated for scale, _ in own)
    worse = _at_least(scale.below(value) for scale, value in own)
    better = _at_least(scale.above(value + 1) for scale, value in own)
    found = 0
    for count in range(3, len(own) + 1):
        # Of so many annotators of both more than half are one more than half, rounded down.
        half = count // 2 + 1
        found |= both[count] & ~both[count + 1] & (worse[half] | better[half])
    return found


def _at_least(sets: Iterable[int]) -> list[int]:
    """Return at each place from 1 the candidates that are in so many of the sets, or more."""
    counts = [-1]
    for one in sets:
        counts.append(0)
        for place in range(len(counts) - 1, 0, -1):
            counts[place] |= counts[place - 1] & one
    return [*counts, 0]


@dataclass(frozen=True, slots=True)
class ConflictRules:
    """Smallest gaps that conflict: rating points for a criterion, numerators over 11 else."""

    criterion_gap: int = 3
    overall_gap_numerator: int = 22
    flip_gap_numerator: int = 11
    # A further annotator decides before an adjudicator: see `find_gaps`, `find_flips`.
    has_ladder: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A conflict that the ratings show; `gap` is the largest found of its kind."""

    kind: str
    candidate: str
    other_candidate: str
    criterion: str
    gap: int


def find_gaps(
    ratings: Sequence[RatedScores], rules: ConflictRules, about: str = ""
) -> list[Finding]:
    """Return the criterion gaps and overall gaps: those of the candidate `about`, or "" for all.

    Input: ratings of one reference's candidates, at most one of each annotator and candidate.
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

    Input 0 to 110. The smallest numerator that is no nearer than the text gives is the same again.
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
