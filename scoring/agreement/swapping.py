"""tau-b of two scorers that change places within references, without going through the items again.

With 2R groups of items (each reference once for either scorer) a sum over pairs of items is w'Mw,
w telling which groups a scorer holds. The two scorers hold all groups between them, so their sums
differ by a number that is linear in the swaps; only what they add up to needs pairs of references.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.agreement.figures import Sample
from scoring.agreement.items import LABELS, Floats, Integers
from scoring.agreement.pair_counts import tau_b_of_counts

# Up to so many references every pair of them is counted.
MOST_PAIRED = 100
CELLS_AT_ONCE = 500_000


@dataclass(frozen=True, slots=True)
class SwapSums:
    """What the two sums of tau-b are for any swap e (R numbers, 1 = as it is, -1 = swapped).

    Axis 0 of each array: concordant minus discordant pairs, pairs untied in the differences.
    linear: 2 x R, first scorer less second is linear @ e. total: 2, and quadratic: 2 x R x R or
    2 x 1 x 1: first plus second is (total + e'Qe) / 2; of more than 100 references Q is known by
    its mean over all swaps alone, about which e'Qe then moves by less than 1 / R of the total.
    as_is: 2, the true e'Qe without a swap. untied_labels: pairs untied in y, the same for both.
    """

    linear: Floats
    total: Floats
    quadratic: Floats
    as_is: Floats
    untied_labels: float


@dataclass(frozen=True, slots=True)
class _Stack:
    """The items of both scorers in one row of 2n; `side` is 1 for the first's, else -1."""

    ranks: Integers
    parts: Floats
    clusters: Integers
    side: Floats

    def meet(self, places: Integers | slice, weights: Floats) -> Floats:
        """Each item's two sums over some weighted items. Output: 2 x 2n."""
        ranks, size = self.ranks[places], int(self.ranks.max()) + 1
        at = np.stack(
            [np.bincount(ranks, part[places] * weights, minlength=size) for part in self.parts]
        )
        total = at.sum(axis=1, keepdims=True)
        below = (2 * np.cumsum(at, axis=1) - at - total)[:, self.ranks]
        _, y, t = self.parts
        # With three levels, sign(y_i - y_k) = (y_i t_k - y_k t_i) / 2 where t = 2 - y squared.
        return np.stack([(y * below[2] - t * below[1]) / 2, total[0] - at[0, self.ranks]])

    def by_reference(self, sums: Floats, count: int) -> Floats:
        """First scorer's items less the other's. Output: 2 x R."""
        return np.stack([np.bincount(self.clusters, self.side * row, count) for row in sums])


def swap_sums(sample: Sample, first: Floats, second: Floats) -> SwapSums:
    """Count pairs of items for two scorers, ready for any swap of references.

    Input: the sample of n items; n numbers of the first and n of the second scorer, on one scale.
    Time grows with n log n, and with n R up to 100 references.
    """
    count = sample.cluster_count
    stack = _stack(sample, np.concatenate([first, second]))
    everybody = stack.meet(slice(None), np.ones(len(stack.side)))
    sides = stack.meet(slice(None), stack.side)
    levels = np.bincount(sample.y + 1, minlength=len(LABELS)).astype(np.float64)
    return SwapSums(
        linear=stack.by_reference(everybody, count),
        total=everybody.sum(axis=1),
        quadratic=_pairs(stack, count) if count <= MOST_PAIRED else _mean(stack),
        as_is=sides @ stack.side,
        untied_labels=float(len(sample.y) ** 2 - levels @ levels),
    )


def swapped_tau_b(sums: SwapSums, swaps: NDArray[np.int8]) -> tuple[Floats, Floats]:
    """tau-b of both scorers for P swaps.

    Input: the sums; a P x R array of 0 and 1, 1 where the scorers change places in a reference.
    Output: twice P numbers in [-1, 1], NaN = undefined: of the first and of the second scorer.
    """
    step = max(1, CELLS_AT_ONCE // swaps.shape[1])
    blocks = [
        _tau_b_of_signs(sums, 1 - 2 * swaps[start : start + step].astype(np.float64))
        for start in range(0, len(swaps), step)
    ]
    one, other = np.concatenate(blocks, axis=1)
    return one, other


def _stack(sample: Sample, numbers: Floats) -> _Stack:
    y = np.tile(sample.y, 2).astype(np.float64)
    _, ranks = np.unique(numbers, return_inverse=True)
    side = np.repeat([1.0, -1.0], len(sample.y))
    return _Stack(
        ranks, np.stack([np.ones_like(y), y, 2 - y**2]), np.tile(sample.clusters, 2), side
    )


def _pairs(stack: _Stack, count: int) -> Floats:
    """The sums over the items of every two references. Output: 2 x R x R."""
    found = np.empty((2, count, count))
    for reference in range(count):
        places = np.flatnonzero(stack.clusters == reference)
        found[:, :, reference] = stack.by_reference(stack.meet(places, stack.side[places]), count)
    return found


def _mean(stack: _Stack) -> Floats:
    """The mean of e'Qe over all swaps: the sums over pairs within references. Output: 2 x 1 x 1.

    Ranked by reference first, pairs of two references cancel: the sides have the same labels there.
    """
    keys = stack.clusters * (int(stack.ranks.max()) + 1) + stack.ranks
    _, ranks = np.unique(keys, return_inverse=True)
    inside = _Stack(ranks, stack.parts, stack.clusters, stack.side)
    return (inside.meet(slice(None), stack.side) @ stack.side).reshape(2, 1, 1)


def _tau_b_of_signs(sums: SwapSums, signs: Floats) -> Floats:
    difference = signs @ sums.linear.T
    if sums.quadratic.shape[1] == 1:
        is_as_is = np.abs(signs.sum(axis=1)) == signs.shape[1]
        square = np.where(is_as_is[:, None], sums.as_is, sums.quadratic[:, 0, 0])
    else:
        square = np.stack([((signs @ q) * signs).sum(axis=1) for q in sums.quadratic], axis=1)
    both = (sums.total + square) / 2
    labels = np.full(len(signs), sums.untied_labels)
    halves = ((both + difference) / 2, (both - difference) / 2)
    return np.stack(
        [tau_b_of_counts(np.stack([half[:, 0], half[:, 1], labels])) for half in halves]
    )
