"""A statistic on all items, on each resample and without each reference: tau-b is asked for here.

Comparisons, groups of items and the human ceiling all need the same three things of a scorer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.agreement import pair_counts, resampling
from scoring.agreement.figures import Sample
from scoring.agreement.items import Floats, Integers
from scoring.agreement.resampling import Interval
from scoring.agreement.tables import LEVELS


@dataclass(frozen=True, slots=True)
class Resampled:
    """A statistic on all items, on each of W resamples, and without each of R references.

    NaN = undefined. All lie in the range of the statistic.
    """

    value: float
    bootstrap: Floats
    without_reference: Floats

    def minus(self, other: Resampled) -> Resampled:
        """The difference of two statistics on the same resamples: its spread is a paired one."""
        return Resampled(
            self.value - other.value,
            self.bootstrap - other.bootstrap,
            self.without_reference - other.without_reference,
        )


def resample_tau_b(sample: Sample, differences: Floats) -> Resampled:
    """tau-b of n score differences with the labels of a sample, resampled by reference.

    Input: the sample of n >= 1 items; n finite differences score(B) - score(C).
    Output: numbers in [-1, 1], NaN where undefined. Formula: see correlation.tau_b.
    """
    pairs = pair_counts.count_pairs(differences, sample.y, sample.clusters, sample.cluster_count)
    everything = np.ones((1, sample.cluster_count))
    return Resampled(
        value=float(pair_counts.weighted_tau_b(pairs, everything)[0]),
        bootstrap=pair_counts.weighted_tau_b(pairs, sample.weights),
        without_reference=pair_counts.leave_one_reference_out(pairs),
    )


def resample_tables(
    sample: Sample, tables: Integers, of_tables: Callable[[Floats], Floats]
) -> Resampled:
    """A statistic of labels, resampled by reference. Input: R x 3 x 3 counts, and its function."""
    counts = tables.astype(np.float64)
    total = counts.sum(axis=0)
    drawn = resampling.weighted_sums(sample.weights, counts.reshape(-1, LEVELS * LEVELS))
    return Resampled(
        value=float(of_tables(total)),
        bootstrap=of_tables(drawn.reshape(-1, LEVELS, LEVELS)),
        without_reference=of_tables(total - counts),
    )


def part_of(sample: Sample, places: Integers) -> tuple[Sample, Integers]:
    """Take some items of a sample, on the same resamples.

    Input: the sample; the places of k >= 1 items in it. Output: a sample of them whose references
    are numbered anew, and the numbers that these had before.
    """
    references, clusters = np.unique(sample.clusters[places], return_inverse=True)
    weights = sample.weights[:, references]
    return Sample(sample.y[places], clusters, len(references), weights), references


def interval_of(resampled: Resampled, lowest: float, highest: float) -> Interval:
    """The 95 % interval that a report prints first: jackknife t below 40 references.

    Input: a defined statistic and the ends of its range. Source: as resampling's functions.
    """
    count = len(resampled.without_reference)
    if resampling.interval_method(count) == "bootstrap":
        return resampling.percentile_interval(resampled.bootstrap, count)
    return resampling.jackknife_t_interval(
        resampled.value, resampled.without_reference, lowest, highest
    )


def figure_of(
    resampled: Resampled, reason: str, lowest: float = -1.0, highest: float = 1.0
) -> dict[str, Any]:
    """Write a statistic as `value`, `low`, `high`, JSON-ready, with a `reason` where one is None.

    Input: the statistic; why it is undefined, if it is; the ends of its range.
    """
    if np.isnan(resampled.value):
        return no_figure(reason)
    interval = interval_of(resampled, lowest, highest)
    figure = {"value": resampled.value, "low": interval.low, "high": interval.high}
    return figure | ({"reason": interval.reason} if interval.reason else {})


def no_figure(reason: str) -> dict[str, Any]:
    """A figure that is undefined, with the sentence that says why."""
    return {"value": None, "low": None, "high": None, "reason": reason}
