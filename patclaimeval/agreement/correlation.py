"""Correlations between a scorer and people: tau-b twice, the paper's tau, Spearman, Pearson."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from patclaimeval.agreement.classification import (
    LEVELS,
    Statistic,
    confusion,
    label_array,
    order_reason,
    order_reason_of,
    statistic,
)
from patclaimeval.agreement.items import LABELS, AgreementError, Floats, Integers, Labels
from patclaimeval.statistics.coefficients import tau_b_of_counts
from patclaimeval.statistics.resampling import blocks, divide

# Where less than this is left of a sum of squares, the rest is summed anew: a difference of two
# sums that are nearly equal leaves too few digits.
DOMINATED = 1e-5


@dataclass(frozen=True, slots=True)
class Moments:
    """k units (references, or single items) with their counts, means and sums of products.

    n: k; means: 2 x k, of the differences and of the labels; products: 3 x k, the sums of squared
    deviations of both from the unit's own means, and of the product of these deviations.
    """

    n: Floats
    means: Floats
    products: Floats


def cluster_moments(
    differences: Floats, y: Floats | Integers, clusters: Integers, cluster_count: int
) -> Moments:
    """Sum up n items of R references.

    Input: n finite differences, n labels, n cluster numbers in 0..R-1, and R. Output: R units.
    Differences are divided by the largest one, which changes no correlation and no square then
    overflows.
    """
    both = _scaled(differences, y)
    n = np.bincount(clusters, minlength=cluster_count).astype(np.float64)
    means = np.stack([sum_by_cluster(side, clusters, cluster_count) for side in both])
    means /= np.maximum(n, 1)
    x, labels = both - means[:, clusters]
    products = [
        sum_by_cluster(product, clusters, cluster_count)
        for product in (x * x, labels * labels, x * labels)
    ]
    return Moments(n, means, np.stack(products))


def item_moments(differences: Floats, y: Integers) -> Moments:
    """Take each of n items as a unit. Input: n finite differences, n labels. Output: n units."""
    n = len(differences)
    return Moments(np.ones(n), _scaled(differences, y), np.zeros((3, n)))


def weighted_pearson(moments: Moments, weights: NDArray[np.floating | np.integer]) -> Floats:
    """Pearson's r of W resamples in which unit k is drawn weights[w, k] times.

    Input: k units and a W x k array of whole numbers >= 0.
    Output: W numbers in [-1, 1]; NaN where a side has no spread. A side whose numbers are equal
    may still have a spread of rounding: tau-b, which counts, is undefined then for certain.
    Formula: the covariance over the product of the standard deviations (Pearson, 1895), summed as
    by Chan, Golub and LeVeque, 1983: products within units, plus those of their means.
    """
    values = np.empty(len(weights))
    for rows in blocks(len(weights), len(moments.n)):
        block = weights[rows].astype(np.float64)
        values[rows] = _pearson(_merged(moments, block))
    return values


def leave_one_out(moments: Moments) -> Floats:
    """Pearson's r without each unit in turn. Output: k numbers in [-1, 1], NaN = undefined."""
    total = _merged(moments, np.ones((1, len(moments.n))))
    everything = moments.n.sum()
    mean = divide(moments.means @ moments.n, np.array(everything))[:, None]
    x, y = moments.means - mean
    share = divide(everything * moments.n, everything - moments.n)
    left = total - moments.products - share * np.stack([x * x, y * y, x * y])
    values = _pearson(left)
    is_dominated = (left[:2] < DOMINATED * total[:2]).any(axis=0) & (total[:2] > 0).all()
    for unit in np.flatnonzero(is_dominated).tolist():
        others = np.ones((1, len(moments.n)))
        others[0, unit] = 0.0
        values[unit] = weighted_pearson(moments, others)[0]
    return values


def sum_by_cluster(values: Floats, clusters: Integers, cluster_count: int) -> Floats:
    """Add up n numbers by cluster. Input: n cluster numbers in 0..R-1, and R. Output: R sums."""
    return np.bincount(clusters, values, minlength=cluster_count).astype(np.float64, copy=False)


def _scaled(differences: Floats, y: Floats | Integers) -> Floats:
    largest = np.abs(differences).max(initial=0.0)
    return np.stack([differences / (largest or 1.0), y.astype(np.float64)])


def _merged(moments: Moments, weights: Floats) -> Floats:
    """Sums of products for B weightings of k units. Output: 3 x B."""
    n = weights * moments.n
    mean = divide(moments.means @ n.T, n.sum(axis=1))
    x, y = (units - of_all[:, None] for units, of_all in zip(moments.means, mean, strict=True))
    between = [np.einsum("ij,ij,ij->i", n, left, right) for left, right in ((x, x), (y, y), (x, y))]
    return moments.products @ weights.T + np.stack(between)


def _pearson(products: Floats) -> Floats:
    """Turn 3 x ... sums of products into r. Output: ... numbers in [-1, 1] or NaN."""
    x, y, both = products
    root = np.sqrt(np.maximum(x, 0.0)) * np.sqrt(np.maximum(y, 0.0))
    return np.clip(divide(both, root), -1.0, 1.0)


# Of each label -1, 0, 1: how many items it stands for, its y, and its t = 2 - y squared.
LABEL_SUMS = np.array([[1.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [1.0, 2.0, 1.0]])


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
    Output: see PairCounts.
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


def weighted_tau_b(pairs: PairCounts, weights: NDArray[np.floating | np.integer]) -> Floats:
    """tau-b of W resamples in which reference r is drawn weights[w, r] times.

    Input: the pair counts and a W x R array of whole numbers >= 0.
    Output: W numbers in [-1, 1], NaN where undefined. Time grows with W n.
    """
    values = np.empty(len(weights))
    for rows in blocks(len(weights), len(pairs.entry_clusters)):
        block = weights[rows].astype(np.float64)
        values[rows] = tau_b_of_counts(_weighted_sums(pairs, block))
    return values


def leave_one_reference_out(pairs: PairCounts) -> Floats:
    """tau-b without each reference in turn. Output: R numbers in [-1, 1], NaN = undefined."""
    left_out = 2 * _sums_with_all(pairs) - _sums_within(pairs)
    return tau_b_of_counts(_totals(pairs) - left_out)


def leave_one_item_out(pairs: PairCounts) -> Floats:
    """tau-b without each item in turn. Output: n numbers in [-1, 1], NaN = undefined."""
    n, below_y, below_t = balances(_at_ranks(pairs))[:, pairs.item_ranks]
    _, y, t = LABEL_SUMS[:, pairs.y + 1]
    partners = np.stack(
        [(y * below_t - t * below_y) / 2, n, (len(pairs.y) - pairs.labels.sum(axis=0))[pairs.y + 1]]
    )
    return tau_b_of_counts(_totals(pairs) - 2 * partners)


def _begins(values: Floats | Integers) -> NDArray[np.bool_]:
    """Where a value differs from the one before it; the first one does."""
    differs = np.ones(len(values), dtype=bool)
    differs[1:] = values[1:] != values[:-1]
    return differs


def _totals(pairs: PairCounts) -> Floats:
    """The three sums over all pairs. Output: 3 x 1."""
    return _weighted_sums(pairs, np.ones((1, len(pairs.labels))))


def _weighted_sums(pairs: PairCounts, weights: Floats) -> Floats:
    """The three sums for B weightings of references. Output: 3 x B whole numbers.

    Formula of the first: the sum over distinct differences of Y (2 T' - T), less the product of
    the sums of y and of t, where Y and T are the sums of y and t at a difference and T' the sum
    of t up to it.
    """
    labels = weights @ pairs.labels
    n, total_y, total_t = LABEL_SUMS @ labels.T
    drawn = weights.take(pairs.entry_clusters, axis=1)
    at_n, at_y, at_t = (_at_differences(drawn * part, pairs.starts) for part in pairs.entry_sums)
    through_t = np.cumsum(at_t, axis=1)
    concordant = 2 * _row_products(at_y, through_t) - _row_products(at_y, at_t) - total_y * total_t
    untied = n**2 - _row_products(at_n, at_n)
    return np.stack([concordant, untied, n**2 - _row_products(labels, labels)])


def _at_differences(entries: Floats, starts: Integers) -> Floats:
    """Add up B x m entries by difference, of which each begins at a start. Output: B x G."""
    if len(starts) == entries.shape[1]:
        return entries
    return np.add.reduceat(entries, starts, axis=1)


def _row_products(left: Floats, right: Floats) -> Floats:
    return np.einsum("ij,ij->i", left, right)


def _at_ranks(pairs: PairCounts) -> Floats:
    """The items, y and t of each of the G differences. Output: 3 x G."""
    return _at_differences(pairs.entry_sums, pairs.starts)


def balances(at: Floats) -> Floats:
    """Of the items, y and t: items elsewhere, then sums below less sums above each difference.

    Input: their sums at each of G ascending differences, 3 x G. Output: 3 x G.
    """
    through = np.cumsum(at, axis=1)
    total = at.sum(axis=1, keepdims=True)
    found: Floats = 2 * through - at - total
    found[0] = total[0] - at[0]
    return found


def _sums_with_all(pairs: PairCounts) -> Floats:
    """The three sums over the pairs of each reference's items with all items. Output: 3 x R."""
    count, y, t = pairs.entry_sums
    n, below_y, below_t = balances(_at_ranks(pairs))[:, pairs.entry_ranks]
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


_LEVEL = np.arange(LEVELS)
_HUMAN, _PREDICTED = (grid.ravel() for grid in np.meshgrid(_LEVEL, _LEVEL, indexing="ij"))
_HUMAN_SIGN = np.sign(_HUMAN[:, None] - _HUMAN[None, :]).astype(np.float64)
_PREDICTED_SIGN = np.sign(_PREDICTED[:, None] - _PREDICTED[None, :]).astype(np.float64)
_CELL_SIGNS = (_HUMAN_SIGN * _PREDICTED_SIGN, np.abs(_PREDICTED_SIGN), np.abs(_HUMAN_SIGN))

# A label as the ranks of its two slots: -1 is (2, 1), 0 is (1, 1), 1 is (1, 2); 1 here = rank 2.
_SLOT_IS_SECOND = np.array([[1, 0], [0, 0], [0, 1]], dtype=np.float64)


def tau_b(differences: Sequence[float] | Floats, y: Labels) -> Statistic:
    """Kendall's tau-b of score differences with the human labels; it needs no tie threshold.

    Input: n differences score(B) - score(C), any finite numbers; n labels -1, 0, 1.
    Output: a number in [-1, 1], or None where one side is constant.
    Formula: (P - Q) / sqrt((P + Q + X)(P + Q + Y)) over the pairs of items: P concordant,
    Q discordant, X tied only in the differences, Y tied only in the labels.
    Source: Kendall, 1945.
    """
    x, labels = _checked(differences, y)
    pairs = count_pairs(x, labels, np.zeros(len(x), dtype=np.int64), 1)
    value = float(tau_b_of_counts(_totals(pairs))[0])
    # The reason takes as long as the value, and training asks for many values.
    return statistic(value, order_reason_of(x, labels) if np.isnan(value) else "")


def tau_b_labels(predicted: Labels, y: Labels) -> Statistic:
    """Kendall's tau-b of predicted labels with human labels, over the items.

    Input: two lists of n labels -1, 0, 1. Output: a number in [-1, 1], or None where one side is
    constant. Formula and source: as tau_b.
    """
    table = confusion(predicted, y)
    return statistic(float(tau_b_of_tables(table)), order_reason(table))


def tau_b_of_tables(tables: Floats | Integers) -> Floats:
    """tau-b of labels for each table. Input: ... x 3 x 3 counts. Output: ... numbers or NaN."""
    counts = np.asarray(tables, dtype=np.float64)
    cells = counts.reshape(*counts.shape[:-2], LEVELS * LEVELS)
    sums = np.stack([((cells @ signs) * cells).sum(axis=-1) for signs in _CELL_SIGNS])
    return tau_b_of_counts(sums)


def tau_paper_of_tables(tables: Floats | Integers) -> Floats:
    """The tau that PatentEval and Patent-CE print, for each table; it is not tau-b over the items.

    Each label becomes a ranking of two slots (1 is 1,2; -1 is 2,1; 0 is 1,1), the slots of all
    items are put in one row, and tau-b is taken over the 2n slots.
    Input: ... x 3 x 3 counts. Output: ... numbers in [-1, 1], NaN where a side has ties only.
    Formula: the slots hold two ranks only, so this is the phi coefficient of a 2 x 2 table,
    (m * both - p * q) / sqrt(p (m - p) q (m - q)) with m = 2n slots, p and q the slots of rank 2
    on either side, and `both` those of rank 2 on both.
    Source: Zuo et al., NAACL 2024, as followed by Jiang et al., ACL 2025.
    """
    counts = np.asarray(tables, dtype=np.float64)
    both = np.einsum("...ij,is,js->...", counts, _SLOT_IS_SECOND, _SLOT_IS_SECOND)
    human = counts.sum(axis=-1) @ _SLOT_IS_SECOND.sum(axis=1)
    predicted = counts.sum(axis=-2) @ _SLOT_IS_SECOND.sum(axis=1)
    slots = 2 * counts.sum(axis=(-2, -1))
    root = np.sqrt(human * (slots - human) * predicted * (slots - predicted))
    return np.clip(divide(slots * both - human * predicted, root), -1.0, 1.0)


def spearman_of_tables(tables: Floats | Integers) -> Floats:
    """Spearman's rho of predicted with human labels, for each table.

    Input: ... x 3 x 3 counts. Output: ... numbers in [-1, 1], NaN where a side is constant.
    Formula: Pearson's correlation of the mid-ranks. Source: Spearman, 1904.
    """
    counts = np.asarray(tables, dtype=np.float64)
    human, predicted = counts.sum(axis=-1), counts.sum(axis=-2)
    x, y = _centred_midranks(human), _centred_midranks(predicted)
    covariance = np.einsum("...ij,...i,...j->...", counts, x, y)
    root = np.sqrt((human * x**2).sum(axis=-1) * (predicted * y**2).sum(axis=-1))
    return np.clip(divide(covariance, root), -1.0, 1.0)


def _checked(differences: Sequence[float] | Floats, y: Labels) -> tuple[Floats, Integers]:
    x = np.asarray(differences, dtype=np.float64).ravel()
    labels = label_array(y)
    if len(x) != len(labels):
        raise AgreementError("There must be as many differences as human labels.")
    if not np.isfinite(x).all():
        raise AgreementError("Every difference must be a finite number.")
    return x, labels


def _centred_midranks(margin: Floats) -> Floats:
    """Mid-rank of each level less the mean rank: (items below - items above) / 2."""
    through = np.cumsum(margin, axis=-1)
    total = through[..., -1:]
    return ((through - margin) - (total - through)) / 2
