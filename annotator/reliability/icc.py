"""Intraclass correlation ICC(2,1) and ICC(2,k): absolute agreement, items and annotators random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotator.reliability.alpha import overlap_reason
from annotator.reliability.components import Components, component_rows, components_of_sums
from annotator.reliability.estimates import Estimate, undefined
from annotator.reliability.resampling import DRAWS, Figure, divide, estimate, sums_by_cluster
from annotator.reliability.tables import Floats, Table, shared_items

# Shares of the variance below this are rounding of zero.
NO_VARIANCE = 1e-12

TOO_FEW = "At least two items with two scores each are needed to tell items from annotators."
NO_SPREAD = "The scores do not vary enough to tell items, annotators and chance apart."


@dataclass(frozen=True, slots=True)
class Icc:
    """Reliability of one rating, of the mean of k ratings, k, and the variances behind both."""

    single: Estimate
    mean: Estimate
    k: float | None
    components: Components | None


def intraclass_correlations(
    table: Table, k: float | None = None, draws: int = DRAWS, seed: int = 0
) -> Icc:
    """ICC(2,1) and ICC(2,k) with gaps allowed.

    Input: a table; the number k >= 1 of ratings whose mean is asked about, by default the harmonic
    mean of scores an item; resamples and seed. Output: numbers <= 1; below 0 where items differ
    less than chance would have it, and not cut there. `n` counts the items with two or more scores,
    the only ones used. Undefined, with the reason, with fewer than two of them or without spread.
    Formula: items / (items + annotators + residual) and items / (items + (annotators + residual)
    / k) of the variance components; on a complete table exactly (BMS - EMS) / (BMS + (k - 1) EMS +
    k (JMS - EMS) / n) and (BMS - EMS) / (BMS + (JMS - EMS) / n). The components are Henderson's
    because a campaign's table is not complete: a block rated by all exists only where all rate all,
    and there both are the same.
    Source: Shrout and Fleiss, 1979; McGraw and Wong, 1996 (A,1 and A,k); Henderson, 1953.
    """
    shared = shared_items(table)
    if not shared.items:
        nothing = undefined(overlap_reason(table))
        return Icc(nothing, nothing, None, None)
    sums = sums_by_cluster(shared.clusters, component_rows(shared))
    n = len(shared.items)
    found = _components(sums.sum(axis=0, keepdims=True))
    size = k if k is not None else found.ratings_per_item if found else None
    reason = TOO_FEW if n < 2 else NO_SPREAD
    of_one = Figure(lambda sums: _icc_of_sums(sums, 1.0), reason)
    of_mean = Figure(lambda sums: _icc_of_sums(sums, k), reason)
    single = estimate(sums, of_one, n, draws, seed)
    # Variances of nothing would promise that one annotator is enough.
    components = found if single.value is not None else None
    return Icc(single, estimate(sums, of_mean, n, draws, seed), size, components)


def _components(total: Floats) -> Components | None:
    parts = [float(part[0]) for part in components_of_sums(total)]
    return None if np.isnan(parts).any() else Components(*parts)


def _icc_of_sums(sums: Floats, ratings: float | None) -> Floats:
    """Reliability of the mean of `ratings` scores (None = the harmonic mean). Output: W values."""
    items, annotators, residual, mean_count = components_of_sums(sums)
    count = mean_count if ratings is None else ratings
    total = items + (annotators + residual) / count
    spread = divide(sums[:, 5], sums[:, 1])
    has_variance = total > NO_VARIANCE * spread
    return np.where(has_variance, divide(items, total), np.nan)
