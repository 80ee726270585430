"""Gwet's AC2: agreement by weights, with a chance term that skewed scores do not inflate."""

from __future__ import annotations

from typing import Literal

import numpy as np

from annotator.reliability.alpha import overlap_reason
from annotator.reliability.estimates import Estimate, undefined
from annotator.reliability.raw_agreement import item_means
from annotator.reliability.resampling import DRAWS, Figure, divide, estimate, sums_by_cluster
from annotator.reliability.tables import (
    Floats,
    ReliabilityError,
    Table,
    rating_pairs,
    shared_items,
)

Weights = Literal["identity", "ordinal", "quadratic"]


def gwet_ac2(
    table: Table,
    weights: Weights = "quadratic",
    highest: int = 10,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate:
    """Gwet's AC2 for many annotators and gaps; with "identity" weights it is AC1.

    Input: a table of whole scores 0..`highest`, the whole fixed scale of q = highest + 1 >= 2
    values (10 for a criterion, 110 for an overall numerator); resamples and seed. Output: a number
    <= 1; `n` counts the items with two or more scores. Undefined without such items. Where every
    score is the same, chance agreement is 0 and AC2 is 1 by its definition, without an interval.
    Raises ReliabilityError for a score off the scale.
    Formula: (pa - pe) / (1 - pe); pa = mean over items of the mean weight of the item's pairs of
    scores; pe = sum of weights / (q (q - 1)) x sum_k p_k (1 - p_k); p_k = mean over all rated items
    (also those with one score) of the share of the item's scores that are k.
    Source: Gwet, 2008 (AC1); Gwet, 2014, Handbook of Inter-Rater Reliability (AC2, gaps).
    """
    agreed = agreement_weights(weights, highest)
    rated = shared_items(table, least=1)
    if not np.isin(rated.values[rated.is_rated], np.arange(highest + 1)).all():
        raise ReliabilityError(f"Every score must be a whole number from 0 to {highest}.")
    is_shared = rated.counts >= 2
    if not is_shared.any():
        return undefined(overlap_reason(table))
    shares = value_shares(rated, highest)
    agreeing = _pair_agreement(rated, agreed)
    rows = np.column_stack([agreeing, is_shared, np.ones(len(shares)), shares])
    chance = agreed.sum() / ((highest + 1) * highest)

    def of_sums(sums: Floats) -> Floats:
        observed = divide(sums[:, 0], sums[:, 1])
        p = divide(sums[:, 3:], sums[:, 2:3])
        expected = chance * (p * (1 - p)).sum(axis=1)
        return divide(observed - expected, 1 - expected)

    sums = sums_by_cluster(rated.clusters, rows)
    return estimate(sums, Figure(of_sums, ""), int(is_shared.sum()), draws, seed)


def agreement_weights(weights: Weights, highest: int) -> Floats:
    """Return how far two values count as agreeing: 1 on the diagonal, 0 at the ends of the scale.

    Input: the kind and the highest value h >= 1. Output: (h + 1) x (h + 1) numbers in [0, 1].
    Formula, d = distance of two values: identity [d = 0]; quadratic 1 - d^2 / h^2; ordinal
    1 - d (d + 1) / (h (h + 1)), the share of pairs of values between. Source: Gwet, 2014.
    """
    values = np.arange(highest + 1, dtype=np.float64)
    apart = np.abs(values[:, None] - values[None, :])
    if weights == "identity":
        return (apart == 0).astype(np.float64)
    if weights == "quadratic":
        return 1 - np.square(apart) / highest**2
    return 1 - apart * (apart + 1) / (highest * (highest + 1))


def value_shares(table: Table, highest: int) -> Floats:
    """Share of each item's scores that each value has. Output: I x (highest + 1), rows sum to 1."""
    row, column = np.nonzero(table.is_rated)
    cells = row * (highest + 1) + table.values[row, column].astype(np.int64)
    counts = np.bincount(cells, minlength=len(table.items) * (highest + 1))
    return counts.reshape(len(table.items), highest + 1) / table.counts[:, None]


def _pair_agreement(table: Table, agreed: Floats) -> Floats:
    pairs = rating_pairs(table)
    weights = agreed[pairs.first.astype(np.int64), pairs.second.astype(np.int64)]
    return item_means(table, pairs, weights)
