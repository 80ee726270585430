"""Weighted pair counts give the tau-b that scipy gives for the repeated or shortened items."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from scoring.agreement import pair_counts
from scoring.agreement.pair_counts import (
    PairCounts,
    count_pairs,
    leave_one_item_out,
    leave_one_reference_out,
    weighted_tau_b,
)

N, REFERENCES = 60, 7
RNG = np.random.default_rng(11)
Y = RNG.integers(-1, 2, size=N)
X = np.round(RNG.normal(size=N) + 0.6 * Y, 1).astype(np.float64)
CLUSTERS = np.concatenate([np.arange(REFERENCES), RNG.integers(0, REFERENCES, N - REFERENCES)])


@pytest.fixture(params=[500_000, 150], ids=["one block", "many blocks"])
def pairs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> PairCounts:
    monkeypatch.setattr(pair_counts, "CELLS_AT_ONCE", request.param)
    return count_pairs(X, Y, CLUSTERS, REFERENCES)


def test_a_weighted_tau_is_that_of_items_drawn_several_times(pairs: PairCounts) -> None:
    weights = RNG.multinomial(REFERENCES, [1 / REFERENCES] * REFERENCES, size=25).astype(float)
    expected = []
    for row in weights:
        drawn = np.repeat(np.arange(N), row[CLUSTERS].astype(int))
        expected.append(kendalltau(X[drawn], Y[drawn]).statistic)
    assert weighted_tau_b(pairs, weights) == pytest.approx(expected, abs=1e-9)


def test_leaving_out_a_reference_equals_scipy_without_its_items(pairs: PairCounts) -> None:
    expected = [
        kendalltau(X[left != CLUSTERS], Y[left != CLUSTERS]).statistic for left in range(REFERENCES)
    ]
    assert leave_one_reference_out(pairs) == pytest.approx(expected, abs=1e-9)


def test_leaving_out_an_item_equals_scipy_without_it(pairs: PairCounts) -> None:
    expected = [kendalltau(np.delete(X, i), np.delete(Y, i)).statistic for i in range(N)]
    assert leave_one_item_out(pairs) == pytest.approx(expected, abs=1e-9)


def test_a_resample_without_any_order_is_undefined() -> None:
    pairs = count_pairs(np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 1]), 2)
    values = weighted_tau_b(pairs, np.array([[2.0, 0.0], [1.0, 1.0]]))
    assert np.isnan(values[0])
    assert values[1] == -1.0
