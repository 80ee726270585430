import numpy as np
from sklearn.metrics import confusion_matrix

from scoring.agreement.classification import label_table, predicted_labels


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
