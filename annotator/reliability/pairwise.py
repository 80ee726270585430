"""A kappa of every pair of annotators and its mean over the pairs, whichever kappa it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from annotator.reliability.alpha import overlap_reason
from annotator.reliability.estimates import Estimate, undefined
from annotator.reliability.resampling import Figure, divide, estimate, sums_by_cluster
from annotator.reliability.tables import Floats, Pairs, Table, rating_pairs

LEAST_ITEMS = 5

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


@dataclass(frozen=True, slots=True)
class Kind:
    """A kappa that follows from sums over common items.

    `terms` maps P scores x and P scores y to P x S numbers; `of_sums` maps W x ... x S sums of
    them to W x ... kappas, NaN where undefined.
    """

    terms: Callable[[Floats, Floats], Floats]
    of_sums: Callable[[Floats], Floats]


def kappas_by_pair(table: Table, kind: Kind, least_items: int, draws: int, seed: int) -> Kappas:
    """Kappa per pair of annotators and over all pairs.

    Input: a table, gaps allowed; the kappa; the fewest common items, >= 1, from which it is given;
    resamples and seed. Output: numbers in [-1, 1]; the mean's `n` counts the pairs of annotators in
    it. Undefined, with the reason, for a pair with fewer items or in which one annotator's scores
    are all equal, and for the mean when that leaves no pair.
    Formula: plain mean over the pairs. Source: Light, 1971.
    """
    found = rating_pairs(table)
    width = len(table.annotators)
    keys, which = np.unique(found.left * width + found.right, return_inverse=True)
    if not len(keys):
        return Kappas((), undefined(overlap_reason(table)))
    kappas, usable, rows = [], [], []
    # One sort brings the places of each pair together, however many pairs there are.
    ends = np.cumsum(np.bincount(which))[:-1]
    for key, places in zip(
        keys.tolist(), np.split(np.argsort(which, kind="stable"), ends), strict=True
    ):
        terms = kind.terms(found.first[places], found.second[places])
        clusters = [table.clusters[i] for i in found.item[places]]
        names = (table.annotators[key // width], table.annotators[key % width])
        result = _pair_estimate(kind, terms, clusters, least_items, draws, seed)
        kappas.append(PairKappa(*names, result))
        if result.value is not None:
            usable.append(places)
            rows.append(terms)
    order = sorted(kappas, key=lambda kappa: (kappa.first, kappa.second))
    return Kappas(tuple(order), _mean_estimate(table, kind, found, usable, rows, draws, seed))


def _pair_estimate(
    kind: Kind, terms: Floats, clusters: list[str], least_items: int, draws: int, seed: int
) -> Estimate:
    if len(terms) < least_items:
        return undefined(TOO_FEW, len(terms), len(set(clusters)))
    sums = sums_by_cluster(clusters, terms)
    return estimate(sums, Figure(kind.of_sums, CONSTANT, -1.0), len(terms), draws, seed)


def _mean_estimate(
    table: Table,
    kind: Kind,
    found: Pairs,
    usable: list[np.ndarray],
    rows: list[Floats],
    draws: int,
    seed: int,
) -> Estimate:
    from scipy.sparse import csr_array

    if not usable:
        return undefined(NO_PAIR)
    width = rows[0].shape[1]
    places = np.concatenate(usable)
    numbers = np.repeat(np.arange(len(usable)), [len(some) for some in usable])
    columns = (width * numbers[:, None] + np.arange(width)).ravel()
    cells = (np.repeat(np.arange(len(places)), width), columns)
    shape = (len(places), width * len(usable))
    by_place = csr_array((np.concatenate(rows).ravel(), cells), shape=shape)
    sums = sums_by_cluster([table.clusters[i] for i in found.item[places]], by_place)

    def mean_of_sums(flat: Floats) -> Floats:
        # A pair that a resample leaves without spread drops out of that mean.
        kappas = kind.of_sums(flat.reshape(len(flat), len(usable), width))
        is_defined = ~np.isnan(kappas)
        return divide(np.where(is_defined, kappas, 0).sum(axis=1), is_defined.sum(axis=1))

    return estimate(sums, Figure(mean_of_sums, NO_PAIR, -1.0, 1.0, True), len(usable), draws, seed)
