"""A tie threshold for each scorer, chosen on other references than those it is judged on."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from patclaimeval.agreement.classification import cluster_confusions
from patclaimeval.agreement.figures import LABEL_FIGURES, Sample, figure_of, resample_labels
from patclaimeval.agreement.items import Floats, Integers
from patclaimeval.statistics.resampling import divide

FOLDS: Final = 10
LEAST_REFERENCES: Final = 3
FIGURES: Final = ("accuracy", "f1_weighted", "f1_macro", "tau_paper", "tau_b_labels")
TOO_FEW: Final = (
    f"A tie threshold is chosen on other references than it is judged on; with fewer than "
    f"{LEAST_REFERENCES} references that cannot be done."
)
METHOD: Final = (
    "Tie threshold with the highest weighted F1 on the references of the other folds, applied to "
    "the references of this fold (Deutsch, Foster, Freitag 2023). Shown: its median and range "
    "over folds; figures over all items, each labelled by a threshold that its reference had no "
    "part in; intervals take these thresholds as given. in_sample: the best threshold for these "
    "very items, which flatters the scorer and is never to be quoted alone."
)


def calibrate(sample: Sample, differences: Floats, seed: int = 0) -> dict[str, Any]:
    """Choose tie thresholds by folds of references and judge them on the references left out.

    Input: the sample of n items; n finite differences score(B) - score(C); a whole seed >= 0,
    which draws the folds. Output: JSON-ready: threshold (median over folds, >= 0), low and high
    (their range), folds, in_sample (threshold and f1_weighted), and each figure of FIGURES as
    value, low, high; or a reason alone below 3 references.
    Source: Deutsch, Foster and Freitag, 2023, "Ties matter".
    """
    if sample.cluster_count < LEAST_REFERENCES:
        return {"reason": TOO_FEW}
    folds = reference_folds(sample.cluster_count, seed)[sample.clusters]
    count = int(folds.max()) + 1
    order = np.argsort(np.abs(differences), kind="stable")
    x, y, fold = differences[order], sample.y[order], folds[order]
    chosen = np.array([best_threshold(x[fold != k], y[fold != k])[0] for k in range(count)])
    in_sample, f1_weighted = best_threshold(x, y)
    return {
        "threshold": float(np.median(chosen)),
        "low": float(chosen.min()),
        "high": float(chosen.max()),
        "folds": count,
        "in_sample": {"threshold": in_sample, "f1_weighted": f1_weighted},
        **_label_figures(sample, labels_by_threshold(differences, chosen[folds])),
    }


def reference_folds(references: int, seed: int) -> Integers:
    """Deal R references into folds at random. Output: R fold numbers from 0 to min(R, 10) - 1."""
    dealt = np.arange(references) % min(references, FOLDS)
    return np.random.default_rng([seed, references]).permutation(dealt)


def labels_by_threshold(differences: Floats, thresholds: Floats) -> Integers:
    """Label n differences, each by a threshold >= 0 of its own. Output: n of -1, 0, 1."""
    is_tie = np.abs(differences) <= thresholds
    return np.where(is_tie, 0, np.sign(differences)).astype(np.int64)


def best_threshold(x: Floats, y: Integers) -> tuple[float, float]:
    """Find the tie threshold with the highest weighted F1 by trying each that makes a difference.

    Input: n >= 1 finite differences by ascending size |x|, n labels -1, 0, 1. Output: the smallest
    of the best among 0 and the n values |x|, and its weighted F1: a threshold between two of these
    labels as the lower one does.
    Formula: weighted F1 as in classification.f1_weighted_of_tables. Time grows with n.
    """
    size, n = np.abs(x), len(x)
    right, tied = np.sign(x) == y, y == 0
    # Index k: the k smallest differences are ties. Items of difference 0 are ties from the start.
    hits = {0: _running(tied)}
    predicted = {0: np.arange(n + 1, dtype=np.float64)}
    for label in (-1, 1):
        hits[label] = _remaining(right & (y == label))
        predicted[label] = _remaining(np.sign(x) == label)
    f1 = np.zeros(n + 1)
    for label in (-1, 0, 1):
        people = np.count_nonzero(y == label)
        of_class = divide(hits[label], (predicted[label] + people) / 2)
        f1 += people / n * np.nan_to_num(of_class, nan=0.0)
    # A threshold takes all items of one size, so only the last place of each size is possible.
    is_last = np.append(size[1:] != size[:-1], True)
    places = np.concatenate([[np.count_nonzero(size == 0)], np.flatnonzero(is_last) + 1])
    best = int(places[np.argmax(f1[places])])
    return float(size[best - 1]) if best else 0.0, float(f1[best])


def _running(is_counted: NDArray[np.bool_]) -> Floats:
    """How many of the first k are counted, for k from 0 to n."""
    return np.concatenate([[0.0], np.cumsum(is_counted, dtype=np.float64)])


def _remaining(is_counted: NDArray[np.bool_]) -> Floats:
    """How many are counted from place k on, for k from 0 to n."""
    running = _running(is_counted)
    return np.asarray(running[-1] - running)


def _label_figures(sample: Sample, predicted: Integers) -> dict[str, Any]:
    tables = cluster_confusions(predicted, sample.y, sample.clusters, sample.cluster_count)
    total: Integers = tables.sum(axis=0)
    return {
        name: figure_of(found, LABEL_FIGURES[name].reason(total), LABEL_FIGURES[name].lowest)
        for name, found in resample_labels(sample, tables, FIGURES).items()
    }
