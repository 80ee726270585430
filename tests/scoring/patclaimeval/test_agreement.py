"""Tests of the agreement figures used inside training."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score

from scoring.agreement.classification import predicted_labels
from scoring.patclaimeval.validation import best_tie_threshold, macro_f1, summarise


def test_macro_f1_equals_that_of_sklearn() -> None:
    labels = np.array([1.0, 1, 0, -1, -1, 0, 1])
    predicted = np.array([1.0, 0, 0, -1, 1, 0, -1])
    assert macro_f1(predicted, labels) == pytest.approx(
        f1_score(labels, predicted, average="macro")
    )


def test_threshold_separates_ties_from_decided_items() -> None:
    differences = np.array([0.01, -0.02, 0.3, -0.4])
    labels = np.array([0.0, 0, 1, -1])
    threshold = best_tie_threshold(differences, labels)
    assert 0.02 < threshold < 0.3
    assert predicted_labels(differences, threshold).tolist() == labels.tolist()


def test_threshold_is_zero_where_there_are_no_ties_to_find() -> None:
    assert best_tie_threshold(np.array([0.1, -0.2]), np.array([1.0, -1.0])) == 0.0


def test_no_items_give_no_figures() -> None:
    nothing = np.array([])
    assert summarise(nothing, nothing, 0.1) == {
        "n": 0, "tau_b": None, "tau_b_labels": None, "accuracy": None, "macro_f1": None,
    }  # fmt: skip
