import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import accuracy_score, f1_score

from patclaimeval.agreement.classification import predicted_labels
from patclaimeval.agreement.tie_calibration import (
    FIGURES,
    TOO_FEW,
    best_threshold,
    calibrate,
    labels_by_threshold,
    reference_folds,
)
from tests.patclaimeval.agreement.samples import jackknife_half, of_labels, sample_of

RNG = np.random.default_rng(3)
N, REFERENCES = 130, 13
CLUSTERS = np.arange(N) % REFERENCES
Y = RNG.integers(-1, 2, size=N)
DIFFERENCES = np.round(Y + RNG.normal(size=N), 1)
SAMPLE = sample_of(Y, CLUSTERS)
FOUND = calibrate(SAMPLE, DIFFERENCES, seed=2)

labelled = st.lists(st.tuples(st.integers(-4, 4), st.sampled_from([-1, 0, 1])), min_size=1)


def f1(differences: np.ndarray, y: np.ndarray, threshold: float) -> float:
    value = of_labels("f1_weighted")(predicted_labels(differences, threshold), y).value
    assert value is not None
    return value


def best(differences: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    order = np.argsort(np.abs(differences), kind="stable")
    return best_threshold(differences[order], y[order])


def brute_force(differences: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    tried = [0.0, *sorted(set(np.abs(differences).tolist()))]
    values = [f1(differences, y, threshold) for threshold in tried]
    best = max(values)
    return next(t for t, v in zip(tried, values, strict=True) if v >= best - 1e-12), best


@given(labelled)
def test_the_threshold_is_that_of_trying_each(rows) -> None:
    differences = np.array([row[0] for row in rows], dtype=np.float64)
    y = np.array([row[1] for row in rows], dtype=np.int64)
    threshold, found = best(differences, y)
    _, expected = brute_force(differences, y)
    assert found == pytest.approx(expected, abs=1e-9)
    assert f1(differences, y, threshold) == pytest.approx(expected, abs=1e-9)


def test_the_smallest_of_the_best_thresholds_is_taken() -> None:
    assert best(DIFFERENCES, Y)[0] == brute_force(DIFFERENCES, Y)[0]


def test_thresholds_by_hand() -> None:
    # Ties of people have |difference| up to 0.2, preferences 0.5 and more: 0.2 labels all right.
    differences = np.array([0.1, -0.2, 0.0, 0.5, -0.9, 0.7])
    threshold, f1_weighted = best(differences, np.array([0, 0, 0, 1, -1, 1]))
    assert threshold == 0.2
    assert f1_weighted == pytest.approx(1.0)
    # People without ties leave it at zero.
    assert best(np.array([0.1, -0.2, 0.3]), np.array([1, -1, 1]))[0] == 0.0


def test_folds_hold_whole_references_of_nearly_one_size() -> None:
    folds = reference_folds(23, seed=1)
    assert sorted(np.bincount(folds)) == [2] * 7 + [3] * 3
    assert (folds == reference_folds(23, seed=1)).all()
    assert (folds != reference_folds(23, seed=2)).any()
    assert sorted(reference_folds(4, seed=0)) == [0, 1, 2, 3]


def test_each_item_is_labelled_by_the_references_of_other_folds() -> None:
    folds = reference_folds(REFERENCES, seed=2)[CLUSTERS]
    chosen = [brute_force(DIFFERENCES[folds != k], Y[folds != k])[0] for k in range(10)]
    predicted = np.zeros(N, dtype=np.int64)
    for k in range(10):
        predicted[folds == k] = predicted_labels(DIFFERENCES[folds == k], chosen[k])
    assert len(set(chosen)) > 1
    assert FOUND["threshold"] == pytest.approx(np.median(chosen), abs=1e-12)
    assert (FOUND["low"], FOUND["high"], FOUND["folds"]) == (min(chosen), max(chosen), 10)
    assert FOUND["accuracy"]["value"] == pytest.approx(accuracy_score(Y, predicted), abs=1e-9)
    for average in ("weighted", "macro"):
        assert FOUND[f"f1_{average}"]["value"] == pytest.approx(
            f1_score(Y, predicted, average=average), abs=1e-9
        )
    assert FOUND["tau_b_labels"]["value"] == pytest.approx(
        stats.kendalltau(predicted, Y).statistic, abs=1e-9
    )
    slots = {-1: (2, 1), 0: (1, 1), 1: (1, 2)}
    flat = [[slot for label in labels for slot in slots[int(label)]] for labels in (predicted, Y)]
    assert FOUND["tau_paper"]["value"] == pytest.approx(stats.kendalltau(*flat).statistic, abs=1e-9)


def test_the_intervals_are_those_of_the_references_left_out_one_by_one() -> None:
    folds = reference_folds(REFERENCES, seed=2)[CLUSTERS]
    chosen = np.array([best(DIFFERENCES[folds != k], Y[folds != k])[0] for k in range(10)])
    predicted = labels_by_threshold(DIFFERENCES, chosen[folds])
    for name in ("accuracy", "tau_b_labels"):
        without = np.array(
            [
                of_labels(name)(predicted[others], Y[others]).value
                for others in (np.flatnonzero(CLUSTERS - r) for r in range(REFERENCES))
            ]
        )
        high = FOUND[name]["value"] + jackknife_half(without)
        assert FOUND[name]["high"] == pytest.approx(high, abs=1e-9)


def test_the_in_sample_optimum_stands_apart_and_is_never_below() -> None:
    assert FOUND["in_sample"]["f1_weighted"] >= FOUND["f1_weighted"]["value"]
    assert FOUND["in_sample"]["threshold"] == brute_force(DIFFERENCES, Y)[0]


def test_a_planted_threshold_is_found_and_lifts_f1() -> None:
    y = np.tile([-1, 0, 1], 60)
    differences = y * 3.0 + np.where(y == 0, RNG.uniform(-1, 1, size=180), 0)
    found = calibrate(sample_of(y, np.repeat(np.arange(20), 9)), differences)
    assert 0.9 < found["threshold"] <= 1
    assert found["f1_weighted"]["value"] > 0.98
    assert f1(differences, y, 1e-6) < 0.7


def test_a_scorer_that_only_calls_ties_is_undefined_in_words() -> None:
    found = calibrate(SAMPLE, np.zeros(N))
    assert found["threshold"] == 0.0
    assert found["tau_b_labels"]["value"] is None
    assert "scorer" in found["tau_b_labels"]["reason"]
    assert found["accuracy"]["value"] == pytest.approx((Y == 0).mean())


def test_two_references_are_too_few() -> None:
    assert calibrate(sample_of(Y, np.arange(N) % 2), DIFFERENCES) == {"reason": TOO_FEW}
    assert "reason" not in calibrate(sample_of(Y, np.arange(N) % 3), DIFFERENCES)


def test_the_part_is_json_with_every_figure() -> None:
    json.dumps(FOUND, allow_nan=False)
    keys = {"threshold", "low", "high", "folds", "in_sample"}
    assert set(FOUND) == {*keys, *FIGURES}
    assert all({"value", "low", "high"} <= set(FOUND[name]) for name in FIGURES)
