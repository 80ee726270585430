import numpy as np
import pytest
from scipy.stats import kendalltau
from sklearn.metrics import f1_score

from scoring.agreement.classification import predicted_labels
from scoring.agreement.figures import make_sample
from scoring.patclaimeval.data import Quadruplet
from scoring.patclaimeval.validation import (
    OVERLAPS,
    as_items,
    best_tie_threshold,
    lead,
    macro_f1,
    measure_validation,
    overlap_differences,
    summarise,
)

WORDS = ["cup", "lid", "hinge", "spring", "wall", "base", "handle", "seal", "rim", "spout"]


def items_of(references: int, each: int = 3) -> list[Quadruplet]:
    """Comparisons whose texts share more or fewer words with their reference."""
    draw = np.random.default_rng(5)
    found = []
    for number in range(references):
        reference = f"1. A cup {number} with {' '.join(WORDS)}."
        for _ in range(each):
            b, c = (
                f"1. A {' '.join(draw.permutation(WORDS)[: draw.integers(2, 9)])}." for _ in "bc"
            )
            found.append(Quadruplet(f"r{number}", reference, b, c, int(draw.integers(-1, 2))))
    return found


ITEMS = items_of(8)
LABELS = np.array([item.y for item in ITEMS])
OURS = LABELS + np.random.default_rng(2).normal(size=len(ITEMS))


def test_tau_is_that_of_another_library_and_lies_in_its_interval() -> None:
    found = measure_validation(ITEMS, OURS, 0.4)
    expected = kendalltau(OURS, LABELS).statistic
    assert found["tau_b"] == pytest.approx(expected, abs=1e-9)
    figure = found["figures"]["tau_b"]
    assert figure["value"] == pytest.approx(expected, abs=1e-9)
    assert -1 <= figure["low"] < expected < figure["high"] <= 1
    assert (found["n"], found["references"], found["interval"]) == (24, 8, "jackknife-t")
    predicted = np.where(np.abs(OURS) <= 0.4, 0, np.sign(OURS))
    assert found["figures"]["accuracy"]["value"] == pytest.approx(np.mean(predicted == LABELS))
    assert found["tie_rates"]["scorer"] == pytest.approx(np.mean(predicted == 0))


def test_a_lead_is_the_difference_of_two_taus_left_out_reference_by_reference() -> None:
    theirs = overlap_differences(ITEMS, "rouge-2")
    found = lead(make_sample(as_items(ITEMS), 100, 0), OURS, theirs)

    def gap(left: np.ndarray) -> float:
        ours, other = (kendalltau(one[left], LABELS[left]).statistic for one in (OURS, theirs))
        return float(ours - other)

    value = gap(np.ones(len(ITEMS), dtype=bool))
    groups = np.array([item.reference_id for item in ITEMS])
    without = np.array([gap(groups != name) for name in sorted(set(groups))])
    half = 2.364624251592785 * np.sqrt(7 / 8 * np.square(without - without.mean()).sum())
    assert found["value"] == pytest.approx(value, abs=1e-9)
    assert (found["low"], found["high"]) == pytest.approx((value - half, value + half), abs=1e-9)


def test_nobody_leads_over_himself() -> None:
    many = items_of(41, each=2)
    ours = np.random.default_rng(1).normal(size=len(many))
    found = lead(make_sample(as_items(many), 100, 0), ours, ours)
    assert (found["value"], found["low"]) == (0.0, None)
    noisy = ours + np.random.default_rng(3).normal(size=len(many))
    found = lead(make_sample(as_items(many), 100, 0), ours, noisy)
    assert found["low"] < found["value"] < found["high"]


def test_overlaps_are_measured_on_the_same_items() -> None:
    overlaps = measure_validation(ITEMS, OURS, 0.0)["overlaps"]
    assert set(overlaps) == set(OVERLAPS)
    for name, entry in overlaps.items():
        own = kendalltau(overlap_differences(ITEMS, name), LABELS).statistic
        assert entry["tau_b"]["value"] == pytest.approx(own, abs=1e-9)
    shares = [Quadruplet("r", "a b c d", "a b", "x", 1)]
    found = {name: float(overlap_differences(shares, name)[0]) for name in OVERLAPS}
    assert found == pytest.approx({"rouge-1": 2 / 3, "rouge-2": 1 / 2, "rouge-l": 2 / 3})


def test_items_that_hold_the_reference_are_left_out_of_one_figure() -> None:
    reference = ITEMS[0].reference
    copies = [Quadruplet("r0", reference, f" {reference} ", ITEMS[0].c, 1)]
    found = measure_validation([*ITEMS, *copies], np.append(OURS, 9.0), 0.0)
    assert found["n"] == 25
    assert found["without_reference"]["n"] == 24
    plain = measure_validation(ITEMS, OURS, 0.0)
    assert found["without_reference"]["tau_b"] == plain["figures"]["tau_b"]
    alone = measure_validation(copies, np.array([1.0]), 0.0)
    undefined = {"value": None, "low": None, "high": None}
    assert alone["without_reference"] == {"n": 0, "tau_b": undefined}


def test_what_is_undefined_has_a_reason() -> None:
    names = ("tau_b", "tau_b_labels", "accuracy", "macro_f1")
    nothing = np.array([])
    for found in (measure_validation([], nothing, 0.0), summarise(nothing, nothing, 0.1)):
        assert found == {"n": 0, **dict.fromkeys(names)}
    same = [Quadruplet("r", "a b", "a", "b", 1)] * 2
    found = measure_validation(same, np.array([0.5, 0.1]), 0.0)
    assert found["figures"]["tau_b"]["value"] is None
    assert "same human label" in found["figures"]["tau_b"]["reason"]
    assert found["overlaps"]["rouge-l"]["lead"]["value"] is None


def test_macro_f1_equals_that_of_sklearn() -> None:
    labels = np.array([1.0, 1, 0, -1, -1, 0, 1])
    predicted = np.array([1.0, 0, 0, -1, 1, 0, -1])
    expected = f1_score(labels, predicted, average="macro")
    assert macro_f1(predicted, labels) == pytest.approx(expected)


def test_threshold_separates_ties_from_decided_items() -> None:
    differences, labels = np.array([0.01, -0.02, 0.3, -0.4]), np.array([0.0, 0, 1, -1])
    threshold = best_tie_threshold(differences, labels)
    assert 0.02 < threshold < 0.3
    assert predicted_labels(differences, threshold).tolist() == labels.tolist()
    # Where there are no ties to find:
    assert best_tie_threshold(np.array([0.1, -0.2]), np.array([1.0, -1.0])) == 0.0
