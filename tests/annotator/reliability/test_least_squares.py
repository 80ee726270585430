"""The additive fit equals dense least squares with a constraint, its covariance and hat matrix."""

from typing import Any

import numpy as np
import pytest

from annotator.reliability.severity import component_numbers, fit_additive
from core.statistics.tables import Table
from tests.amounts import tries
from tests.core.statistics.conftest import make_table, random_tables


def dense_fit(table: Table) -> dict[str, Any]:
    """Marks for each item and annotator; one heavy row a group holds the sum of effects at 0."""
    item, annotator = np.nonzero(table.is_rated)
    y = table.values[item, annotator]
    marks = np.column_stack(
        [item[:, None] == np.arange(len(table.items)),
         annotator[:, None] == np.arange(len(table.annotators))]
    ).astype(float)  # fmt: skip
    groups = component_numbers(table)
    sums = (groups == np.unique(groups)[:, None]).astype(float)
    padded = np.column_stack([np.zeros((len(sums), len(table.items))), sums])
    both = np.vstack([marks, padded])
    estimates = np.linalg.lstsq(both, np.concatenate([y, np.zeros(len(sums))]))[0]
    rank = np.linalg.matrix_rank(marks)
    rest = y - marks @ estimates
    # Lagrange: the covariance under the constraint is the upper corner of the bordered inverse.
    inverse = np.linalg.pinv(both.T @ both)
    covariance = inverse @ marks.T @ marks @ inverse
    hat = np.diag(marks @ np.linalg.pinv(marks.T @ marks) @ marks.T)
    freedom = len(y) - rank
    return {
        "items": estimates[: len(table.items)],
        "effects": estimates[len(table.items) :],
        "variances": np.diag(covariance)[len(table.items) :],
        "rest": rest,
        "hat": hat,
        "sd": np.sqrt(rest @ rest / freedom) if freedom else np.nan,
    }


def test_the_fit_equals_dense_least_squares_on_random_tables() -> None:
    for table in random_tables(tries(400)):
        fast, slow = fit_additive(table), dense_fit(table)
        used = table.is_rated.any(axis=0)
        rated = table.is_rated.any(axis=1)
        shown = table.is_rated
        assert np.allclose(fast.effects[used], slow["effects"][used], atol=1e-9)
        assert np.allclose(fast.item_effects[rated], slow["items"][rated], atol=1e-9)
        assert np.allclose(np.diag(fast.unit_covariance)[used], slow["variances"][used], atol=1e-9)
        assert np.allclose(fast.residuals[shown], slow["rest"], atol=1e-9)
        assert np.allclose(fast.leverages[shown], slow["hat"], atol=1e-9)
        assert (fast.residual_sd is None) == bool(np.isnan(slow["sd"]))
        if fast.residual_sd is not None:
            assert fast.residual_sd == pytest.approx(slow["sd"], abs=1e-9)


def test_no_ratings_fit_nothing() -> None:
    fit = fit_additive(make_table(np.zeros((0, 0))))
    assert (len(fit.effects), fit.residual_sd) == (0, None)
