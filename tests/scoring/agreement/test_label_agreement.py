"""Two scorers' labels are counted against each other, rows the first's."""

import numpy as np
from sklearn.metrics import confusion_matrix

from scoring.agreement.classification import label_table, predicted_labels, with_label_tables


def test_a_table_counted_by_hand() -> None:
    first = np.array([0.5, 0.5, -0.5, 0.0])
    second = np.array([0.5, -0.5, -0.5, 0.2])
    # Both C; first equal, second B; first B, second C; both B.
    assert label_table(first, second, 0.1) == [[1, 0, 0], [0, 0, 1], [1, 0, 1]]
    assert label_table(second, first, 0.1) == [[1, 0, 1], [0, 0, 0], [0, 1, 1]]


def test_a_table_is_that_of_a_second_implementation() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(size=(2, 300))
    labels = [predicted_labels(values, 0.3) for values in (first, second)]
    expected = confusion_matrix(*labels, labels=[-1, 0, 1]).tolist()
    assert label_table(first, second, 0.3) == expected


def test_every_pair_gets_its_own_table() -> None:
    differences = {"a": np.array([1.0, -1.0]), "b": np.array([1.0, 1.0])}
    pairs = [{"first": "a", "second": "b", "p": 0.5}, {"first": "b", "second": "a", "p": 0.5}]
    found = with_label_tables(
        {"best": [], "families": [{"name": "x", "pairs": pairs}]}, differences, 0
    )
    tables = [pair["labels"] for pair in found["families"][0]["pairs"]]
    assert tables == [[[0, 0, 1], [0, 0, 0], [0, 0, 1]], [[0, 0, 0], [0, 0, 0], [1, 0, 1]]]
    assert found["best"] == [] and found["families"][0]["pairs"][0]["p"] == 0.5
