"""Permutation test by reference: could a difference in tau-b come from swapping two scorers?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.agreement.figures import Sample
from scoring.agreement.items import Floats
from scoring.agreement.swapping import swap_sums, swapped_tau_b

PERMUTATIONS: Final = 9_999
# Swaps times references, so that they take little memory; fewer references are not touched by it.
MOST_CELLS: Final = 50_000_000
# How far the smallest p must lie below alpha / tests for Holm to be able to find anything.
ROOM_FOR_HOLM: Final = 40
ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Swaps:
    """P ways to swap two scorers, a P x R array of 0 and 1; exact: each possible way once."""

    by_reference: NDArray[np.int8]
    is_exact: bool

    @property
    def count(self) -> int:
        return len(self.by_reference)

    @property
    def smallest_p(self) -> float:
        """No difference can get a smaller p: the way back of each swap is as far from 0."""
        return 2 / self.count if self.is_exact else 1 / (self.count + 1)


def draw_swaps(sample: Sample, tests: int, seed: int) -> Swaps:
    """Draw the swaps that all tests of a report share.

    Input: the sample; the number of tests in the largest family; a whole seed >= 0.
    Output: every way once where there are at most 9,999, else 9,999 drawn ways, each reference
    swapped with probability 1/2; fewer above 5,000 references (50,000,000 / R), but at least 40 a
    test of the family, so that Holm's correction can still find a difference.
    """
    references = sample.cluster_count
    if references < PERMUTATIONS.bit_length():
        ways = np.arange(2**references)[:, None] >> np.arange(references)
        return Swaps((ways & 1).astype(np.int8), True)
    affordable = min(PERMUTATIONS, MOST_CELLS // references)
    count = max(affordable, ROOM_FOR_HOLM * tests)
    random = np.random.default_rng([seed, references])
    return Swaps(random.integers(2, size=(count, references), dtype=np.int8), False)


def permutation_p(sample: Sample, first: Floats, second: Floats, swaps: Swaps) -> float:
    """Two-sided p-value of the difference in tau-b between two scorers of the same items.

    Input: the sample; n finite differences score(B) - score(C) of either scorer; the swaps.
    Output: a number in (0, 1], NaN where a tau-b is undefined.
    Formula: the scorers' differences are turned to signed ranks, which leaves each tau-b as it is
    and makes the scales alike; within each swapped reference the scorers change places. p is the
    share of swaps whose |difference in tau-b| is at least the observed one, or, for drawn swaps,
    (k + 1) / (P + 1). A swap that leaves a tau-b undefined counts as at least as far.
    Source: Fisher, 1935; blocks as units of exchange: Good, 2005; + 1: Phipson and Smyth, 2010.
    """
    as_is = np.zeros((1, sample.cluster_count), dtype=np.int8)
    sums = swap_sums(sample, signed_ranks(first), signed_ranks(second))
    one, other = swapped_tau_b(sums, np.vstack([as_is, swaps.by_reference]))
    found = np.abs(one - other)
    observed = found[0]
    if np.isnan(observed):
        return float("nan")
    nearer = np.count_nonzero(found[1:] < observed - ROUNDING)
    as_far = swaps.count - nearer
    return as_far / swaps.count if swaps.is_exact else (as_far + 1) / (swaps.count + 1)


def signed_ranks(differences: Floats) -> Floats:
    """sign(d) x rank of |d|, ties sharing their mean rank. Input, output: n numbers; order kept."""
    from scipy.stats import rankdata

    return np.asarray(np.sign(differences) * rankdata(np.abs(differences)), dtype=np.float64)
