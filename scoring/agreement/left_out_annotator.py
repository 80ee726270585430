"""Each annotator's comparisons beside those that follow from everybody else's ratings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from scoring.agreement.items import Floats, Integers


@dataclass(frozen=True, slots=True)
class Overlap:
    """Ratings of candidates, and the items (pairs of candidates) that they decide.

    m ratings: `candidate` and `annotator` number who rated what, from 0; `value` is a whole number
    (points, or numerators of the overall); each annotator rates a candidate once.
    n items: `b` and `c` number their candidates, `cluster` their references.
    `tie_band`, in units of value, >= 0: a difference of at most that is a tie.
    """

    candidate: Integers
    annotator: Integers
    value: Integers
    b: Integers
    c: Integers
    cluster: Integers
    tie_band: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Judged:
    """The k items on which one annotator can be compared.

    `items` are their places; `differences` own rating of B less that of C; `own` the label that
    follows from it, `y` the one that follows from the others' means.
    """

    items: Integers
    differences: Floats
    own: Integers
    y: Integers


def judge_everybody(overlap: Overlap) -> Iterator[Judged]:
    """Compare each annotator's items with the mean of all other ratings of their candidates.

    Input: ratings and items. Output: one Judged an annotator, in the order of their numbers; it
    holds the items both of whose candidates the annotator and somebody else rated.
    """
    size = 1 + max(
        overlap.candidate.max(initial=-1), overlap.b.max(initial=-1), overlap.c.max(initial=-1)
    )
    counts: Integers = np.bincount(overlap.candidate, minlength=size)
    totals: Integers = np.zeros(size, dtype=np.int64)
    np.add.at(totals, overlap.candidate, overlap.value)
    for person in np.unique(overlap.annotator).tolist():
        mine = overlap.annotator == person
        own: Integers = np.zeros(size, dtype=np.int64)
        has_own = np.zeros(size, dtype=bool)
        own[overlap.candidate[mine]] = overlap.value[mine]
        has_own[overlap.candidate[mine]] = True
        is_shared = has_own & (counts > 1)
        items = np.flatnonzero(is_shared[overlap.b] & is_shared[overlap.c])
        b, c = overlap.b[items], overlap.c[items]
        of_b, of_c = counts[b] - 1, counts[c] - 1
        # Means are compared as whole numbers: sum times the other's count, on a common base.
        rest = (totals[b] - own[b]) * of_c - (totals[c] - own[c]) * of_b
        difference = own[b] - own[c]
        yield Judged(
            items,
            difference.astype(np.float64),
            _signs(difference, 1, overlap.tie_band),
            _signs(rest, of_b * of_c, overlap.tie_band),
        )


def _signs(numerator: Integers, denominator: Integers | int, tie_band: Fraction) -> Integers:
    """sign(numerator / denominator), 0 where its size is at most the band; no float decides."""
    is_tie = np.abs(numerator) * tie_band.denominator <= tie_band.numerator * denominator
    return np.where(is_tie, 0, np.sign(numerator))
