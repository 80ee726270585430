"""The smallest difference follows from the clustered standard error, and is found as often."""

import numpy as np
import pytest
from scipy import stats

from scoring.agreement.comparisons import NO_PAIR, detectable_difference


def test_the_difference_is_a_multiple_of_the_median_standard_error() -> None:
    found = detectable_difference([0.03, 0.05, 0.4], 20, 184)
    multiple = stats.t.ppf(0.975, 19) + stats.t.ppf(0.8, 19)
    assert found["smallest_difference"] == pytest.approx(multiple * 0.05, abs=1e-9)
    assert (found["power"], found["alpha"]) == (0.8, 0.05)
    assert "184 items of 20 references" in found["sentence"]
    assert f"{found['smallest_difference']:.2f}" in found["sentence"]
    assert "before Holm's correction" in found["sentence"]


def test_a_true_difference_of_that_size_is_found_four_times_in_five() -> None:
    error, references, runs = 0.07, 30, 20_000
    smallest = detectable_difference([error], references, 300)["smallest_difference"]
    random = np.random.default_rng(4)
    spread = error * np.sqrt(references)
    samples = smallest + spread * random.normal(size=(runs, references))
    found = stats.ttest_1samp(samples, 0, axis=1)
    assert np.mean(found.pvalue < 0.05) == pytest.approx(0.8, abs=0.015)


def test_fewer_references_need_a_larger_difference() -> None:
    few, many = (
        detectable_difference([0.1], references, 50)["smallest_difference"]
        for references in (3, 300)
    )
    assert few > 1.5 * many
    assert many == pytest.approx(0.1 * (1.96 + 0.84), rel=0.01)


def test_a_difference_beyond_one_is_called_hopeless() -> None:
    assert "too few" in detectable_difference([0.5], 5, 12)["sentence"]


def test_without_two_scorers_or_two_references_nothing_is_claimed() -> None:
    for errors, references in (([], 20), ([0.1], 1)):
        found = detectable_difference(errors, references, 9)
        assert (found["smallest_difference"], found["sentence"]) == (None, NO_PAIR)
