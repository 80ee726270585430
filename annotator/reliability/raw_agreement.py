"""Agreement without any correction for chance: equal, nearly equal, and how far apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from annotator.reliability.alpha import overlap_reason
from annotator.reliability.estimates import Estimate, undefined
from annotator.reliability.resampling import DRAWS, Figure, divide, estimate, sums_by_cluster
from annotator.reliability.tables import Floats, Pairs, Table, rating_pairs, shared_items


@dataclass(frozen=True, slots=True)
class RawAgreement:
    """Share of equal pairs, share of pairs within a tolerance, mean absolute difference."""

    exact: Estimate
    within: Estimate
    mean_difference: Estimate


def raw_agreement(
    table: Table, within: float = 1, draws: int = DRAWS, seed: int = 0
) -> RawAgreement:
    """Compare the scores that different annotators gave to one item.

    Input: a table; the tolerance >= 0 in units of the scores (1 point of a criterion is 1, of an
    overall numerator 11); resamples and seed. Output: two shares in [0, 1] and a mean >= 0, in
    units of the scores; `n` counts the items with two or more scores. Undefined without them.
    Formula: mean over items of the mean over the item's pairs of scores, so that an item with many
    scores weighs no more than one with two (Fleiss, 1971, for the exact share).
    """
    shared = shared_items(table)
    if not shared.items:
        nothing = undefined(overlap_reason(table))
        return RawAgreement(nothing, nothing, nothing)
    pairs = rating_pairs(shared)

    def over_items(of_pairs: Callable[[Floats], Floats], highest: float) -> Estimate:
        per_item = item_means(shared, pairs, of_pairs(np.abs(pairs.first - pairs.second)))
        rows = np.column_stack([per_item, np.ones(len(per_item))])
        figure = Figure(lambda sums: divide(sums[:, 0], sums[:, 1]), "", 0.0, highest)
        sums = sums_by_cluster(shared.clusters, rows)
        return estimate(sums, figure, len(shared.items), draws, seed)

    return RawAgreement(
        over_items(lambda apart: (apart == 0).astype(float), 1.0),
        over_items(lambda apart: (apart <= within).astype(float), 1.0),
        over_items(lambda apart: apart, np.inf),
    )


def item_means(table: Table, pairs: Pairs, values: Floats) -> Floats:
    """Average a value of each pair over the pairs of its item.

    Input: I items with two or more scores each, their P pairs, P numbers. Output: I means.
    """
    weights = 2 / (pairs.count * (pairs.count - 1))
    sums = np.bincount(pairs.item, weights=weights * values, minlength=len(table.items))
    return sums.astype(np.float64)
