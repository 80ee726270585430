import numpy as np
import pytest
from scipy import stats

from patclaimeval.agreement.comparisons import (
    Compared,
    compare_scorers,
    draw_swaps,
    holm,
    permutation_p,
)
from patclaimeval.statistics import resampling
from tests.patclaimeval.agreement.samples import jackknife_half, sample_of

RNG = np.random.default_rng(8)
N, REFERENCES = 120, 12
CLUSTERS = np.arange(N) % REFERENCES
Y = RNG.integers(-1, 2, size=N)
GOOD = Y + RNG.normal(size=N) / 2
FAIR = Y + RNG.normal(size=N) * 2
SCORERS = {"good": GOOD, "fair": FAIR, "twin": FAIR * 10}
BASELINES = {"constant": np.zeros(N), "noise": RNG.normal(size=N), "fair": FAIR}
SAMPLE = sample_of(Y, CLUSTERS)
FOUND = compare_scorers(Compared(SAMPLE, SCORERS, BASELINES, {"good": "Good One"}))
PAIRS = {
    (family["name"], pair["first"], pair["second"]): pair
    for family in FOUND["families"]
    for pair in family["pairs"]
}


def others(reference: int) -> np.ndarray:
    return np.flatnonzero(CLUSTERS - reference)


def tau(values: np.ndarray, chosen: np.ndarray) -> float:
    return float(stats.kendalltau(values[chosen], Y[chosen]).statistic)


def test_one_scorer_meets_every_other_as_planned_and_all_else_is_exploratory() -> None:
    names = [(first, second) for family, first, second in PAIRS if family == "planned"]
    assert names == [("good", "fair"), ("good", "twin")]
    others = [(first, second) for family, first, second in PAIRS if family == "exploratory"]
    assert ("fair", "twin") in others
    # Three scorers with three baselines, one of which is a scorer too and meets each other once.
    assert len(others) == len({frozenset(pair) for pair in others}) == 1 + 6
    assert not {frozenset(pair) for pair in others} & {frozenset(pair) for pair in names}


def test_a_model_that_is_asked_for_later_is_the_planned_one() -> None:
    found = compare_scorers(Compared(SAMPLE, {"fair": FAIR, "model:1": GOOD, "twin": FAIR * 10}))
    assert found["planned_scorer"] == "model:1"
    firsts = [pair["first"] for pair in found["families"][0]["pairs"]]
    assert (firsts, found["tests"]) == (["model:1", "model:1"], 2)


def test_a_much_better_scorer_is_called_better_and_best() -> None:
    pair = PAIRS["planned", "good", "fair"]
    assert pair["verdict"] == "better"
    assert pair["low"] > 0
    assert pair["sentence"].startswith("Good One agrees better with annotators than fair:")
    assert FOUND["best"] == ["good"]
    assert FOUND["best_sentence"].startswith("Good One agrees better")


def test_the_order_of_the_two_turns_the_verdict_round() -> None:
    turned = compare_scorers(Compared(SAMPLE, {"fair": FAIR, "good": GOOD}))
    (pair,) = turned["families"][0]["pairs"]
    assert pair["verdict"] == "worse"
    assert pair["difference"] == pytest.approx(-PAIRS["planned", "good", "fair"]["difference"])
    assert turned["best"] == []
    assert turned["best_sentence"].startswith("Good scored highest and agrees better")


def test_identical_scorers_cannot_be_distinguished() -> None:
    pair = PAIRS["exploratory", "fair", "twin"]
    assert (pair["difference"], pair["p"], pair["p_holm"]) == (0.0, 1.0, None)
    assert pair["verdict"] == "cannot tell"
    alone = compare_scorers(Compared(SAMPLE, {"fair": FAIR, "twin": FAIR * 10}))
    assert alone["best"] == []
    assert alone["best_sentence"].endswith("but its lead over twin could be chance.")


def test_the_interval_is_the_jackknife_of_the_paired_difference() -> None:
    pair, everything = PAIRS["planned", "good", "fair"], np.arange(N)
    without = np.array([tau(GOOD, others(r)) - tau(FAIR, others(r)) for r in range(REFERENCES)])
    difference = tau(GOOD, everything) - tau(FAIR, everything)
    half = jackknife_half(without)
    assert pair["difference"] == pytest.approx(difference, abs=1e-9)
    error = half / stats.t.ppf(0.975, REFERENCES - 1)
    assert pair["standard_error"] == pytest.approx(error, abs=1e-9)
    assert (pair["low"], pair["high"]) == pytest.approx(
        (difference - half, difference + half), abs=1e-9
    )


def test_many_references_give_the_bootstrap_of_the_paired_difference(monkeypatch) -> None:
    monkeypatch.setattr(resampling, "SMALL_CLUSTER_COUNT", 40)
    clusters = np.arange(N) % 40
    sample = sample_of(Y, clusters)
    found = compare_scorers(Compared(sample, {"good": GOOD, "fair": FAIR}))
    drawn = [np.repeat(np.arange(N), w[clusters].astype(int)) for w in sample.weights]
    values = [tau(GOOD, chosen) - tau(FAIR, chosen) for chosen in drawn]
    (pair,) = found["families"][0]["pairs"]
    assert (pair["low"], pair["high"]) == pytest.approx(
        tuple(np.quantile(values, [0.025, 0.975])), abs=1e-9
    )


def test_planned_p_values_are_adjusted_for_the_planned_tests_alone() -> None:
    swaps = draw_swaps(SAMPLE, 2, 0)
    pairs = [pair for (family, *_), pair in PAIRS.items() if family == "planned"]
    raw = [permutation_p(SAMPLE, SCORERS[p["first"]], SCORERS[p["second"]], swaps) for p in pairs]
    assert [pair["p"] for pair in pairs] == pytest.approx(raw)
    assert [pair["p_holm"] for pair in pairs] == pytest.approx(holm(raw).tolist())
    others = [pair for (family, *_), pair in PAIRS.items() if family == "exploratory"]
    assert {pair["p_holm"] for pair in others} == {None}
    assert all("Exploratory: " in pair["sentence"] for pair in others if pair["p"] is not None)


def test_a_p_below_alpha_only_before_adjustment_gives_no_verdict() -> None:
    pair = PAIRS["planned", "good", "fair"]
    between = (pair["p"] + pair["p_holm"]) / 2
    assert pair["p"] < between < pair["p_holm"]
    strict = compare_scorers(Compared(SAMPLE, SCORERS), alpha=between)
    assert strict["families"][0]["pairs"][0]["verdict"] == "cannot tell"
    assert strict["best"] == []


def test_a_scorer_without_order_is_not_compared_and_says_so() -> None:
    pair = PAIRS["exploratory", "good", "constant"]
    assert (pair["difference"], pair["p"], pair["p_holm"]) == (None, None, None)
    assert pair["verdict"] == "cannot tell"
    assert pair["sentence"].endswith("tau-b is undefined for constant.")


def test_one_scorer_alone_is_never_the_best() -> None:
    found = compare_scorers(Compared(SAMPLE, {"good": GOOD}))
    assert [family["pairs"] for family in found["families"]] == [[], []]
    assert found["best"] == []
    assert found["best_sentence"].startswith("Only one scorer was measured,")
