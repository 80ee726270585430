"""Correlations between a scorer and people: tau-b twice, the paper's tau, Spearman, Pearson."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.agreement.classification import predicted_labels
from scoring.agreement.items import AgreementError, Floats, Integers
from scoring.agreement.moments import cluster_moments, weighted_pearson
from scoring.agreement.pair_counts import count_pairs, tau_b_of_counts, weighted_tau_b
from scoring.agreement.statistics import Statistic, order_reason, slot_reason, statistic
from scoring.agreement.tables import LEVELS, confusion, divide, label_array

_LEVEL = np.arange(LEVELS)
_HUMAN, _PREDICTED = (grid.ravel() for grid in np.meshgrid(_LEVEL, _LEVEL, indexing="ij"))
_HUMAN_SIGN = np.sign(_HUMAN[:, None] - _HUMAN[None, :]).astype(np.float64)
_PREDICTED_SIGN = np.sign(_PREDICTED[:, None] - _PREDICTED[None, :]).astype(np.float64)
_CELL_SIGNS = (_HUMAN_SIGN * _PREDICTED_SIGN, np.abs(_PREDICTED_SIGN), np.abs(_HUMAN_SIGN))

# A label as the ranks of its two slots: -1 is (2, 1), 0 is (1, 1), 1 is (1, 2); 1 here = rank 2.
_SLOT_IS_SECOND = np.array([[1, 0], [0, 0], [0, 1]], dtype=np.float64)


def tau_b(differences: Sequence[float] | Floats, y: Sequence[int] | Integers) -> Statistic:
    """Kendall's tau-b of score differences with the human labels; it needs no tie threshold.

    Input: n differences score(B) - score(C), any finite numbers; n labels -1, 0, 1.
    Output: a number in [-1, 1], or None where one side is constant.
    Formula: (P - Q) / sqrt((P + Q + X)(P + Q + Y)) over the pairs of items: P concordant,
    Q discordant, X tied only in the differences, Y tied only in the labels.
    Source: Kendall, 1945.
    """
    x, labels = _checked(differences, y)
    pairs = count_pairs(x, labels, np.zeros(len(x), dtype=np.int64), 1)
    value = float(weighted_tau_b(pairs, np.ones((1, 1)))[0])
    return statistic(value, order_reason(confusion(predicted_labels(x, 0.0), labels)))


def pearson(differences: Sequence[float] | Floats, y: Sequence[int] | Integers) -> Statistic:
    """Pearson's correlation of score differences with the human labels.

    Unlike tau-b it asks how large a difference is: one wild score can move it far.
    Input: n differences score(B) - score(C), any finite numbers; n labels -1, 0, 1.
    Output: a number in [-1, 1], or None where one side is constant. Formula: the covariance over
    the product of the standard deviations. Source: Pearson, 1895.
    """
    x, labels = _checked(differences, y)
    value = np.nan
    if (x != x[:1]).any():
        moments = cluster_moments(x, labels, np.zeros(len(x), dtype=np.int64), 1)
        value = float(weighted_pearson(moments, np.ones((1, 1)))[0])
    return statistic(value, order_reason(confusion(predicted_labels(x, 0.0), labels)))


def tau_b_labels(predicted: Sequence[int] | Integers, y: Sequence[int] | Integers) -> Statistic:
    """Kendall's tau-b of predicted labels with human labels, over the items.

    Input: two lists of n labels -1, 0, 1. Output: a number in [-1, 1], or None where one side is
    constant. Formula and source: as tau_b.
    """
    table = confusion(predicted, y)
    return statistic(float(tau_b_of_tables(table)), order_reason(table))


def tau_paper(predicted: Sequence[int] | Integers, y: Sequence[int] | Integers) -> Statistic:
    """The tau that PatentEval and Patent-CE print, which is not tau-b over the items.

    Each label becomes a ranking of two slots (1 is 1,2; -1 is 2,1; 0 is 1,1), the slots of all
    items are put in one row, and tau-b is taken over the 2n slots.
    Input: two lists of n labels -1, 0, 1. Output: a number in [-1, 1], or None where one side
    has ties only. Source: Zuo et al., NAACL 2024, as followed by Jiang et al., ACL 2025.
    """
    table = confusion(predicted, y)
    return statistic(float(tau_paper_of_tables(table)), slot_reason(table))


def spearman(predicted: Sequence[int] | Integers, y: Sequence[int] | Integers) -> Statistic:
    """Spearman's rho of predicted labels with human labels, over the items.

    Input: two lists of n labels -1, 0, 1. Output: a number in [-1, 1], or None where one side is
    constant. Formula: Pearson's correlation of the mid-ranks. Source: Spearman, 1904.
    """
    table = confusion(predicted, y)
    return statistic(float(spearman_of_tables(table)), order_reason(table))


def tau_b_of_tables(tables: Floats | Integers) -> Floats:
    """tau-b of labels for each table. Input: ... x 3 x 3 counts. Output: ... numbers or NaN."""
    cells = _cells(tables)
    counts = np.stack([((cells @ signs) * cells).sum(axis=-1) for signs in _CELL_SIGNS])
    return tau_b_of_counts(counts)


def tau_paper_of_tables(tables: Floats | Integers) -> Floats:
    """The papers' tau for each table. Input: ... x 3 x 3 counts. Output: ... numbers or NaN.

    The 2n slots hold two ranks only, so tau-b over them is the phi coefficient of a 2 x 2 table:
    (m * both - p * q) / sqrt(p (m - p) q (m - q)) with m = 2n slots, p and q the slots of rank 2
    on either side, and `both` those of rank 2 on both.
    """
    counts = np.asarray(tables, dtype=np.float64)
    both = np.einsum("...ij,is,js->...", counts, _SLOT_IS_SECOND, _SLOT_IS_SECOND)
    human = counts.sum(axis=-1) @ _SLOT_IS_SECOND.sum(axis=1)
    predicted = counts.sum(axis=-2) @ _SLOT_IS_SECOND.sum(axis=1)
    slots = 2 * counts.sum(axis=(-2, -1))
    root = np.sqrt(human * (slots - human) * predicted * (slots - predicted))
    return np.clip(divide(slots * both - human * predicted, root), -1.0, 1.0)


def spearman_of_tables(tables: Floats | Integers) -> Floats:
    """Spearman's rho for each table. Input: ... x 3 x 3 counts. Output: ... numbers or NaN."""
    counts = np.asarray(tables, dtype=np.float64)
    human, predicted = counts.sum(axis=-1), counts.sum(axis=-2)
    x, y = _centred_midranks(human), _centred_midranks(predicted)
    covariance = np.einsum("...ij,...i,...j->...", counts, x, y)
    root = np.sqrt((human * x**2).sum(axis=-1) * (predicted * y**2).sum(axis=-1))
    return np.clip(divide(covariance, root), -1.0, 1.0)


def _checked(
    differences: Sequence[float] | Floats, y: Sequence[int] | Integers
) -> tuple[Floats, Integers]:
    x = np.asarray(differences, dtype=np.float64).ravel()
    labels = label_array(y)
    if len(x) != len(labels):
        raise AgreementError("There must be as many differences as human labels.")
    if not np.isfinite(x).all():
        raise AgreementError("Every difference must be a finite number.")
    return x, labels


def _centred_midranks(margin: Floats) -> Floats:
    """Mid-rank of each level less the mean rank: (items below - items above) / 2."""
    through = np.cumsum(margin, axis=-1)
    total = through[..., -1:]
    return ((through - margin) - (total - through)) / 2


def _cells(tables: Floats | Integers) -> Floats:
    counts = np.asarray(tables, dtype=np.float64)
    return counts.reshape(*counts.shape[:-2], LEVELS * LEVELS)
