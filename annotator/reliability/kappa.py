"""Quadratic-weighted kappa of every pair of annotators, and its mean over the pairs."""

from __future__ import annotations

import numpy as np

from annotator.reliability.pairwise import LEAST_ITEMS, Kappas, Kind, kappas_by_pair
from annotator.reliability.resampling import DRAWS, divide
from annotator.reliability.tables import Floats, Table

ROUNDING = 1e-12


def quadratic_kappas(
    table: Table, least_items: int = LEAST_ITEMS, draws: int = DRAWS, seed: int = 0
) -> Kappas:
    """Quadratic-weighted kappa per pair of annotators and over all pairs.

    Input: a table of scores on one fixed scale, gaps allowed; the rest as in kappas_by_pair().
    Output: as there, numbers in [-1, 1].
    Formula: 1 - mean (x - y)^2 / (mean x^2 + mean y^2 - 2 mean x mean y) over the common items;
    the length of the scale cancels. Source: Cohen, 1968; mean over pairs: Light, 1971.
    """
    return kappas_by_pair(table, Kind(_terms, kappa_of_sums), least_items, draws, seed)


def kappa_of_sums(sums: Floats) -> Floats:
    """Kappa from n, sum x, sum y, sum x^2, sum y^2, sum xy.

    Input: W x ... x 6 sums. Output: W x ... kappas, NaN where x or y is constant.
    """
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    observed = n * (xx + yy - 2 * xy)
    expected = n * (xx + yy) - 2 * x * y
    is_constant = (n * xx - x * x <= ROUNDING * n * xx) | (n * yy - y * y <= ROUNDING * n * yy)
    return np.where(is_constant, np.nan, 1 - divide(observed, expected))


def _terms(x: Floats, y: Floats) -> Floats:
    return np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
