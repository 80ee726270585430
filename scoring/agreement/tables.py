"""Counts of human label against predicted label, from which every label statistic follows."""

from __future__ import annotations

import numpy as np

from scoring.agreement.items import LABELS, AgreementError, Integers, Labels

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
