"""Intervals of several figures leave out, or draw, whole references."""

import numpy as np
import pytest
from scipy import stats

from patclaimeval.statistics import resampling
from patclaimeval.statistics.resampling import NO_SPREAD, ONE_REFERENCE, bootstrap_weights, divide
from scoring.ranking import ANY, Bootstrap, figures_of

RNG = np.random.default_rng(2)


def means_of(sums: np.ndarray):
    return lambda weights: divide(weights @ sums, weights.sum(axis=1, keepdims=True))


def test_few_references_have_the_jackknife() -> None:
    sums = RNG.normal(size=(12, 2))
    found = figures_of(means_of(sums), Bootstrap(12, 100, 0), ANY, "")
    for column, figure in zip(sums.T, found, strict=True):
        low, high = stats.t.interval(0.95, 11, column.mean(), stats.sem(column))
        assert figure == {
            "value": pytest.approx(column.mean(), abs=1e-9),
            "low": pytest.approx(low, abs=1e-9),
            "high": pytest.approx(high, abs=1e-9),
        }


def test_many_references_have_the_bootstrap(monkeypatch) -> None:
    monkeypatch.setattr(resampling, "SMALL_CLUSTER_COUNT", 40)
    sums = RNG.normal(size=(40, 2))
    found = figures_of(means_of(sums), Bootstrap(40, 250, 3), ANY, "")
    drawn = bootstrap_weights(40, 250, 3) @ sums / 40
    for column, figure in zip(drawn.T, found, strict=True):
        expected = np.quantile(column, [0.025, 0.975])
        assert (figure["low"], figure["high"]) == pytest.approx(tuple(expected), abs=1e-9)


def test_an_interval_is_cut_at_the_ends_of_the_range() -> None:
    sums = np.array([[0.0], [1.0], [1.0]])
    (figure,) = figures_of(means_of(sums), Bootstrap(3, 100, 0), (0.0, 1.0), "")
    assert (figure["low"], figure["high"]) == (0.0, 1.0)


def test_what_is_undefined_says_why() -> None:
    nothing = figures_of(
        lambda weights: np.full((len(weights), 1), np.nan), Bootstrap(5, 100, 0), ANY, "Because."
    )
    assert nothing == [{"value": None, "low": None, "high": None, "reason": "Because."}]
    (one,) = figures_of(means_of(np.ones((1, 1))), Bootstrap(1, 100, 0), ANY, "")
    assert (one["value"], one["low"], one["reason"]) == (1.0, None, ONE_REFERENCE)
    (same,) = figures_of(means_of(np.ones((6, 1))), Bootstrap(6, 100, 0), ANY, "")
    assert (same["value"], same["reason"]) == (1.0, NO_SPREAD)
