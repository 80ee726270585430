import numpy as np
import pytest
from scipy import stats

from patclaimeval.statistics import resampling
from patclaimeval.statistics.resampling import (
    NO_RESAMPLES,
    NO_SPREAD,
    ONE_REFERENCE,
    UNDEFINED_RESAMPLES,
    UNDEFINED_WITHOUT_ONE,
    bootstrap_weights,
    interval_method,
    jackknife_t_interval,
    jackknife_variance,
    percentile_interval,
    weighted_sums,
)


def test_each_resample_draws_as_many_references_as_there_are() -> None:
    weights = bootstrap_weights(12, 500, seed=3)
    assert weights.shape == (500, 12)
    assert (weights.sum(axis=1) == 12).all()
    assert weights.mean(axis=0) == pytest.approx(np.ones(12), abs=0.2)
    assert weights.max() > 1


def test_resamples_do_not_depend_on_how_many_are_drawn_at_once(monkeypatch) -> None:
    at_once = bootstrap_weights(9, 100, seed=5)
    monkeypatch.setattr(resampling, "CELLS_AT_ONCE", 60)
    assert (bootstrap_weights(9, 100, seed=5) == at_once).all()
    assert bootstrap_weights(9, 0, seed=5).shape == (0, 9)


def test_sums_of_a_resample_are_those_of_the_references_drawn(monkeypatch) -> None:
    weights, sums = bootstrap_weights(6, 40, seed=1), np.random.default_rng(2).normal(size=(6, 3))
    expected = [np.repeat(sums, row, axis=0).sum(axis=0) for row in weights]
    for cells in (resampling.CELLS_AT_ONCE, 20):
        monkeypatch.setattr(resampling, "CELLS_AT_ONCE", cells)
        assert weighted_sums(weights, sums) == pytest.approx(np.array(expected), abs=1e-9)
    assert weighted_sums(weights[:0], sums).shape == (0, 3)


def test_few_undefined_resamples_are_left_out_and_many_leave_no_interval() -> None:
    values = np.arange(100.0)
    values[:5] = np.nan
    assert percentile_interval(values, 50).low == pytest.approx(5 + 0.025 * 94)
    values[5] = np.nan
    assert percentile_interval(values, 50).reason == UNDEFINED_RESAMPLES


def test_jackknife_of_a_mean_gives_the_textbook_standard_error() -> None:
    sample = np.array([2.0, 4.0, 9.0, 1.0, 7.0])
    without = np.array([np.delete(sample, i).mean() for i in range(5)])
    assert jackknife_variance(without) == pytest.approx(sample.var(ddof=1) / 5, abs=1e-9)
    interval = jackknife_t_interval(sample.mean(), without, -100.0, 100.0)
    expected = stats.t.interval(0.95, 4, sample.mean(), stats.sem(sample))
    assert (interval.low, interval.high) == pytest.approx(expected, abs=1e-9)


def test_what_has_no_interval_says_why() -> None:
    assert jackknife_t_interval(0.5, np.array([np.nan]), 0.0).reason == ONE_REFERENCE
    assert percentile_interval(np.full(100, 0.5), 1).reason == ONE_REFERENCE
    assert percentile_interval(np.empty(0), 9).reason == NO_RESAMPLES
    assert jackknife_t_interval(1.0, np.ones(6), -1.0).reason == NO_SPREAD
    assert percentile_interval(np.ones(100), 6).reason == NO_SPREAD
    interval = jackknife_t_interval(0.5, np.array([0.4, np.nan, 0.6]), -1.0)
    assert (interval.low, interval.high, interval.reason) == (None, None, UNDEFINED_WITHOUT_ONE)


def test_the_jackknife_comes_first_where_it_covers_better() -> None:
    assert [interval_method(count) for count in (2, 40, 50, 100, 200)] == ["jackknife-t"] * 5
    assert interval_method(1_000) == "bootstrap"
