"""The three-way decision B better, tie, C better: labels from scores, and how often they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from patclaimeval.agreement.items import LABELS, AgreementError, Floats, Integers, Labels
from patclaimeval.statistics.resampling import divide

NO_ITEMS = "There are no items to compare."
SAME_HUMAN_LABEL = "Every item carries the same human label, so there is no order to agree with."
SAME_PREDICTION = "The scorer does not tell any two items apart, so it gives no order to compare."
NO_DECISION = "People called every item a tie, so there is no preference to find again."
ALL_HUMAN_TIES = "People called every item a tie, so there is no order to agree with."
ALL_SCORER_TIES = "The scorer calls every item a tie, so it gives no order to compare."


LEVELS = len(LABELS)


def label_array(labels: Labels) -> Integers:
    """Check and convert labels. Input: n of -1, 0, 1. Output: an integer array of length n."""
    given = np.asarray(labels).ravel()
    if not np.isin(given, LABELS).all():
        raise AgreementError("Labels must be -1, 0 or 1.")
    return given.astype(np.int64)


def confusion(predicted: Labels, y: Labels) -> Integers:
    """Count items by human label (rows) and predicted label (columns), both ordered -1, 0, 1.

    Input: two label lists of one length n. Output: a 3 x 3 integer table that sums to n.
    """
    predicted, y = label_array(predicted), label_array(y)
    table: Integers = cluster_confusions(predicted, y, np.zeros(len(y), dtype=np.int64), 1)[0]
    return table


def cluster_confusions(
    predicted: Integers, y: Integers, clusters: Integers, cluster_count: int
) -> Integers:
    """Count one 3 x 3 table a reference, so that a resample's table is a weighted sum.

    Input: n predicted labels, n human labels, n cluster numbers in 0..R-1, and R.
    Output: an R x 3 x 3 integer array; rows are human labels, columns predicted ones.
    """
    if not len(predicted) == len(y) == len(clusters):
        raise AgreementError("There must be as many predicted labels as human labels.")
    cells = (clusters * LEVELS + y + 1) * LEVELS + predicted + 1
    counts = np.bincount(cells, minlength=cluster_count * LEVELS * LEVELS)
    return counts.reshape(cluster_count, LEVELS, LEVELS)


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number, or None with a plain reason; never NaN."""

    value: float | None
    reason: str | None = None


def statistic(value: float, reason: str) -> Statistic:
    """Wrap a number; NaN becomes None with the reason. Input: any float. Output: a Statistic."""
    return Statistic(None, reason) if np.isnan(value) else Statistic(float(value))


def order_reason(table: Integers) -> str:
    """Return why an order over items is undefined, from the 3 x 3 table of labels."""
    if table.sum() == 0:
        return NO_ITEMS
    if np.count_nonzero(table.sum(axis=1)) < 2:
        return SAME_HUMAN_LABEL
    return SAME_PREDICTION


def order_reason_of(differences: Floats, y: Integers) -> str:
    """Return why an order over n items is undefined, from their score differences and labels."""
    return order_reason(confusion(predicted_labels(differences, 0.0), y))


def slot_reason(table: Integers) -> str:
    """Return why tau over two-slot rankings is undefined, from the 3 x 3 table of labels."""
    if table.sum() == 0:
        return NO_ITEMS
    if table[[0, 2], :].sum() == 0:
        return ALL_HUMAN_TIES
    return ALL_SCORER_TIES


def share_reason(table: Integers) -> str:
    """Return why a share of items is undefined, from the 3 x 3 table of labels."""
    return NO_ITEMS if table.sum() == 0 else NO_DECISION


def predicted_labels(differences: Sequence[float] | Floats, tie_threshold: float) -> Integers:
    """Turn score differences into labels: sign(difference), 0 where |difference| <= threshold.

    Input: n finite differences score(B) - score(C); a threshold >= 0.
    Output: n whole numbers, each -1, 0 or 1. Source: Jiang et al., ACL 2025, section 5.
    """
    if not tie_threshold >= 0:
        raise AgreementError(f"The tie threshold must be 0 or more, and is {tie_threshold}.")
    x = np.asarray(differences, dtype=np.float64).ravel()
    return np.where(np.abs(x) <= tie_threshold, 0, np.sign(x)).astype(np.int64)


def accuracy_of_tables(tables: Floats | Integers) -> Floats:
    """Share of items whose predicted label is the human one, for each table.

    Input: ... x 3 x 3 counts. Output: ... shares in [0, 1], NaN without items.
    """
    counts = np.asarray(tables, dtype=np.float64)
    return divide(_hits(counts).sum(axis=-1), counts.sum(axis=(-2, -1)))


def f1_weighted_of_tables(tables: Floats | Integers) -> Floats:
    """Mean F1 of the three classes, each weighted by its human labels, for each table.

    Input: ... x 3 x 3 counts. Output: ... shares in [0, 1], NaN without items.
    Formula: sum over classes of (human items / n) x 2 TP / (human items + predicted items).
    Source: as scikit-learn's f1_score(average="weighted").
    """
    counts = np.asarray(tables, dtype=np.float64)
    human = counts.sum(axis=-1)
    return divide((human * _class_f1(counts)).sum(axis=-1), human.sum(axis=-1))


def f1_macro_of_tables(tables: Floats | Integers) -> Floats:
    """Plain mean F1 of the classes that occur on either side, for each table.

    Input: ... x 3 x 3 counts. Output: ... shares in [0, 1], NaN without items.
    Source: as scikit-learn's f1_score(average="macro").
    """
    counts = np.asarray(tables, dtype=np.float64)
    occurs = (counts.sum(axis=-1) + counts.sum(axis=-2)) > 0
    return divide(_class_f1(counts).sum(axis=-1), occurs.sum(axis=-1).astype(np.float64))


def decisive_accuracy_of_tables(tables: Floats | Integers) -> Floats:
    """Share, of the items where people prefer one candidate, in which the scorer prefers it too.

    A predicted tie on such an item counts as wrong.
    Input: ... x 3 x 3 counts. Output: ... shares in [0, 1], NaN where all are ties.
    """
    counts = np.asarray(tables, dtype=np.float64)[..., [0, 2], :]
    return divide(counts[..., 0, 0] + counts[..., 1, 2], counts.sum(axis=(-2, -1)))


def _hits(counts: Floats) -> Floats:
    return np.diagonal(counts, axis1=-2, axis2=-1)


def _class_f1(counts: Floats) -> Floats:
    """F1 of each class; 0 for a class that occurs on neither side, where its weight is 0 too."""
    present = counts.sum(axis=-1) + counts.sum(axis=-2)
    return np.nan_to_num(divide(2 * _hits(counts), present), nan=0.0)


def label_table(first: Floats, second: Floats, tie_threshold: float) -> list[list[int]]:
    """Count n items by the labels that two scorers give them.

    Input: n score differences of each, the tie threshold >= 0. Output: 3 x 3 counts that sum to n;
    rows the first scorer's labels -1, 0, 1, columns the second's.
    """
    one, other = (predicted_labels(values, tie_threshold) for values in (first, second))
    table: list[list[int]] = confusion(other, one).tolist()
    return table
