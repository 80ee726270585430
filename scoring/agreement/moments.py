"""Means and squared deviations by reference, from which Pearson's r of any resample follows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.agreement.items import Floats, Integers
from scoring.agreement.resampling import blocks
from scoring.agreement.tables import divide, sum_by_cluster

# Where less than this is left of a sum of squares, the rest is summed anew: a difference of two
# sums that are nearly equal keeps too few digits.
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
    Formula: as Chan, Golub and LeVeque, 1983: products within units, plus those of their means.
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
