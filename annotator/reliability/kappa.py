"""Quadratic-weighted kappa of every pair of annotators, and its mean over the pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotator.reliability.alpha import overlap_reason
from annotator.reliability.estimates import Estimate, undefined
from annotator.reliability.resampling import DRAWS, Figure, divide, estimate, sums_by_cluster
from annotator.reliability.tables import Floats, Pairs, Table, rating_pairs

LEAST_ITEMS = 5
SUMS = 6
ROUNDING = 1e-12

TOO_FEW = "The two annotators share fewer items than a kappa needs."
CONSTANT = (
    "One of the two gave the same score throughout; kappa would be 0 whatever the other gave."
)
NO_PAIR = "No two annotators share enough items with different scores for a kappa."


@dataclass(frozen=True, slots=True)
class PairKappa:
    """Kappa of two annotators; `estimate.n` counts the items both rated."""

    first: str
    second: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Kappas:
    """Kappa of each pair with a common item, by name, and the plain mean over the pairs."""

    pairs: tuple[PairKappa, ...]
    mean: Estimate


def quadratic_kappas(
    table: Table, least_items: int = LEAST_ITEMS, draws: int = DRAWS, seed: int = 0
) -> Kappas:
    """Quadratic-weighted kappa per pair of annotators and over all pairs.

    Input: a table of scores on one fixed scale, gaps allowed; the fewest common items, >= 1, from
    which a kappa is given; resamples and seed. Output: numbers in [-1, 1]; the mean's `n` counts
    the pairs of annotators in it. Undefined, with the reason, for a pair with fewer items or
    in which one annotator's scores are all equal, and for the mean when that leaves no pair.
    Formula: 1 - mean (x - y)^2 / (mean x^2 + mean y^2 - 2 mean x mean y) over the common items;
    the length of the scale cancels. Source: Cohen, 1968; mean over pairs: Light, 1971.
    """
    found = rating_pairs(table)
    width = len(table.annotators)
    keys, which = np.unique(found.left * width + found.right, return_inverse=True)
    if not len(keys):
        return Kappas((), undefined(overlap_reason(table)))
    kappas, usable, rows = [], [], []
    for number, key in enumerate(keys.tolist()):
        places = np.flatnonzero(which == number)
        terms = _terms(found, places)
        clusters = [table.clusters[i] for i in found.item[places]]
        names = (table.annotators[key // width], table.annotators[key % width])
        result = _pair_estimate(terms, clusters, least_items, draws, seed)
        kappas.append(PairKappa(*names, result))
        if result.value is not None:
            usable.append(places)
            rows.append(terms)
    order = sorted(kappas, key=lambda kappa: (kappa.first, kappa.second))
    return Kappas(tuple(order), _mean_estimate(table, found, usable, rows, draws, seed))


def kappa_of_sums(sums: Floats) -> Floats:
    """Kappa from n, sum x, sum y, sum x^2, sum y^2, sum xy.

    Input: W x ... x 6 sums. Output: W x ... kappas, NaN where x or y is constant.
    """
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    observed = n * (xx + yy - 2 * xy)
    expected = n * (xx + yy) - 2 * x * y
    is_constant = (n * xx - x * x <= ROUNDING * n * xx) | (n * yy - y * y <= ROUNDING * n * yy)
    return np.where(is_constant, np.nan, 1 - divide(observed, expected))


def _terms(pairs: Pairs, places: np.ndarray) -> Floats:
    x, y = pairs.first[places], pairs.second[places]
    return np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])


def _pair_estimate(
    terms: Floats, clusters: list[str], least_items: int, draws: int, seed: int
) -> Estimate:
    if len(terms) < least_items:
        return undefined(TOO_FEW, len(terms), len(set(clusters)))
    sums = sums_by_cluster(clusters, terms)
    return estimate(sums, Figure(kappa_of_sums, CONSTANT, -1.0), len(terms), draws, seed)


def _mean_estimate(
    table: Table,
    found: Pairs,
    usable: list[np.ndarray],
    rows: list[Floats],
    draws: int,
    seed: int,
) -> Estimate:
    from scipy.sparse import csr_array

    if not usable:
        return undefined(NO_PAIR)
    places = np.concatenate(usable)
    numbers = np.repeat(np.arange(len(usable)), [len(some) for some in usable])
    columns = (SUMS * numbers[:, None] + np.arange(SUMS)).ravel()
    cells = (np.repeat(np.arange(len(places)), SUMS), columns)
    shape = (len(places), SUMS * len(usable))
    by_place = csr_array((np.concatenate(rows).ravel(), cells), shape=shape)
    sums = sums_by_cluster([table.clusters[i] for i in found.item[places]], by_place)
    figure = Figure(lambda flat: _mean_of_sums(flat, len(usable)), NO_PAIR, -1.0, 1.0, True)
    return estimate(sums, figure, len(usable), draws, seed)


def _mean_of_sums(sums: Floats, count: int) -> Floats:
    """Mean over pairs; a pair that a resample leaves without spread drops out of that mean."""
    kappas = kappa_of_sums(sums.reshape(len(sums), count, SUMS))
    is_defined = ~np.isnan(kappas)
    return divide(np.where(is_defined, kappas, 0).sum(axis=1), is_defined.sum(axis=1))
