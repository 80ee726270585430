"""Concordant, discordant and tied pairs of items, counted by sorting, for weighted tau-b."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scoring.agreement import resampling
from scoring.agreement.items import LABELS, Floats, Integers
from scoring.agreement.resampling import blocks
from scoring.agreement.tables import divide, sum_by_cluster

# Of each label -1, 0, 1: how many items it stands for, its y, and its t = 2 - y squared.
LABEL_SUMS = np.array([[1.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [1.0, 2.0, 1.0]])

# Some entries that follow one another: their references, their sums, the starts among them.
Piece = tuple[Integers, Floats, Integers]


@dataclass(frozen=True, slots=True)
class PairCounts:
    """n items sorted by difference, so that sums over pairs of them are running sums.

    Three sums over ordered pairs of items (i, k) make tau-b, with x the differences and y the
    labels: concordant minus discordant, sum of sign(x_i - x_k) sign(y_i - y_k); pairs untied in
    x; pairs untied in y. An item drawn twice is tied with itself in both, so that the first
    divided by the root of the product of the others is tau-b of any weighting. Labels have three
    levels, where sign(y_i - y_k) = (y_i t_k - y_k t_i) / 2 with t = 2 - y squared: the first sum
    needs nothing but the sums of y and of t below each difference.

    Items of one difference and one reference stand as one of m entries, sorted by difference.
    entry_clusters: m reference numbers; entry_sums: 3 x m, the items, their y and their t;
    entry_ranks: m, the place of the difference among the G distinct ones; starts: the first entry
    of each of the G; item_ranks, y: n, as the items were given; labels: R x 3 counts of y.
    """

    entry_clusters: Integers
    entry_sums: Floats
    entry_ranks: Integers
    starts: Integers
    item_ranks: Integers
    y: Integers
    labels: Floats


def count_pairs(
    differences: Floats, y: Integers, clusters: Integers, cluster_count: int
) -> PairCounts:
    """Sort n items of R references for what follows. Time grows with n log n.

    Input: n finite differences, n labels, n cluster numbers in 0..R-1, and R.
    Output: see PairCounts. All that follows is exact up to 30 million items.
    """
    order = np.lexsort((clusters, differences))
    x, groups, sorted_y = differences[order], clusters[order], y[order]
    is_new_rank = _begins(x)
    first = np.flatnonzero(is_new_rank | _begins(groups))
    sums = np.zeros((3, len(first)))
    if len(first):
        np.add.reduceat(LABEL_SUMS[:, sorted_y + 1], first, axis=1, out=sums)
    ranks = np.cumsum(is_new_rank) - 1
    item_ranks = np.empty_like(ranks)
    item_ranks[order] = ranks
    levels = len(LABELS)
    labels = np.bincount(clusters * levels + y + 1, minlength=cluster_count * levels)
    return PairCounts(
        entry_clusters=groups[first],
        entry_sums=sums,
        entry_ranks=ranks[first],
        starts=np.flatnonzero(is_new_rank[first]),
        item_ranks=item_ranks,
        y=y,
        labels=labels.reshape(cluster_count, levels).astype(np.float64),
    )


def tau_b_of_counts(counts: Floats) -> Floats:
    """Turn the three sums into tau-b. Input: 3 x ... sums. Output: ... numbers, NaN = undefined."""
    root = np.sqrt(counts[1] * counts[2])
    return np.clip(divide(counts[0], root), -1.0, 1.0)


def weighted_tau_b(pairs: PairCounts, weights: NDArray[np.floating | np.integer]) -> Floats:
    """tau-b of W resamples in which reference r is drawn weights[w, r] times.

    Input: the pair counts and a W x R array of whole numbers >= 0.
    Output: W numbers in [-1, 1], NaN where undefined. Time grows with W n.
    """
    values = np.empty(len(weights))
    pieces = _pieces(pairs)
    longest = max((len(clusters) for clusters, _, _ in pieces), default=0)
    for rows in blocks(len(weights), longest):
        block = weights[rows].astype(np.float64)
        values[rows] = tau_b_of_counts(_weighted_sums(pairs, block, pieces))
    return values


def leave_one_reference_out(pairs: PairCounts) -> Floats:
    """tau-b without each reference in turn. Output: R numbers in [-1, 1], NaN = undefined."""
    left_out = 2 * _sums_with_all(pairs) - _sums_within(pairs)
    return tau_b_of_counts(_totals(pairs) - left_out)


def leave_one_item_out(pairs: PairCounts) -> Floats:
    """tau-b without each item in turn. Output: n numbers in [-1, 1], NaN = undefined."""
    n, below_y, below_t = _balances(pairs)[:, pairs.item_ranks]
    _, y, t = LABEL_SUMS[:, pairs.y + 1]
    partners = np.stack(
        [
            (y * below_t - t * below_y) / 2,
            n,
            (len(pairs.y) - pairs.labels.sum(axis=0))[pairs.y + 1],
        ]
    )
    return tau_b_of_counts(_totals(pairs) - 2 * partners)


def _begins(values: Floats | Integers) -> NDArray[np.bool_]:
    """Where a value differs from the one before it; the first one does."""
    differs = np.ones(len(values), dtype=bool)
    differs[1:] = values[1:] != values[:-1]
    return differs


def _totals(pairs: PairCounts) -> Floats:
    """The three sums over all pairs. Output: 3 x 1."""
    return _weighted_sums(pairs, np.ones((1, len(pairs.labels))), _pieces(pairs))


def _pieces(pairs: PairCounts) -> list[Piece]:
    """Divide the entries into pieces that fit the cache; a difference is never divided."""
    m = len(pairs.entry_clusters)
    wished = np.arange(0, m, resampling.CELLS_AT_ONCE)
    first = np.unique(pairs.entry_ranks[wished])
    bounds = [*pairs.starts[first].tolist(), m]
    ranks = [*first.tolist(), len(pairs.starts)]
    return [
        (
            pairs.entry_clusters[start:stop],
            pairs.entry_sums[:, start:stop],
            pairs.starts[rank:next_rank] - start,
        )
        for (start, stop), (rank, next_rank) in zip(pairwise(bounds), pairwise(ranks), strict=True)
    ]


def _weighted_sums(pairs: PairCounts, weights: Floats, pieces: Sequence[Piece]) -> Floats:
    """The three sums for B weightings of references. Output: 3 x B whole numbers.

    Formula of the first: the sum over distinct differences of Y (2 T' - T), less the product of
    the sums of y and of t, where Y and T are the sums of y and t at a difference and T' the sum
    of t up to it.
    """
    labels = weights @ pairs.labels
    n, total_y, total_t = LABEL_SUMS @ labels.T
    concordant = -total_y * total_t
    untied = n**2
    up_to_t = np.zeros(len(weights))
    for clusters, sums, starts in pieces:
        drawn = weights.take(clusters, axis=1)
        at_n, at_y, at_t = (_at_differences(drawn * part, starts) for part in sums)
        through_t = np.cumsum(at_t, axis=1)
        through_t += up_to_t[:, None]
        concordant += 2 * _row_products(at_y, through_t) - _row_products(at_y, at_t)
        untied -= _row_products(at_n, at_n)
        up_to_t = through_t[:, -1]
    return np.stack([concordant, untied, n**2 - _row_products(labels, labels)])


def _at_differences(entries: Floats, starts: Integers) -> Floats:
    """Add up B x m entries by difference, of which each begins at a start. Output: B x G."""
    if len(starts) == entries.shape[1]:
        return entries
    return np.add.reduceat(entries, starts, axis=1)


def _row_products(left: Floats, right: Floats) -> Floats:
    return np.einsum("ij,ij->i", left, right)


def _balances(pairs: PairCounts) -> Floats:
    """Of the items, y and t: items elsewhere, then sums below less sums above each difference.

    Output: 3 x G.
    """
    at = _at_differences(pairs.entry_sums, pairs.starts)
    through = np.cumsum(at, axis=1)
    total = at.sum(axis=1, keepdims=True)
    balances = 2 * through - at - total
    balances[0] = total[0] - at[0]
    return balances


def _sums_with_all(pairs: PairCounts) -> Floats:
    """The three sums over the pairs of each reference's items with all items. Output: 3 x R."""
    count, y, t = pairs.entry_sums
    n, below_y, below_t = _balances(pairs)[:, pairs.entry_ranks]
    return np.stack(
        [
            _by_cluster(pairs, y * below_t - t * below_y) / 2,
            _by_cluster(pairs, count * n),
            pairs.labels @ (len(pairs.y) - pairs.labels.sum(axis=0)),
        ]
    )


def _sums_within(pairs: PairCounts) -> Floats:
    """The three sums over the pairs within each reference. Output: 3 x R."""
    labels = pairs.labels
    n, total_y, total_t = LABEL_SUMS @ labels.T
    count, y, t = pairs.entry_sums
    # By reference, then by difference: running sums begin anew where a reference begins.
    order = np.argsort(pairs.entry_clusters, kind="stable")
    through = np.empty(len(order))
    through[order] = np.cumsum(t[order])
    through -= (np.cumsum(total_t) - total_t)[pairs.entry_clusters]
    return np.stack(
        [
            _by_cluster(pairs, y * (2 * through - t)) - total_y * total_t,
            n**2 - _by_cluster(pairs, count**2),
            n**2 - _row_products(labels, labels),
        ]
    )


def _by_cluster(pairs: PairCounts, entries: Floats) -> Floats:
    return sum_by_cluster(entries, pairs.entry_clusters, len(pairs.labels))
