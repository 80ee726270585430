"""Concordant, discordant and tied pairs of items, summed by reference for weighted tau-b."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.agreement.items import Floats, Integers
from scoring.agreement.tables import divide

CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Sums over ordered pairs of items (i, k), with x the score differences and y the labels.

    Axis 0 of each array: concordant minus discordant, sum of sign(x_i - x_k) sign(y_i - y_k);
    pairs untied in x; pairs untied in y. tau-b of any weighting is then the first divided by the
    root of the product of the others, since an item drawn twice is tied with itself in both.
    by_cluster: 3 x R x R, summed over the pairs of two references.
    by_item: 3 x n, summed over all partners of an item.
    """

    by_cluster: Floats
    by_item: Floats


def count_pairs(
    differences: Floats, y: Integers, clusters: Integers, cluster_count: int
) -> PairCounts:
    """Count the pairs of n items in R references, a block of rows at a time.

    Input: n finite differences, n labels, n cluster numbers in 0..R-1, and R.
    Output: exact counts (whole numbers held as floats). Time grows with n squared.
    """
    n = len(differences)
    by_cluster = np.zeros((3, cluster_count, cluster_count))
    by_item = np.zeros((3, n))
    order = np.argsort(clusters, kind="stable")
    x, labels, groups = differences[order], y[order].astype(np.float64), clusters[order]
    starts = np.searchsorted(groups, np.arange(cluster_count))
    step = max(1, CELLS_AT_ONCE // max(1, n))
    for first in range(0, n, step):
        rows = slice(first, min(n, first + step))
        sign_x = np.sign(x[rows, None] - x[None, :])
        sign_y = np.sign(labels[rows, None] - labels[None, :])
        for index, signs in enumerate((sign_x * sign_y, np.abs(sign_x), np.abs(sign_y))):
            by_partner_cluster = np.add.reduceat(signs, starts, axis=1)
            np.add.at(by_cluster[index], groups[rows], by_partner_cluster)
            by_item[index, order[rows]] = by_partner_cluster.sum(axis=1)
    return PairCounts(by_cluster=by_cluster, by_item=by_item)


def tau_b_of_counts(counts: Floats) -> Floats:
    """Turn pair counts into tau-b. Input: 3 x ... counts. Output: ... numbers, NaN = undefined."""
    root = np.sqrt(counts[1] * counts[2])
    return np.clip(divide(counts[0], root), -1.0, 1.0)


def weighted_tau_b(pairs: PairCounts, weights: Floats) -> Floats:
    """tau-b of W resamples in which reference r is drawn weights[w, r] times.

    Input: the pair counts and a W x R array of whole numbers >= 0.
    Output: W numbers in [-1, 1], NaN where undefined. Formula: w' M w for each of the three sums.
    """
    counts = np.stack([((weights @ matrix) * weights).sum(axis=1) for matrix in pairs.by_cluster])
    return tau_b_of_counts(counts)


def leave_one_reference_out(pairs: PairCounts) -> Floats:
    """tau-b without each reference in turn. Output: R numbers in [-1, 1], NaN = undefined."""
    matrices = pairs.by_cluster
    totals = matrices.sum(axis=(1, 2))[:, None]
    # A pair of the left-out reference with another one stands in its row and in its column.
    left_out = 2 * matrices.sum(axis=2) - np.diagonal(matrices, axis1=1, axis2=2)
    return tau_b_of_counts(totals - left_out)


def leave_one_item_out(pairs: PairCounts) -> Floats:
    """tau-b without each item in turn. Output: n numbers in [-1, 1], NaN = undefined."""
    totals = pairs.by_item.sum(axis=1)[:, None]
    return tau_b_of_counts(totals - 2 * pairs.by_item)
