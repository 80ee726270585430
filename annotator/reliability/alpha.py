"""Krippendorff's alpha: nominal, ordinal and interval, for any number of annotators and gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from annotator.reliability.estimates import (
    ALL_SAME,
    NO_OVERLAP,
    NO_RATINGS,
    ONE_ANNOTATOR,
    Estimate,
    undefined,
)
from annotator.reliability.resampling import DRAWS, Figure, divide, estimate, sums_by_cluster
from annotator.reliability.tables import Floats, Integers, Table, rating_pairs, shared_items

Level = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, slots=True)
class Coincidences:
    """Observed coincidences as R x P sums: column p holds both orders of values low[p], high[p]."""

    sums: Any
    low: Integers
    high: Integers
    values: Floats


def krippendorff_alpha(table: Table, level: Level, draws: int = DRAWS, seed: int = 0) -> Estimate:
    """Krippendorff's alpha with its interval clustered by reference.

    Input: a table, any finite scores, gaps allowed; the level "nominal", "ordinal" or "interval";
    resamples and seed. Output: a number <= 1 (0 = as by chance, below 0 = systematic disagreement);
    `n` counts the items with two or more scores, the only ones used. Undefined, with the reason,
    without such items or when all their scores are equal.
    Formula: 1 - (N - 1) sum_{c<k} o_ck d_ck / sum_{c<k} n_c n_k d_ck, o_ck = coincidences of the
    values c and k, each pair of an item with m scores weighing 1 / (m - 1); n_c their margin,
    N their sum; d = 1, (r_c - r_k)^2 or (c - k)^2, r = mid-ranks of all N scores.
    Source: Krippendorff, 2011, Computing Krippendorff's alpha-reliability.
    """
    shared = shared_items(table)
    if not shared.items:
        return undefined(overlap_reason(table))
    found = coincidences(shared)
    figure = Figure(lambda sums: _alpha_of_sums(sums, found, level), ALL_SAME)
    return estimate(found.sums, figure, len(shared.items), draws, seed)


def overlap_reason(table: Table) -> str:
    """Say why a table gives no pair of scores on one item. Input: a table without such items."""
    annotators = int(table.is_rated.any(axis=0).sum())
    return (NO_RATINGS, ONE_ANNOTATOR)[annotators] if annotators < 2 else NO_OVERLAP


def coincidences(table: Table) -> Coincidences:
    """Count the coincidences of values, one row a reference.

    Input: a table whose items have two or more scores. Output: sparse R x P sums over the P pairs
    of values that occur, and the distinct values.
    """
    from scipy.sparse import csr_array

    pairs = rating_pairs(table)
    values, codes = np.unique(np.concatenate([pairs.first, pairs.second]), return_inverse=True)
    first, second = codes.reshape(2, -1)
    keys = np.minimum(first, second) * len(values) + np.maximum(first, second)
    kinds, kind = np.unique(keys, return_inverse=True)
    shape = (len(table.items), len(kinds))
    rows = csr_array((2 / (pairs.count - 1), (pairs.item, kind)), shape=shape)
    sums = sums_by_cluster(table.clusters, rows)
    return Coincidences(sums, kinds // len(values), kinds % len(values), values)


def _alpha_of_sums(sums: Floats, found: Coincidences, level: Level) -> Floats:
    """Alpha of W x P sums of coincidences. Output: W values, NaN where all scores are equal."""
    from scipy.sparse import csr_array

    places = np.arange(len(found.low))
    both = (np.concatenate([places, places]), np.concatenate([found.low, found.high]))
    halves = csr_array((np.full(2 * len(places), 0.5), both))
    margins = np.asarray(sums @ halves)
    count = margins.sum(axis=1)
    apart = found.low != found.high
    if level == "nominal":
        observed = sums[:, apart].sum(axis=1) / 2
        expected = (count**2 - np.square(margins).sum(axis=1)) / 2
    else:
        # Mid-ranks turn the ordinal metric into the interval one.
        points = _mid_ranks(margins) if level == "ordinal" else found.values[None, :]
        squares = np.square(points[:, found.high] - points[:, found.low])
        observed = (sums * squares).sum(axis=1) / 2
        expected = _expected_squares(margins, points)
    ratio = divide((count - 1) * observed, expected)
    # One value in use: nothing is expected, whatever rounding leaves of it.
    return np.where(np.count_nonzero(margins, axis=1) < 2, np.nan, 1 - ratio)


def _mid_ranks(margins: Floats) -> Floats:
    return np.cumsum(margins, axis=1) - margins / 2


def _expected_squares(margins: Floats, points: Floats) -> Floats:
    """Sum n_c n_k (x_c - x_k)^2 over c < k. Input: W x K margins and points. Output: W sums."""
    count = margins.sum(axis=1, keepdims=True)
    means = divide((margins * points).sum(axis=1, keepdims=True), count)
    spread: Floats = (count * margins * np.square(points - means)).sum(axis=1)
    return spread
