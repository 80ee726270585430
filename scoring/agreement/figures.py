"""All agreement figures of one scorer on one set of items, each with its intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.agreement import classification, correlation, pair_counts, resampling
from scoring.agreement import statistics as words
from scoring.agreement.items import LABELS, Floats, Integers, Item, cluster_numbers, labels_of
from scoring.agreement.tables import cluster_confusions


@dataclass(frozen=True, slots=True)
class LabelFigure:
    """How one statistic of labels is computed from tables, its lowest value, its reason."""

    of_tables: Callable[[Floats], Floats]
    lowest: float
    reason: Callable[[Integers], str]


LABEL_FIGURES = {
    "tau_b_labels": LabelFigure(correlation.tau_b_of_tables, -1.0, words.order_reason),
    "tau_paper": LabelFigure(correlation.tau_paper_of_tables, -1.0, words.slot_reason),
    "spearman": LabelFigure(correlation.spearman_of_tables, -1.0, words.order_reason),
    "accuracy": LabelFigure(classification.accuracy_of_tables, 0.0, words.share_reason),
    "f1_weighted": LabelFigure(classification.f1_weighted_of_tables, 0.0, words.share_reason),
    "f1_macro": LabelFigure(classification.f1_macro_of_tables, 0.0, words.share_reason),
    "decisive_accuracy": LabelFigure(
        classification.decisive_accuracy_of_tables, 0.0, words.share_reason
    ),
}
FIGURE_NAMES = ("tau_b", *LABEL_FIGURES)


@dataclass(frozen=True, slots=True)
class Sample:
    """Items made ready to be measured: n labels, n reference numbers, W x R resamples."""

    y: Integers
    clusters: Integers
    cluster_count: int
    weights: Floats


@dataclass(frozen=True, slots=True)
class Resampled:
    """One statistic: on all items, on each resample, without each reference, without each item."""

    value: float
    lowest: float
    bootstrap: Floats
    without_reference: Floats
    without_item: Floats


def make_sample(items: Sequence[Item], resamples: int, seed: int) -> Sample:
    """Prepare n >= 1 items once for all scorers, which then share the same resamples."""
    clusters, cluster_count = cluster_numbers(items)
    weights = resampling.bootstrap_weights(cluster_count, resamples, seed)
    return Sample(labels_of(items), clusters, cluster_count, weights)


def measure(sample: Sample, differences: Floats, predicted: Integers) -> dict[str, Any]:
    """Compute every figure of one scorer.

    Input: the sample of n items; n differences score(B) - score(C); n predicted labels.
    Output: JSON-ready: each name of FIGURE_NAMES with `value`, `low`, `high` and both intervals,
    then `n`, `references`, `interval`, `tie_rates` and `confusion`.
    """
    tables = cluster_confusions(predicted, sample.y, sample.clusters, sample.cluster_count)
    total: Integers = tables.sum(axis=0)
    by_difference = _resampled(sample, differences)
    figures = {"tau_b": _figure(by_difference, sample.cluster_count, words.order_reason(total))}
    for name, definition in LABEL_FIGURES.items():
        resampled = _resampled_labels(sample, tables, definition)
        figures[name] = _figure(resampled, sample.cluster_count, definition.reason(total))
    return figures | _counts(total, sample.cluster_count)


def no_figures(reason: str) -> dict[str, Any]:
    """The same shape as measure() gives, for no items: every value None, with the reason."""
    nothing = {"value": None, "low": None, "high": None, "reason": reason}
    figures: dict[str, Any] = {name: dict(nothing) for name in FIGURE_NAMES}
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


def _resampled(sample: Sample, differences: Floats) -> Resampled:
    pairs = pair_counts.count_pairs(differences, sample.y, sample.clusters, sample.cluster_count)
    everything = np.ones((1, sample.cluster_count))
    return Resampled(
        value=float(pair_counts.weighted_tau_b(pairs, everything)[0]),
        lowest=-1.0,
        bootstrap=pair_counts.weighted_tau_b(pairs, sample.weights),
        without_reference=pair_counts.leave_one_reference_out(pairs),
        without_item=pair_counts.leave_one_item_out(pairs),
    )


def _resampled_labels(sample: Sample, tables: Integers, definition: LabelFigure) -> Resampled:
    counts = tables.astype(np.float64)
    total = counts.sum(axis=0)
    # Items in the same cell leave the same table behind, so nine tables stand for n.
    cells = np.eye(9).reshape(9, 3, 3)[total.ravel() > 0]
    repeats = total.ravel()[total.ravel() > 0].astype(np.int64)
    return Resampled(
        value=float(definition.of_tables(total)),
        lowest=definition.lowest,
        bootstrap=definition.of_tables(np.tensordot(sample.weights, counts, axes=1)),
        without_reference=definition.of_tables(total - counts),
        without_item=np.repeat(definition.of_tables(total - cells), repeats),
    )


def _figure(resampled: Resampled, cluster_count: int, reason: str) -> dict[str, Any]:
    if np.isnan(resampled.value):
        return {"value": None, "low": None, "high": None, "reason": reason}
    intervals = {
        "bootstrap": resampling.percentile_interval(resampled.bootstrap, cluster_count),
        "jackknife-t": resampling.jackknife_t_interval(
            resampled.value, resampled.without_reference, resampled.lowest
        ),
    }
    first = intervals[resampling.interval_method(cluster_count)]
    figure: dict[str, Any] = {"value": resampled.value, "low": first.low, "high": first.high}
    if first.reason:
        figure["reason"] = first.reason
    figure["intervals"] = {
        name: {"low": interval.low, "high": interval.high} for name, interval in intervals.items()
    }
    figure["design_effect"] = _design_effect(resampled)
    return figure


def _design_effect(resampled: Resampled) -> float | None:
    """Variance with items grouped by reference over variance as if all were independent."""
    if len(resampled.without_reference) < 2:
        return None
    grouped = resampling.jackknife_variance(resampled.without_reference)
    independent = resampling.jackknife_variance(resampled.without_item)
    if np.isnan(grouped) or np.isnan(independent) or independent < 1e-24:
        return None
    return grouped / independent
