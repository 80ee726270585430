"""How each annotator's scores compare with the mean of the others' on the same items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotator.reliability.estimates import Estimate, undefined
from annotator.reliability.resampling import Figure, divide, estimate, sums_by_cluster
from annotator.reliability.tables import Table, shared_items

NO_SHARED = "Nobody else rated an item of this annotator."


@dataclass(frozen=True, slots=True)
class AgainstOthers:
    """One annotator against the rest; each figure's `n` counts the items shared with somebody."""

    annotator: str
    difference: Estimate
    distance: Estimate
    within: Estimate


def against_others(table: Table, within: float = 1) -> tuple[AgainstOthers, ...]:
    """Compare each annotator with the mean of the others, item by item.

    Input: a table, gaps allowed; the tolerance >= 0 in units of the scores. Output: for each
    annotator with a score, in the order of the columns: mean of own score less the others' mean
    (above 0 = higher than they), mean of its size >= 0, and the share in [0, 1] of items on which
    it is at most the tolerance. Undefined, with the reason, for who shares no item.
    Intervals by jackknife at any number of references: for so many means of few references each, a
    bootstrap takes minutes and says the same.
    Formula: own - (sum of the item's scores - own) / (their number - 1), averaged over items.
    Source: leave-one-out comparison, own definition.
    """
    shared = shared_items(table)
    counts, totals = shared.counts, np.nansum(shared.values, axis=1)
    found = []
    for column in np.flatnonzero(table.is_rated.any(axis=0)).tolist():
        name = table.annotators[column]
        rows = np.flatnonzero(shared.is_rated[:, column])
        if not len(rows):
            nothing = undefined(NO_SHARED)
            found.append(AgainstOthers(name, nothing, nothing, nothing))
            continue
        own = shared.values[rows, column]
        apart = own - (totals[rows] - own) / (counts[rows] - 1)
        size = np.abs(apart)
        clusters = [shared.clusters[row] for row in rows]
        terms = np.column_stack([np.ones(len(rows)), apart, size, size <= within])
        sums = sums_by_cluster(clusters, terms)
        figures = (
            Figure(lambda sums: divide(sums[:, 1], sums[:, 0]), "", -np.inf, np.inf, True),
            Figure(lambda sums: divide(sums[:, 2], sums[:, 0]), "", 0.0, np.inf, True),
            Figure(lambda sums: divide(sums[:, 3], sums[:, 0]), "", 0.0, 1.0, True),
        )
        estimates = (estimate(sums, figure, len(rows)) for figure in figures)
        found.append(AgainstOthers(name, *estimates))
    return tuple(found)
