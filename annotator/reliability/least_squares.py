"""Least squares for scores made of an item's part and an annotator's part, with gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotator.reliability.tables import Floats, Table

# Rest of this share of the spread is rounding of a perfect fit.
PERFECT = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class AdditiveFit:
    """The fit  score = item effect + annotator effect + residual  of an I x J table.

    `unit_covariance` x residual variance is the covariance of the J annotator effects;
    `residuals` and `leverages` are I x J, NaN in gaps; `residual_sd` is None without degrees of
    freedom.
    """

    effects: Floats
    item_effects: Floats
    unit_covariance: Floats
    residuals: Floats
    leverages: Floats
    residual_sd: float | None


def fit_additive(table: Table) -> AdditiveFit:
    """Fit item and annotator effects; the latter sum to 0 within each group of linked annotators.

    Input: a table of I x J scores with gaps; items without a score get NaN as their effect.
    Output: effects in points and what is needed to judge them.
    Formula: with the items swept out, L b = r; L = diag(scores an annotator) - sum over items of
    z z' / m (z marks the annotators of an item with m scores), r = sums of deviations from item
    means. The pseudo-inverse of L gives the solution that sums to 0 within groups, and its
    covariance over the residual variance, which has N - I - J + groups degrees of freedom. The
    leverage of a score is its variance of fit over the residual variance.
    Source: Searle, 1987, chapter 4; the matrix L is a graph Laplacian.
    """
    rated = table.is_rated.astype(np.float64)
    counts = rated.sum(axis=1)
    weights = rated / np.maximum(counts, 1)[:, None]
    means = np.nansum(table.values, axis=1) / np.where(counts > 0, counts, np.nan)
    deviations = np.where(table.is_rated, table.values - means[:, None], 0.0)
    laplacian = np.diag(rated.sum(axis=0)) - rated.T @ weights
    inverse = np.linalg.pinv(laplacian, hermitian=True)
    effects = inverse @ deviations.sum(axis=0)
    item_effects = means - weights @ effects
    fitted = item_effects[:, None] + effects[None, :]
    residuals = np.where(table.is_rated, table.values - fitted, np.nan)
    rank = int(np.linalg.matrix_rank(laplacian, hermitian=True)) if laplacian.size else 0
    freedom = int(rated.sum()) - int((counts > 0).sum()) - rank
    return AdditiveFit(
        effects,
        item_effects,
        inverse,
        residuals,
        np.where(table.is_rated, _leverages(weights, counts, inverse), np.nan),
        residual_sd(residuals, deviations, freedom),
    )


def residual_sd(residuals: Floats, deviations: Floats, freedom: int) -> float | None:
    """Root of the residual variance; 0 where only rounding is left, None without freedom.

    Input: residuals with NaN in gaps, deviations from item means, degrees of freedom.
    """
    if freedom < 1:
        return None
    rest, spread = np.nansum(np.square(residuals)), np.square(deviations).sum()
    return 0.0 if rest <= PERFECT * spread else float(np.sqrt(rest / freedom))


def _leverages(weights: Floats, counts: Floats, inverse: Floats) -> Floats:
    """Of a score: 1 / m + (e - z / m)' inverse (e - z / m), e its annotator. Output: I x J."""
    carried = weights @ inverse
    of_item = (carried * weights).sum(axis=1)
    own = np.diag(inverse)[None, :] - 2 * carried + of_item[:, None]
    leverages: Floats = 1 / np.maximum(counts, 1)[:, None] + own
    return leverages
