"""Figures of a scorer equal direct computation, and their intervals brute-force resampling."""

import numpy as np
import pytest
from scipy import stats

from patclaimeval.agreement import correlation
from patclaimeval.agreement.classification import predicted_labels
from patclaimeval.agreement.figures import (
    FIGURE_NAMES,
    make_sample,
    make_sample_from_arrays,
    measure,
    no_figures,
)
from patclaimeval.agreement.items import AgreementError, Item
from patclaimeval.statistics import resampling
from tests.patclaimeval.agreement.samples import jackknife_half, of_labels

N, REFERENCES, RESAMPLES = 90, 9, 60
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


def value_on(name: str, chosen: np.ndarray) -> float:
    if name == "tau_b":
        value = correlation.tau_b(DIFFERENCES[chosen], Y[chosen]).value
    elif name == "pearson":
        value = float(stats.pearsonr(DIFFERENCES[chosen], Y[chosen]).statistic)
    else:
        value = of_labels(name)(PREDICTED[chosen], Y[chosen]).value
    assert value is not None
    return value


@pytest.mark.parametrize("name", FIGURE_NAMES)
def test_the_value_is_that_of_the_direct_computation(name) -> None:
    assert FIGURES[name]["value"] == pytest.approx(value_on(name, np.arange(N)), abs=1e-9)


@pytest.mark.parametrize("name", FIGURE_NAMES)
def test_the_bootstrap_interval_is_that_of_items_drawn_by_reference(name) -> None:
    values = [
        value_on(name, np.repeat(np.arange(N), weights[SAMPLE.clusters].astype(int)))
        for weights in SAMPLE.weights
    ]
    interval = FIGURES[name]["intervals"]["bootstrap"]
    expected = np.quantile(values, [0.025, 0.975])
    assert (interval["low"], interval["high"]) == pytest.approx(tuple(expected), abs=1e-9)


@pytest.mark.parametrize("name", FIGURE_NAMES)
def test_the_printed_interval_is_the_jackknife_t_for_few_references(name) -> None:
    everything = np.arange(N)
    without = np.array(
        [value_on(name, everything[SAMPLE.clusters != r]) for r in range(REFERENCES)]
    )
    half = jackknife_half(without)
    low, high = FIGURES[name]["value"] - half, FIGURES[name]["value"] + half
    assert FIGURES["interval"] == "jackknife-t"
    assert (FIGURES[name]["low"], FIGURES[name]["high"]) == pytest.approx((low, high), abs=1e-9)

    single = np.array([value_on(name, np.delete(everything, item)) for item in range(N)])
    independent = (N - 1) / N * ((single - single.mean()) ** 2).sum()
    clustered = (half / stats.t.ppf(0.975, REFERENCES - 1)) ** 2
    assert FIGURES[name]["design_effect"] == pytest.approx(clustered / independent, rel=1e-9)


def test_counts_stand_beside_the_figures() -> None:
    assert (FIGURES["n"], FIGURES["references"]) == (N, REFERENCES)
    assert FIGURES["tie_rates"]["people"] == pytest.approx((Y == 0).mean())
    assert FIGURES["tie_rates"]["scorer"] == pytest.approx((PREDICTED == 0).mean())
    assert np.sum(FIGURES["confusion"]["table"]) == N
    assert FIGURES["confusion"]["labels"] == [-1, 0, 1]


def test_many_references_print_the_bootstrap_interval(monkeypatch) -> None:
    monkeypatch.setattr(resampling, "SMALL_CLUSTER_COUNT", 40)
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


def planted(differences: np.ndarray, y: np.ndarray, clusters: np.ndarray) -> dict:
    sample = make_sample_from_arrays(y, clusters, RESAMPLES, 0)
    return measure(sample, differences, predicted_labels(differences, 0.0))


def test_items_and_arrays_make_the_same_sample() -> None:
    sample = make_sample_from_arrays(Y, np.arange(N) % REFERENCES, RESAMPLES, seed=4)
    assert measure(sample, DIFFERENCES, PREDICTED) == FIGURES


def test_arrays_that_make_no_sample_are_refused() -> None:
    for y, clusters in (([], []), ([1, 0], [0])):
        with pytest.raises(AgreementError, match="as many reference numbers as labels"):
            make_sample_from_arrays(y, clusters, RESAMPLES, 0)
    for clusters in ([0, 2], [-1, 0]):
        with pytest.raises(AgreementError, match="numbered from 0 on, without a gap"):
            make_sample_from_arrays([1, 0], clusters, RESAMPLES, 0)


def test_a_perfect_scorer_has_one_in_every_figure() -> None:
    figures = planted(Y.astype(float), Y, SAMPLE.clusters)
    for name in FIGURE_NAMES:
        assert figures[name]["value"] == pytest.approx(1.0, abs=1e-12)
        assert "cannot be estimated" in figures[name]["reason"]


def test_an_anti_scorer_has_the_lowest_of_every_figure() -> None:
    decided = np.where(Y == 0, 1, Y)
    figures = planted(-decided.astype(float), decided, SAMPLE.clusters)
    for name in FIGURE_NAMES:
        lowest = -1.0 if "tau" in name or name in ("spearman", "pearson") else 0.0
        assert figures[name]["value"] == pytest.approx(lowest, abs=1e-12)


def test_people_who_only_call_ties_leave_no_order_and_no_decision() -> None:
    figures = planted(DIFFERENCES, np.zeros(N, dtype=int), SAMPLE.clusters)
    undefined = {name for name in FIGURE_NAMES if figures[name]["value"] is None}
    assert undefined == set(FIGURE_NAMES) - {"accuracy", "f1_weighted", "f1_macro"}
    assert all(
        "People called" in figures[n]["reason"] or "same human label" in figures[n]["reason"]
        for n in undefined
    )


def test_one_class_of_labels_leaves_the_shares_only() -> None:
    figures = planted(DIFFERENCES, np.ones(N, dtype=int), SAMPLE.clusters)
    for name in ("tau_b", "tau_b_labels", "spearman", "pearson"):
        assert figures[name]["value"] is None
        assert "same human label" in figures[name]["reason"]
    expected = (DIFFERENCES > 0).mean()
    assert figures["accuracy"]["value"] == pytest.approx(expected, abs=1e-12)
    assert figures["decisive_accuracy"]["value"] == pytest.approx(expected, abs=1e-12)


def test_two_references_give_an_interval_from_two_values() -> None:
    clusters = np.arange(N) % 2
    figure = planted(DIFFERENCES, Y, clusters)["tau_b"]
    halves = [correlation.tau_b(DIFFERENCES[clusters == r], Y[clusters == r]) for r in (0, 1)]
    first, second = (half.value for half in halves)
    assert first is not None and second is not None
    half = stats.t.ppf(0.975, 1) * abs(first - second) / 2
    assert figure["high"] == pytest.approx(min(1.0, figure["value"] + half), abs=1e-9)
    assert figure["low"] == pytest.approx(max(-1.0, figure["value"] - half), abs=1e-9)


def test_pearson_is_undefined_in_a_resample_of_equal_differences() -> None:
    # In the first reference all differences are .1, of which no binary number is the exact mean.
    y, clusters = np.array([1, 0, -1, 1, 0, -1]), np.array([0, 0, 0, 1, 1, 1])
    figure = planted(np.array([0.1, 0.1, 0.1, 0.3, 0.2, 0.1]), y, clusters)["pearson"]
    assert figure["value"] is not None
    assert (figure["low"], figure["reason"]) == (None, resampling.UNDEFINED_WITHOUT_ONE)
    assert figure["intervals"]["bootstrap"]["low"] is None
