"""Variance components of scores: how much items, annotators and the rest differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotator.reliability.resampling import divide
from annotator.reliability.tables import Floats, Table

HEAD = 6


@dataclass(frozen=True, slots=True)
class Components:
    """Variances, in squared units of the scores; `items` or `annotators` may be estimated below 0.

    `ratings_per_item` is the harmonic mean of the numbers of scores on an item.
    """

    items: float
    annotators: float
    residual: float
    ratings_per_item: float


def component_rows(table: Table) -> Floats:
    """Return what each item adds to the sums from which the components follow.

    Input: a table of I items with one or more scores each, J annotators; the scores are measured
    from their common mean, which changes no component and keeps rounding small.
    Output: I x (6 + 2 J): 1, scores, scores^2, 1 / scores (as counts), square of the item's sum
    over its count, sum of squares; then for each annotator a count and a sum.
    """
    is_rated = table.is_rated
    centred = np.where(is_rated, table.values - np.nanmean(table.values), 0.0)
    n = is_rated.sum(axis=1).astype(np.float64)
    total = centred.sum(axis=1)
    head = (np.ones(len(n)), n, n * n, 1 / n, total * total / n, np.square(centred).sum(axis=1))
    return np.column_stack([*head, is_rated, centred])


def components_of_sums(sums: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Estimate the components of  score = mean + item + annotator + residual,  all random.

    Input: W x (6 + 2 J) sums of component_rows(). Output: four times W numbers: variances of items,
    of annotators, of the rest, and the harmonic mean of scores an item; NaN without an estimate.
    Formula: Henderson's method 1. With T the sums of squares of all scores, of item means, of
    annotator means and of the grand mean (each times its number of scores N, I items, J annotators)
      (T - T_items) / (N - I) estimates annotators + residual,
      (T - T_annotators) / (N - J) estimates items + residual,
      T_items - T_mean estimates (N - a) items + (I - b) annotators + (I - 1) residual,
    a and b = sums of squared scores an item and an annotator, over N. On a complete table these are
    the estimates of the two-way analysis of variance. Source: Henderson, 1953; Searle, Casella and
    McCulloch, 1992, chapter 5.
    """
    items, n, squared, inverse, of_items, everything = np.moveaxis(sums[:, :HEAD], -1, 0)
    width = (sums.shape[1] - HEAD) // 2
    counts, totals = sums[:, HEAD : HEAD + width], sums[:, HEAD + width :]
    annotators = (counts > 0).sum(axis=1)
    of_annotators = np.nansum(divide(totals * totals, counts), axis=1)
    of_mean = divide(totals.sum(axis=1) ** 2, n)
    a, b = divide(squared, n), divide(np.square(counts).sum(axis=1), n)
    within_items = divide(everything - of_items, n - items)
    within_annotators = divide(everything - of_annotators, n - annotators)
    between = (n - a) * within_annotators + (items - b) * within_items - (of_items - of_mean)
    residual = divide(between, n - a - b + 1)
    ratings_per_item = divide(items, inverse)
    return within_annotators - residual, within_items - residual, residual, ratings_per_item
