"""Tables count human against predicted labels, one table a reference."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from patclaimeval.agreement.classification import (
    cluster_confusions,
    confusion,
    label_array,
    label_table,
)
from patclaimeval.agreement.items import AgreementError
from patclaimeval.statistics.resampling import divide


def test_rows_are_human_labels_and_columns_predicted_ones() -> None:
    table = confusion(predicted=[1, 1, 0, -1], y=[1, -1, -1, 0])
    assert table.tolist() == [[0, 1, 1], [1, 0, 0], [0, 0, 1]]


def test_two_scorers_labels_are_counted_in_one_table() -> None:
    first, second = np.array([0.5, 0.5, -0.5, 0.0]), np.array([0.5, -0.5, -0.5, 0.2])
    # Both C; first equal, second B; first B, second C; both B.
    assert label_table(first, second, 0.1) == [[1, 0, 0], [0, 0, 1], [1, 0, 1]]
    assert label_table(second, first, 0.1) == [[1, 0, 1], [0, 0, 0], [0, 1, 1]]


def test_the_table_equals_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    predicted, y = rng.integers(-1, 2, size=(2, 300))
    expected = confusion_matrix(y, predicted, labels=[-1, 0, 1])
    assert confusion(predicted, y).tolist() == expected.tolist()


def test_tables_of_references_sum_to_the_whole() -> None:
    rng = np.random.default_rng(2)
    predicted, y = rng.integers(-1, 2, size=(2, 50))
    tables = cluster_confusions(predicted, y, rng.integers(0, 7, size=50), 7)
    assert tables.shape == (7, 3, 3)
    assert tables.sum(axis=0).tolist() == confusion(predicted, y).tolist()


def test_lists_of_different_length_are_refused() -> None:
    with pytest.raises(AgreementError, match="as many predicted labels as human labels"):
        confusion([1, 0], [1])


@pytest.mark.parametrize("labels", [[2], [0.5], [1, -1, 3]])
def test_values_that_are_no_labels_are_refused(labels) -> None:
    with pytest.raises(AgreementError, match="Labels must be -1, 0 or 1"):
        label_array(labels)


def test_a_division_by_zero_is_undefined() -> None:
    result = divide(np.array([1.0, 3.0]), np.array([0.0, 2.0]))
    assert np.isnan(result[0])
    assert result[1] == 1.5
