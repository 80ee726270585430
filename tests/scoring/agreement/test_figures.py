"""Figures of a scorer equal direct computation, and their intervals brute-force resampling."""

import numpy as np
import pytest
from scipy import stats

from scoring.agreement import classification, correlation
from scoring.agreement.classification import predicted_labels
from scoring.agreement.figures import FIGURE_NAMES, make_sample, measure, no_figures
from scoring.agreement.items import Item

LABEL_STATISTICS = {
    "tau_b_labels": correlation.tau_b_labels,
    "tau_paper": correlation.tau_paper,
    "spearman": correlation.spearman,
    "accuracy": classification.accuracy,
    "f1_weighted": classification.f1_weighted,
    "f1_macro": classification.f1_macro,
    "decisive_accuracy": classification.decisive_accuracy,
}
N, REFERENCES, RESAMPLES = 90, 9, 200
RNG = np.random.default_rng(21)
Y = RNG.integers(-1, 2, size=N)
DIFFERENCES = np.round(RNG.normal(size=N) + 0.7 * Y, 1).astype(np.float64)
PREDICTED = predicted_labels(DIFFERENCES, 0.2)
ITEMS = [
    Item(f"r{index % REFERENCES}", f"R{index % REFERENCES}", f"b{index}", f"c{index}", int(y))
    for index, y in enumerate(Y)
]
SAMPLE = make_sample(ITEMS, RESAMPLES, seed=4)
FIGURES = measure(SAMPLE, DIFFERENCES, PREDICTED)


def value_on(name: str, kept: np.ndarray) -> float:
    if name == "tau_b":
        value = correlation.tau_b(DIFFERENCES[kept], Y[kept]).value
    elif name == "pearson":
        value = float(stats.pearsonr(DIFFERENCES[kept], Y[kept]).statistic)
    else:
        value = LABEL_STATISTICS[name](PREDICTED[kept], Y[kept]).value
    assert value is not None
    return value


@pytest.mark.parametrize("name", FIGURE_NAMES)
def test_the_value_is_that_of_the_direct_computation(name: str) -> None:
    assert FIGURES[name]["value"] == pytest.approx(value_on(name, np.arange(N)), abs=1e-9)


@pytest.mark.parametrize("name", FIGURE_NAMES)
def test_the_bootstrap_interval_is_that_of_items_drawn_by_reference(name: str) -> None:
    values = [
        value_on(name, np.repeat(np.arange(N), weights[SAMPLE.clusters].astype(int)))
        for weights in SAMPLE.weights
    ]
    interval = FIGURES[name]["intervals"]["bootstrap"]
    expected = np.quantile(values, [0.025, 0.975])
    assert (interval["low"], interval["high"]) == pytest.approx(tuple(expected), abs=1e-9)


@pytest.mark.parametrize("name", FIGURE_NAMES)
def test_the_printed_interval_is_the_jackknife_t_below_forty_references(name: str) -> None:
    everything = np.arange(N)
    without = np.array(
        [value_on(name, everything[SAMPLE.clusters != r]) for r in range(REFERENCES)]
    )
    error = np.sqrt((REFERENCES - 1) / REFERENCES * ((without - without.mean()) ** 2).sum())
    half = stats.t.ppf(0.975, REFERENCES - 1) * error
    low, high = FIGURES[name]["value"] - half, FIGURES[name]["value"] + half
    assert FIGURES["interval"] == "jackknife-t"
    assert (FIGURES[name]["low"], FIGURES[name]["high"]) == pytest.approx((low, high), abs=1e-9)

    single = np.array([value_on(name, np.delete(everything, item)) for item in range(N)])
    independent = (N - 1) / N * ((single - single.mean()) ** 2).sum()
    assert FIGURES[name]["design_effect"] == pytest.approx(error**2 / independent, rel=1e-9)


def test_counts_stand_beside_the_figures() -> None:
    assert (FIGURES["n"], FIGURES["references"]) == (N, REFERENCES)
    assert FIGURES["tie_rates"]["people"] == pytest.approx((Y == 0).mean())
    assert FIGURES["tie_rates"]["scorer"] == pytest.approx((PREDICTED == 0).mean())
    assert np.sum(FIGURES["confusion"]["table"]) == N
    assert FIGURES["confusion"]["labels"] == [-1, 0, 1]


def test_forty_references_print_the_bootstrap_interval() -> None:
    items = [Item(f"r{i % 40}", "A", f"b{i}", f"c{i}", int(y)) for i, y in enumerate(Y)]
    figures = measure(make_sample(items, RESAMPLES, 0), DIFFERENCES, PREDICTED)
    assert figures["interval"] == "bootstrap"
    assert figures["tau_b"]["low"] == figures["tau_b"]["intervals"]["bootstrap"]["low"]


def test_a_scorer_without_order_is_undefined_in_words() -> None:
    figures = measure(SAMPLE, np.zeros(N), np.zeros(N, dtype=np.int64))
    for name in ("tau_b", "tau_b_labels", "tau_paper", "spearman", "pearson"):
        assert (figures[name]["value"], figures[name]["low"], figures[name]["high"]) == (None,) * 3
        assert "scorer" in figures[name]["reason"]
    assert figures["accuracy"]["value"] == pytest.approx((Y == 0).mean())


def test_one_reference_gives_values_without_intervals() -> None:
    items = [Item("r", "A", f"b{i}", f"c{i}", int(y)) for i, y in enumerate(Y)]
    figure = measure(make_sample(items, RESAMPLES, 0), DIFFERENCES, PREDICTED)["tau_b"]
    assert figure["value"] == pytest.approx(FIGURES["tau_b"]["value"])
    assert (figure["low"], figure["high"], figure["design_effect"]) == (None, None, None)
    assert "one reference" in figure["reason"]


def test_no_items_give_the_same_shape() -> None:
    nothing = no_figures("Because.")
    assert nothing.keys() == FIGURES.keys()
    assert all(nothing[name]["reason"] == "Because." for name in FIGURE_NAMES)
    assert nothing["n"] == 0
