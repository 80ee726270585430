"""Pearson's r from sums by reference equals scipy on the repeated or shortened items."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr

from patclaimeval.agreement.correlation import (
    cluster_moments,
    item_moments,
    leave_one_out,
    weighted_pearson,
)
from patclaimeval.statistics import resampling
from tests.amounts import tries
from tests.patclaimeval.agreement.samples import item_arrays

# Whole numbers of eighths: their sums are exact, so equal numbers have no spread of rounding.
ROWS = st.tuples(st.integers(-400, 400), st.sampled_from((-1, 0, 1)), st.integers(0, 5))
ITEMS = st.lists(ROWS, min_size=2, max_size=40)
REFERENCES = 6


def scipy_r(x: np.ndarray, y: np.ndarray) -> float:
    if len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2:
        return np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(pearsonr(x, y).statistic)


def is_close(own: np.ndarray, expected: list[float]) -> bool:
    """Whether all are equal to 1e-9 where defined: rounding may leave a spread where none is."""
    defined = ~np.isnan(expected)
    return bool(np.allclose(own[defined], np.array(expected)[defined], rtol=0, atol=1e-9))


@given(ITEMS, st.lists(st.integers(0, 3), min_size=REFERENCES, max_size=REFERENCES))
def test_a_weighted_r_is_that_of_items_drawn_several_times(rows, times) -> None:
    x, y, clusters = item_arrays(rows)
    drawn = np.repeat(np.arange(len(x)), np.array(times)[clusters])
    own = weighted_pearson(cluster_moments(x, y, clusters, REFERENCES), np.array([times, [1] * 6]))
    assert is_close(own, [scipy_r(x[drawn], y[drawn]), scipy_r(x, y)])


@given(ITEMS)
def test_leaving_out_a_reference_equals_scipy_without_it(rows) -> None:
    x, y, clusters = item_arrays(rows)
    own = leave_one_out(cluster_moments(x, y, clusters, REFERENCES))
    assert is_close(own, [scipy_r(x[clusters != r], y[clusters != r]) for r in range(REFERENCES)])


@settings(max_examples=tries(40))
@given(ITEMS)
def test_leaving_out_an_item_equals_scipy_without_it(rows) -> None:
    x, y, _ = item_arrays(rows)
    own = leave_one_out(item_moments(x, y))
    assert is_close(own, [scipy_r(np.delete(x, i), np.delete(y, i)) for i in range(len(x))])


@pytest.mark.parametrize("wild", [1e4, 1e9, 1e30])
def test_leaving_out_one_wild_difference_keeps_the_digits_of_the_rest(wild) -> None:
    rng = np.random.default_rng(3)
    y, clusters = rng.integers(-1, 2, size=50), np.arange(50) % 5
    x = rng.normal(size=50) + y
    x[0] = wild
    without_item = leave_one_out(item_moments(x, y))
    assert without_item[0] == pytest.approx(scipy_r(x[1:], y[1:]), abs=1e-9)
    x[clusters == 0] = wild
    without_reference = leave_one_out(cluster_moments(x, y, clusters, 5))
    rest = clusters != 0
    assert without_reference[0] == pytest.approx(scipy_r(x[rest], y[rest]), abs=1e-9)


def test_the_largest_numbers_do_not_overflow() -> None:
    y, x = np.array([-1, 1, 0, 1, 0]), np.array([-1.0, 1.0, 0.25, 0.5, 0.0])
    units = item_moments(x * 1.7e308, y)
    assert weighted_pearson(units, np.ones((1, 5))) == pytest.approx([scipy_r(x, y)], abs=1e-9)


def test_differences_far_from_zero_keep_their_digits() -> None:
    rng = np.random.default_rng(4)
    y, clusters = rng.integers(-1, 2, size=60), np.arange(60) % 4
    x = 1e6 + rng.normal(size=60)
    own = weighted_pearson(cluster_moments(x, y, clusters, 4), np.ones((1, 4)))
    assert own == pytest.approx([scipy_r(x - 1e6, y)], abs=1e-9)


def test_blocks_of_resamples_give_what_all_at_once_give(monkeypatch) -> None:
    rng = np.random.default_rng(5)
    units = item_moments(rng.normal(size=30), rng.integers(-1, 2, size=30))
    weights = rng.integers(0, 3, size=(20, 30))
    at_once = weighted_pearson(units, weights)
    monkeypatch.setattr(resampling, "CELLS_AT_ONCE", 100)
    assert weighted_pearson(units, weights) == pytest.approx(at_once, abs=1e-12)


def test_no_spread_is_undefined() -> None:
    units = item_moments(np.array([0.0, 0.0, 1.0]), np.array([1, -1, 0]))
    assert np.isnan(weighted_pearson(units, np.array([[1, 1, 0], [0, 0, 5], [0, 0, 0]]))).all()
