"""How far a trained model agrees with people on its validation items, beside n-gram overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from patclaimeval.agreement.classification import predicted_labels
from patclaimeval.agreement.comparisons import Compared, planned_pairs
from patclaimeval.agreement.figures import (
    Sample,
    make_sample,
    measure,
    tau_b_figure,
)
from patclaimeval.agreement.items import DEFAULT_RESAMPLES, Integers, Item, contains_reference
from patclaimeval.models.data import Quadruplet
from patclaimeval.models.overlaps import overlap_differences

Vector = NDArray[np.float64]


def macro_f1(predicted: Integers, labels: Vector) -> float:
    """Return the mean over the label classes present of F1 = 2TP / (2TP + FP + FN), in [0, 1]."""
    values = []
    for label in np.unique(labels):
        hit = np.count_nonzero((predicted == label) & (labels == label))
        wrong = np.count_nonzero((predicted == label) != (labels == label))
        values.append(2 * hit / (2 * hit + wrong))
    return float(np.mean(values))


def best_tie_threshold(differences: Vector, labels: Vector) -> float:
    """Return the threshold >= 0 with the best macro F1 on the given items, shape [n] each.

    Candidates are 0 and the midpoints between neighbouring absolute differences; of equal ones
    the smallest wins. Give differences of items that the model was not trained on.
    Source: threshold calibration after Deutsch, Foster and Freitag, EMNLP 2023.
    """
    sizes = np.unique(np.abs(differences))
    options = np.concatenate([[0.0], (sizes[1:] + sizes[:-1]) / 2])
    return float(
        max(options, key=lambda t: (macro_f1(predicted_labels(differences, t), labels), -t))
    )


SUMMARY: Final = ("tau_b", "tau_b_labels", "accuracy", "macro_f1")
FIGURES: Final = ("tau_b", "tau_b_labels", "accuracy", "decisive_accuracy")


def measure_validation(
    items: Sequence[Quadruplet],
    differences: Vector,
    threshold: float,
    beside: Mapping[str, Vector] | None = None,
) -> dict[str, Any]:
    """Measure n score differences s(B) - s(C), shape [n], against the labels of n items.

    Output, JSON-ready: ``n`` and SUMMARY; ``references``; ``interval``, the name of the method;
    ``figures``, each of FIGURES with value, low and high, 95 % clustered by reference;
    ``tie_rates`` of people and of the model; ``without_reference``, n and tau_b over the items in
    which neither candidate is the reference; ``overlaps``, for each n-gram metric, and of what else
    stands ``beside`` with its differences by name, its tau_b and ``lead``, the model's tau-b minus
    its own: value, paired interval, p, p_holm over all of them, and verdict. None where undefined.
    Nothing but ``n`` and SUMMARY where there are no items.
    """
    if not len(items):
        return {"n": 0, **dict.fromkeys(SUMMARY)}
    labels = np.array([item.y for item in items], dtype=np.float64)
    predicted = predicted_labels(differences, threshold)
    compared = as_items(items)
    sample = make_sample(compared, DEFAULT_RESAMPLES, 0)
    others = overlap_differences(items) | dict(beside or {})
    told = measure(sample, differences, predicted)
    return {
        "n": len(items),
        **{name: told[name]["value"] for name in SUMMARY[:3]},
        "macro_f1": macro_f1(predicted, labels),
        "references": sample.cluster_count,
        "interval": told["interval"],
        "figures": {name: _short(told[name]) for name in FIGURES},
        "tie_rates": told["tie_rates"],
        "without_reference": _without_reference(compared, differences),
        "overlaps": _overlaps(sample, differences, others),
    }


def as_items(items: Sequence[Quadruplet]) -> list[Item]:
    """Return n quadruplets as the items that the agreement figures are made of."""
    return [Item(i.reference_id, i.reference, i.b, i.c, i.y) for i in items]


def _overlaps(
    sample: Sample, ours: Vector, others: Mapping[str, Vector]
) -> dict[str, dict[str, Any]]:
    """Test the model against each of the others, as an agreement report makes its planned tests."""
    # None of the others can have this name, and a model is what planned tests compare.
    pairs = planned_pairs(Compared(sample, {"model:": ours, **others}))
    return {
        pair["second"]: {
            "tau_b": tau_b_figure(sample, others[pair["second"]]),
            "lead": {"value": pair["difference"]}
            | {name: pair[name] for name in ("low", "high", "p", "p_holm", "verdict")},
        }
        for pair in pairs
    }


def _without_reference(items: Sequence[Item], differences: Vector) -> dict[str, Any]:
    kept = [i for i, item in enumerate(items) if not contains_reference(item)]
    if not kept:
        return {"n": 0, "tau_b": {"value": None, "low": None, "high": None}}
    sample = make_sample([items[i] for i in kept], DEFAULT_RESAMPLES, 0)
    return {"n": len(kept), "tau_b": tau_b_figure(sample, differences[kept])}


def _short(figure: dict[str, Any]) -> dict[str, Any]:
    """Keep of a figure what a card tells: its value, its first interval, why there is none."""
    return {name: figure[name] for name in ("value", "low", "high", "reason") if name in figure}
