"""Agreement of score differences with labels, and the tie threshold, for use inside training."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def tau_b(left: Vector, right: Vector) -> float | None:
    """Return Kendall's tau-b of two vectors of shape [n], in [-1, 1]; None where undefined.

    Formula: (concordant - discordant) / sqrt((N - T_left)(N - T_right)) over the N = n(n-1)/2
    pairs, T being the pairs tied in one vector. Source: Kendall 1945. Undefined if a vector
    is constant or n < 2. Time and memory grow with n squared.
    """
    above = np.triu_indices(len(left), k=1)
    first = np.sign(left[:, None] - left[None, :])[above]
    second = np.sign(right[:, None] - right[None, :])[above]
    scale = float(np.count_nonzero(first)) * float(np.count_nonzero(second))
    return float((first * second).sum() / np.sqrt(scale)) if scale else None


def decide(differences: Vector, threshold: float) -> Vector:
    """Return predicted labels, shape [n]: sign of the difference, 0 at or below the threshold."""
    return np.where(np.abs(differences) <= threshold, 0.0, np.sign(differences))


def macro_f1(predicted: Vector, labels: Vector) -> float:
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
    return float(max(options, key=lambda t: (macro_f1(decide(differences, t), labels), -t)))


def summarise(differences: Vector, labels: Vector, threshold: float) -> dict[str, Any]:
    """Return n, tau_b (differences), tau_b_labels, accuracy and macro_f1; None where undefined."""
    if not len(labels):
        return dict.fromkeys(("tau_b", "tau_b_labels", "accuracy", "macro_f1")) | {"n": 0}
    predicted = decide(differences, threshold)
    return {
        "n": len(labels),
        "tau_b": tau_b(differences, labels),
        "tau_b_labels": tau_b(predicted, labels),
        "accuracy": float(np.mean(predicted == labels)),
        "macro_f1": macro_f1(predicted, labels),
    }
