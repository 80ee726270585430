import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from patclaimeval.agreement.correlation import (
    count_pairs,
    leave_one_item_out,
    leave_one_reference_out,
    weighted_tau_b,
)
from patclaimeval.statistics import resampling
from tests.amounts import tries
from tests.patclaimeval.agreement.samples import item_arrays

# (difference, label, reference): few distinct differences, so that most are tied.
ROWS = st.tuples(st.integers(-4, 4), st.sampled_from((-1, 0, 1)), st.integers(0, 5))
ITEMS = st.lists(ROWS, min_size=2, max_size=40)
REFERENCES = 6


def scipy_tau(x: np.ndarray, y: np.ndarray) -> float:
    if len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2:
        return np.nan
    return float(kendalltau(x.ravel(), y.ravel()).statistic)


@given(ITEMS, st.lists(st.integers(0, 3), min_size=REFERENCES, max_size=REFERENCES))
def test_a_weighted_tau_is_that_of_items_drawn_several_times(rows, times) -> None:
    x, y, clusters = item_arrays(rows)
    drawn = np.repeat(np.arange(len(x)), np.array(times)[clusters])
    own = weighted_tau_b(count_pairs(x, y, clusters, REFERENCES), np.array([times, [1] * 6]))
    expected = [scipy_tau(x[drawn], y[drawn]), scipy_tau(x, y)]
    assert own == pytest.approx(expected, abs=1e-9, nan_ok=True)


@given(ITEMS)
def test_leaving_out_a_reference_equals_scipy_without_it(rows) -> None:
    x, y, clusters = item_arrays(rows)
    expected = [scipy_tau(x[clusters != r], y[clusters != r]) for r in range(REFERENCES)]
    own = leave_one_reference_out(count_pairs(x, y, clusters, REFERENCES))
    assert own == pytest.approx(expected, abs=1e-9, nan_ok=True)


@settings(max_examples=tries(40))
@given(ITEMS)
def test_leaving_out_an_item_equals_scipy_without_it(rows) -> None:
    x, y, clusters = item_arrays(rows)
    expected = [scipy_tau(np.delete(x, i), np.delete(y, i)) for i in range(len(x))]
    own = leave_one_item_out(count_pairs(x, y, clusters, REFERENCES))
    assert own == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_differences_without_ties_equal_scipy_too() -> None:
    rng = np.random.default_rng(11)
    y, clusters = rng.integers(-1, 2, size=300), rng.integers(0, 9, size=300)
    x = rng.normal(size=300) + 0.6 * y
    pairs = count_pairs(x, y, clusters, 9)
    without = [scipy_tau(x[clusters != r], y[clusters != r]) for r in range(9)]
    assert weighted_tau_b(pairs, np.ones((1, 9))) == pytest.approx([scipy_tau(x, y)], abs=1e-9)
    assert leave_one_reference_out(pairs) == pytest.approx(without, abs=1e-9)
    assert leave_one_item_out(pairs)[7] == pytest.approx(
        scipy_tau(np.delete(x, 7), np.delete(y, 7)), abs=1e-9
    )


@pytest.mark.parametrize("cells", [150, 7, 1])
def test_blocks_of_resamples_and_of_items_give_what_all_at_once_give(monkeypatch, cells) -> None:
    rng = np.random.default_rng(12)
    y, clusters = rng.integers(-1, 2, size=60), rng.integers(0, 7, size=60)
    weights = rng.multinomial(7, [1 / 7] * 7, size=25)
    for decimals in (0, 1, 9):
        pairs = count_pairs(np.round(rng.normal(size=60), decimals), y, clusters, 7)
        with monkeypatch.context() as patch:
            at_once = weighted_tau_b(pairs, weights)
            patch.setattr(resampling, "CELLS_AT_ONCE", cells)
            assert (weighted_tau_b(pairs, weights) == at_once).all()


def test_the_largest_numbers_there_are_keep_their_order() -> None:
    x = np.array([-1.7e308, 1.7e308, 0.0, 5e-324, -0.0])
    y = np.array([-1, 1, 0, 1, 0])
    pairs = count_pairs(x, y, np.zeros(5, dtype=np.int64), 1)
    assert weighted_tau_b(pairs, np.ones((1, 1)))[0] == pytest.approx(scipy_tau(x, y), abs=1e-9)


def test_a_resample_without_any_order_is_undefined() -> None:
    pairs = count_pairs(np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 1]), 2)
    values = weighted_tau_b(pairs, np.array([[2.0, 0.0], [1.0, 1.0]]))
    assert np.isnan(values[0])
    assert values[1] == -1.0
