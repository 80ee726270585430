"""All agreement figures of one scorer on one set of items, each with its intervals.

Comparisons, groups of items and the human ceiling all need the same three things of a scorer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patclaimeval.agreement import classification, correlation
from patclaimeval.agreement.classification import LEVELS, cluster_confusions, label_array
from patclaimeval.agreement.items import (
    LABELS,
    AgreementError,
    Floats,
    Integers,
    Item,
    Labels,
    cluster_numbers,
    labels_of,
)
from patclaimeval.statistics import resampling
from patclaimeval.statistics.resampling import Interval


@dataclass(frozen=True, slots=True)
class LabelFigure:
    """How one statistic of labels is computed from tables, its lowest value, its reason."""

    of_tables: Callable[[Floats], Floats]
    lowest: float
    reason: Callable[[Integers], str]


LABEL_FIGURES = {
    "tau_b_labels": LabelFigure(correlation.tau_b_of_tables, -1.0, classification.order_reason),
    "tau_paper": LabelFigure(correlation.tau_paper_of_tables, -1.0, classification.slot_reason),
    "spearman": LabelFigure(correlation.spearman_of_tables, -1.0, classification.order_reason),
    **{
        name: LabelFigure(of_tables, 0.0, classification.share_reason)
        for name, of_tables in (
            ("accuracy", classification.accuracy_of_tables),
            ("f1_weighted", classification.f1_weighted_of_tables),
            ("f1_macro", classification.f1_macro_of_tables),
            ("decisive_accuracy", classification.decisive_accuracy_of_tables),
        )
    },
}
FIGURE_NAMES = (
    *("tau_b", "tau_b_labels", "tau_paper", "spearman", "pearson"),
    *("accuracy", "f1_weighted", "f1_macro", "decisive_accuracy"),
)


@dataclass(frozen=True, slots=True)
class Sample:
    """Items made ready to be measured: n labels, n reference numbers, W x R resamples."""

    y: Integers
    clusters: Integers
    cluster_count: int
    weights: NDArray[np.int16]


def make_sample(items: Sequence[Item], resamples: int, seed: int) -> Sample:
    """Prepare n >= 1 items once for all scorers, which then share the same resamples."""
    return make_sample_from_arrays(labels_of(items), cluster_numbers(items)[0], resamples, seed)


def make_sample_from_arrays(
    y: Labels, clusters: Sequence[int] | Integers, resamples: int, seed: int
) -> Sample:
    """Prepare n >= 1 items given as arrays.

    Input: n labels -1, 0, 1; n reference numbers, each of 0..R-1 at least once; W >= 0 resamples
    (with 0 there is no bootstrap interval); a seed >= 0.
    """
    labels, numbers = label_array(y), np.asarray(clusters, dtype=np.int64).ravel()
    if not len(labels) or len(labels) != len(numbers):
        raise AgreementError("There must be items, and as many reference numbers as labels.")
    if numbers.min() < 0 or not np.bincount(numbers).all():
        raise AgreementError("References must be numbered from 0 on, without a gap.")
    cluster_count = int(numbers.max()) + 1
    weights = resampling.bootstrap_weights(cluster_count, resamples, seed)
    return Sample(labels, numbers, cluster_count, weights)


def measure(sample: Sample, differences: Floats, predicted: Integers) -> dict[str, Any]:
    """Compute every figure of one scorer. Time grows with n log n, and with W n.

    Input: the sample of n items; n differences score(B) - score(C); n predicted labels.
    Output: JSON-ready: each name of FIGURE_NAMES with `value`, `low`, `high` and both intervals,
    then `n`, `references`, `interval`, `tie_rates` and `confusion`.
    """
    tables = cluster_confusions(predicted, sample.y, sample.clusters, sample.cluster_count)
    total: Integers = tables.sum(axis=0)
    pairs = correlation.count_pairs(differences, sample.y, sample.clusters, sample.cluster_count)
    tau_b, tau_b_without = _resample_pairs(sample, pairs), correlation.leave_one_item_out(pairs)
    pearson, pearson_without = _defined_pearson(sample, differences, tau_b, tau_b_without)
    labels, labels_without = resample_labels(sample, tables, LABEL_FIGURES), _without_item(total)
    resampled = {"tau_b": tau_b, "pearson": pearson, **labels}
    without_item = {"tau_b": tau_b_without, "pearson": pearson_without, **labels_without}
    figures = {}
    for name in FIGURE_NAMES:
        definition = LABEL_FIGURES.get(name)
        lowest = definition.lowest if definition else -1.0
        reason = (definition.reason if definition else classification.order_reason)(total)
        figures[name] = _figure(resampled[name], without_item[name], lowest, reason)
    return figures | _counts(total, sample.cluster_count)


def no_figures(reason: str) -> dict[str, Any]:
    """The same shape as measure() gives, for no items: every value None, with the reason."""
    figures: dict[str, Any] = {name: no_figure(reason) for name in FIGURE_NAMES}
    return figures | _counts(np.zeros((3, 3), dtype=np.int64), 0)


def _counts(total: Integers, cluster_count: int) -> dict[str, Any]:
    n = int(total.sum())
    return {
        "n": n,
        "references": cluster_count,
        "interval": resampling.interval_method(cluster_count),
        "tie_rates": {
            "people": float(total[1].sum() / n) if n else None,
            "scorer": float(total[:, 1].sum() / n) if n else None,
        },
        "confusion": {
            "labels": list(LABELS),
            "rows": "human label",
            "columns": "predicted label",
            "table": total.tolist(),
        },
    }


def _defined_pearson(
    sample: Sample, differences: Floats, tau_b: Resampled, tau_b_without: Floats
) -> tuple[Resampled, Floats]:
    """Pearson's r, and r without each item; NaN where tau-b, by exact counts, is undefined."""

    def defined(counted: Floats, summed: Floats) -> Floats:
        return np.where(np.isnan(counted), np.nan, summed)

    clusters, count = sample.clusters, sample.cluster_count
    found = resample_pearson(
        correlation.cluster_moments(differences, sample.y, clusters, count), sample.weights
    )
    without_item = correlation.leave_one_out(correlation.item_moments(differences, sample.y))
    pearson = Resampled(
        np.nan if np.isnan(tau_b.value) else found.value,
        defined(tau_b.bootstrap, found.bootstrap),
        defined(tau_b.without_reference, found.without_reference),
    )
    return pearson, defined(tau_b_without, without_item)


def _without_item(total: Integers) -> dict[str, Floats]:
    """Each statistic of labels without each of n items. Input: 3 x 3 counts of the items."""
    # Items in the same cell leave the same table behind, so nine tables stand for n.
    cells = np.eye(9).reshape(9, 3, 3)[total.ravel() > 0]
    repeats = total.ravel()[total.ravel() > 0].astype(np.int64)
    return {
        name: np.repeat(definition.of_tables(total - cells), repeats)
        for name, definition in LABEL_FIGURES.items()
    }


def _figure(
    resampled: Resampled, without_item: Floats, lowest: float, reason: str
) -> dict[str, Any]:
    if np.isnan(resampled.value):
        return no_figure(reason)
    count = len(resampled.without_reference)
    intervals = {
        "bootstrap": resampling.percentile_interval(resampled.bootstrap, count),
        "jackknife-t": resampling.jackknife_t_interval(
            resampled.value, resampled.without_reference, lowest
        ),
    }
    first = intervals[resampling.interval_method(count)]
    return with_interval(resampled.value, first) | {
        "intervals": {
            name: {"low": interval.low, "high": interval.high}
            for name, interval in intervals.items()
        },
        "design_effect": _design_effect(resampled.without_reference, without_item),
    }


def _design_effect(without_reference: Floats, without_item: Floats) -> float | None:
    """Variance with items grouped by reference over variance as if all were independent."""
    if len(without_reference) < 2:
        return None
    grouped = resampling.jackknife_variance(without_reference)
    independent = resampling.jackknife_variance(without_item)
    if np.isnan(grouped) or np.isnan(independent) or independent < 1e-24:
        return None
    return grouped / independent


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
    return _resample_pairs(
        sample,
        correlation.count_pairs(differences, sample.y, sample.clusters, sample.cluster_count),
    )


def _resample_pairs(sample: Sample, pairs: correlation.PairCounts) -> Resampled:
    everything = np.ones((1, sample.cluster_count))
    return Resampled(
        value=float(correlation.weighted_tau_b(pairs, everything)[0]),
        bootstrap=correlation.weighted_tau_b(pairs, sample.weights),
        without_reference=correlation.leave_one_reference_out(pairs),
    )


def resample_pearson(moments: correlation.Moments, weights: NDArray[np.int16]) -> Resampled:
    """Pearson's r, resampled by reference. Input: R references as units, W x R resamples."""
    return Resampled(
        value=float(correlation.weighted_pearson(moments, np.ones((1, len(moments.n))))[0]),
        bootstrap=correlation.weighted_pearson(moments, weights),
        without_reference=correlation.leave_one_out(moments),
    )


def resample_labels(sample: Sample, tables: Integers, names: Iterable[str]) -> dict[str, Resampled]:
    """Statistics of labels, resampled by reference.

    Input: the sample of n items in R references; R x 3 x 3 counts of their labels; keys of
    LABEL_FIGURES. Output: by name, numbers in the range of the statistic, NaN where undefined.
    """
    counts = tables.astype(np.float64)
    total = counts.sum(axis=0)
    drawn = resampling.weighted_sums(sample.weights, counts.reshape(-1, LEVELS * LEVELS))
    drawn_tables = drawn.reshape(-1, LEVELS, LEVELS)
    functions = {name: LABEL_FIGURES[name].of_tables for name in names}
    return {
        name: Resampled(
            value=float(of_tables(total)),
            bootstrap=of_tables(drawn_tables),
            without_reference=of_tables(total - counts),
        )
        for name, of_tables in functions.items()
    }


def part_of(sample: Sample, places: Integers) -> tuple[Sample, Integers]:
    """Take some items of a sample, on the same resamples.

    Input: the sample; the places of k >= 1 items in it. Output: a sample of them whose references
    are numbered anew, and the numbers that these had before.
    """
    references, clusters = np.unique(sample.clusters[places], return_inverse=True)
    weights = sample.weights[:, references]
    return Sample(sample.y[places], clusters, len(references), weights), references


def interval_of(resampled: Resampled, lowest: float, highest: float) -> Interval:
    """The 95 % interval that a report prints first: jackknife t below 1,000 references.

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
    return with_interval(resampled.value, interval_of(resampled, lowest, highest))


def with_interval(value: float, interval: Interval) -> dict[str, Any]:
    """Write a defined value and its interval as `value`, `low`, `high`, or also a `reason`."""
    figure = {"value": value, "low": interval.low, "high": interval.high}
    return figure | ({"reason": interval.reason} if interval.reason else {})


def tau_b_figure(sample: Sample, differences: Floats) -> dict[str, Any]:
    """tau-b of n score differences with a sample's labels, as figure_of() writes it."""
    reason = classification.order_reason_of(differences, sample.y)
    return figure_of(resample_tau_b(sample, differences), reason)


def no_figure(reason: str) -> dict[str, Any]:
    """A figure that is undefined, with the sentence on the reason."""
    return {"value": None, "low": None, "high": None, "reason": reason}
