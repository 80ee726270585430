"""Unweighted kappa of every pair of annotators, for answers without an order, and its mean."""

from __future__ import annotations

import numpy as np

from annotator.reliability.pairwise import LEAST_ITEMS, Kappas, Kind, kappas_by_pair
from annotator.reliability.resampling import DRAWS, divide
from annotator.reliability.tables import Floats, Table


def cohen_kappas(
    table: Table, least_items: int = LEAST_ITEMS, draws: int = DRAWS, seed: int = 0
) -> Kappas:
    """Cohen's unweighted kappa per pair of annotators and over all pairs.

    Input: a table of answers, each value a category, gaps allowed; the rest as in kappas_by_pair().
    Output: as there, numbers in [-1, 1].
    Formula: (po - pe) / (1 - pe); po = share of common items with equal answers, pe = sum over
    categories of the product of both annotators' shares. Source: Cohen, 1960; mean over pairs:
    Light, 1971.
    """
    values = np.unique(table.values[table.is_rated])

    def terms(x: Floats, y: Floats) -> Floats:
        of_x, of_y = (column[:, None] == values[None, :] for column in (x, y))
        return np.column_stack([np.ones(len(x)), x == y, of_x, of_y])

    return kappas_by_pair(table, Kind(terms, cohen_of_sums), least_items, draws, seed)


def cohen_of_sums(sums: Floats) -> Floats:
    """Kappa from n, the count of equal answers, and the counts of K categories by x and by y.

    Input: W x ... x (2 + 2 K) sums. Output: W x ... kappas, NaN where x or y is constant.
    """
    n, same = sums[..., 0], sums[..., 1]
    width = (sums.shape[-1] - 2) // 2
    of_x, of_y = sums[..., 2 : 2 + width], sums[..., 2 + width :]
    expected = (of_x * of_y).sum(axis=-1)
    is_constant = (of_x.max(axis=-1, initial=0) >= n) | (of_y.max(axis=-1, initial=0) >= n)
    kappa = divide(n * same - expected, n * n - expected)
    return np.where(is_constant, np.nan, kappa)
