"""The three-way decision B better, tie, C better: labels from scores, and how often they agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from scoring.agreement.items import AgreementError, Floats, Integers
from scoring.agreement.statistics import Statistic, share_reason, statistic
from scoring.agreement.tables import confusion, divide


def predicted_labels(differences: Sequence[float] | Floats, tie_threshold: float) -> Integers:
    """Turn score differences into labels: sign(difference), 0 where |difference| <= threshold.

    Input: n finite differences score(B) - score(C); a threshold >= 0.
    Output: n whole numbers, each -1, 0 or 1. Source: Jiang et al., ACL 2025, section 5.
    """
    if not tie_threshold >= 0:
        raise AgreementError(f"The tie threshold must be 0 or more, and is {tie_threshold}.")
    x = np.asarray(differences, dtype=np.float64).ravel()
    return np.where(np.abs(x) <= tie_threshold, 0, np.sign(x)).astype(np.int64)


def accuracy(predicted: Sequence[int] | Integers, y: Sequence[int] | Integers) -> Statistic:
    """Share of items whose predicted label is the human one.

    Input: two lists of n labels -1, 0, 1. Output: a share in [0, 1]; None without items.
    """
    return _share(accuracy_of_tables, predicted, y)


def f1_weighted(predicted: Sequence[int] | Integers, y: Sequence[int] | Integers) -> Statistic:
    """Mean F1 of the three classes, each weighted by its number of human labels.

    Input: two lists of n labels -1, 0, 1. Output: a share in [0, 1]; None without items.
    Formula: sum over classes of (human items / n) x 2 TP / (human items + predicted items).
    Source: as scikit-learn's f1_score(average="weighted").
    """
    return _share(f1_weighted_of_tables, predicted, y)


def f1_macro(predicted: Sequence[int] | Integers, y: Sequence[int] | Integers) -> Statistic:
    """Plain mean F1 of the classes that occur among the human or the predicted labels.

    Input: two lists of n labels -1, 0, 1. Output: a share in [0, 1]; None without items.
    Source: as scikit-learn's f1_score(average="macro").
    """
    return _share(f1_macro_of_tables, predicted, y)


def decisive_accuracy(
    predicted: Sequence[int] | Integers, y: Sequence[int] | Integers
) -> Statistic:
    """Share, among the items where people prefer one candidate, in which the scorer prefers it too.

    A predicted tie on such an item counts as wrong.
    Input: two lists of n labels -1, 0, 1. Output: a share in [0, 1]; None where all are ties.
    """
    return _share(decisive_accuracy_of_tables, predicted, y)


def accuracy_of_tables(tables: Floats | Integers) -> Floats:
    """Accuracy for each table. Input: ... x 3 x 3 counts. Output: ... shares, NaN = undefined."""
    counts = np.asarray(tables, dtype=np.float64)
    return divide(_hits(counts).sum(axis=-1), counts.sum(axis=(-2, -1)))


def f1_weighted_of_tables(tables: Floats | Integers) -> Floats:
    """Weighted F1 for each table. Input: ... x 3 x 3 counts. Output: ... shares or NaN."""
    counts = np.asarray(tables, dtype=np.float64)
    human = counts.sum(axis=-1)
    return divide((human * _class_f1(counts)).sum(axis=-1), human.sum(axis=-1))


def f1_macro_of_tables(tables: Floats | Integers) -> Floats:
    """Macro F1 for each table. Input: ... x 3 x 3 counts. Output: ... shares or NaN."""
    counts = np.asarray(tables, dtype=np.float64)
    occurs = (counts.sum(axis=-1) + counts.sum(axis=-2)) > 0
    return divide(_class_f1(counts).sum(axis=-1), occurs.sum(axis=-1).astype(np.float64))


def decisive_accuracy_of_tables(tables: Floats | Integers) -> Floats:
    """Decisive accuracy for each table. Input: ... x 3 x 3 counts. Output: ... shares or NaN."""
    counts = np.asarray(tables, dtype=np.float64)[..., [0, 2], :]
    return divide(counts[..., 0, 0] + counts[..., 1, 2], counts.sum(axis=(-2, -1)))


def _share(
    of_tables: Callable[[Integers], Floats],
    predicted: Sequence[int] | Integers,
    y: Sequence[int] | Integers,
) -> Statistic:
    table = confusion(predicted, y)
    return statistic(float(of_tables(table)), share_reason(table))


def _hits(counts: Floats) -> Floats:
    return np.diagonal(counts, axis1=-2, axis2=-1)


def _class_f1(counts: Floats) -> Floats:
    """F1 of each class; 0 for a class that occurs on neither side, where its weight is 0 too."""
    present = counts.sum(axis=-1) + counts.sum(axis=-2)
    return np.nan_to_num(divide(2 * _hits(counts), present), nan=0.0)
