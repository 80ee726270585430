"""What other conflict rules would find: gaps measured once, of which every rule is a filter.

Standard library only.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from annotator.conflicts.rules import (
    CRITERION_GAP,
    ORDER_FLIP,
    OVERALL_GAP,
    ConflictRules,
    Finding,
    flip_gaps,
    measure_gaps,
    overalls_of,
    widest_flips,
)
from annotator.rating_values import RatedScores
from patclaimeval.rubric import TOTAL_WEIGHT

KINDS: Final = (CRITERION_GAP, OVERALL_GAP, ORDER_FLIP)


class Width(NamedTuple):
    """A gap or order flip of a reference, and the distance that decides whether it conflicts."""

    reference: str
    decisive: int
    finding: Finding


def widths(reference: str, ratings: Sequence[RatedScores], *, has_ladder: bool) -> Iterator[Width]:
    """Measure the ratings of one reference once, for every rule with or without a ladder."""
    gaps = measure_gaps(ratings, has_ladder=has_ladder)
    for kind, candidate, criterion, widest, decisive in gaps:
        if decisive:
            yield Width(reference, decisive, Finding(kind, candidate, "", criterion, widest))
    flips = widest_flips(flip_gaps(overalls_of(ratings), 1, has_ladder=has_ladder))
    for pair, gap in flips.items():
        yield Width(reference, gap, Finding(ORDER_FLIP, *pair, "", gap))


def found_by(rules: ConflictRules, measured: Iterable[Width]) -> list[Width]:
    """Return the widths, measured with the rules' ladder, that conflict under the rules."""
    return [width for width in measured if width.decisive >= rules.least(width.finding.kind)]


@dataclass(frozen=True, slots=True)
class Caught:
    """How many conflicts a rule finds, and how many candidates and references they touch."""

    conflicts: int
    candidates: int
    references: int


def caught(found: Iterable[Width]) -> Caught:
    """Count conflicts, and the candidates and references that they touch; all 0 or more."""
    rows = list(found)
    return Caught(len(rows), len(touched(rows)), len({row.reference for row in rows}))


def touched(found: Iterable[Width]) -> set[str]:
    """Return the candidates that conflicts are about."""
    findings = [row.finding for row in found]
    return {key for one in findings for key in (one.candidate, one.other_candidate) if key}


def cases(found: Iterable[Width], ruled: frozenset[str] = frozenset()) -> int:
    """Return how many rulings would settle what was found, at most.

    One ruling settles every gap of its candidate. The candidates that are in flips only need one
    each at most; where none in a flip of a reference has a gap or a ruling, the first ruling there
    settles two; and no more than one for each of their pairs. `ruled` names the candidates that
    have a ruling already.
    """
    rows = list(found)
    gaps = {row.finding.candidate for row in rows if row.finding.kind != ORDER_FLIP} - ruled
    done = gaps | ruled
    flips: dict[str, list[set[str]]] = {}
    for row in rows:
        if row.finding.kind == ORDER_FLIP:
            flips.setdefault(row.reference, []).append(touched([row]))
    return len(gaps) + sum(_of_flips(pairs, done) for pairs in flips.values())


def _of_flips(pairs: Sequence[set[str]], done: Collection[str]) -> int:
    every = set[str]().union(*pairs)
    alone = every.difference(done)
    return min(len(alone) - (alone == every), sum(not pair.issubset(done) for pair in pairs))


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What a gap of so many rating points would find, for each kind alone."""

    points: int
    criterion_gap: Caught
    overall_gap: Caught
    order_flip: Caught


def curve(measured: Sequence[Width], *, has_ladder: bool) -> list[CurvePoint]:
    """Return what each gap from 1 to 10 points would find, one kind at a time."""
    by_kind = {kind: [width for width in measured if width.finding.kind == kind] for kind in KINDS}
    rows = []
    for points in range(1, 11):
        rules = ConflictRules(points, points * TOTAL_WEIGHT, points * TOTAL_WEIGHT, has_ladder)
        # What a wider gap finds, a narrower one has found.
        by_kind = {kind: found_by(rules, found) for kind, found in by_kind.items()}
        rows.append(CurvePoint(points, *(caught(by_kind[kind]) for kind in KINDS)))
    return rows
