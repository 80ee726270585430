import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau
from sklearn.metrics import f1_score

from patclaimeval.agreement.classification import predicted_labels
from patclaimeval.agreement.comparisons import draw_swaps, holm, permutation_p
from patclaimeval.agreement.figures import make_sample
from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.ngram import NGRAM
from patclaimeval.models.data import Quadruplet
from patclaimeval.models.overlaps import overlap_differences
from patclaimeval.models.validation import (
    as_items,
    best_tie_threshold,
    macro_f1,
    measure_validation,
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
    theirs = overlap_differences(ITEMS)["rouge-2"]
    found = measure_validation(ITEMS, OURS, 0.0)["overlaps"]["rouge-2"]["lead"]

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
    noisy = ours + np.random.default_rng(3).normal(size=len(many))
    beside = {"itself": ours, "noisy": noisy}
    overlaps = measure_validation(many, ours, 0.0, beside)["overlaps"]
    found = overlaps["itself"]["lead"]
    assert (found["value"], found["low"], found["verdict"]) == (0.0, None, "cannot tell")
    found = overlaps["noisy"]["lead"]
    assert found["low"] < found["value"] < found["high"]


def test_p_of_a_lead_is_corrected_over_all_that_stand_beside_the_model() -> None:
    people = np.tile([1.0, -1.0, 0.0], 12)
    items = [replace(item, y=int(y)) for item, y in zip(items_of(12), people, strict=True)]
    beside = {"opposite": -people, "itself": people}
    overlaps = measure_validation(items, people, 0.0, beside)["overlaps"]
    others = overlap_differences(items) | beside
    assert list(overlaps) == list(others)
    sample = make_sample(as_items(items), 100, 0)
    swaps = draw_swaps(sample, len(others), 0)
    p_values = [permutation_p(sample, people, other, swaps) for other in others.values()]
    leads = [found["lead"] for found in overlaps.values()]
    assert [lead["p"] for lead in leads] == pytest.approx(p_values)
    assert [lead["p_holm"] for lead in leads] == pytest.approx(holm(p_values).tolist())
    assert [lead["verdict"] == "better" for lead in leads] == [p < 0.05 for p in holm(p_values)]
    assert {lead["verdict"] for lead in leads} == {"better", "cannot tell"}


def test_overlaps_are_measured_on_the_same_items_and_are_those_of_the_metrics() -> None:
    overlaps = measure_validation(ITEMS, OURS, 0.0)["overlaps"]
    assert list(overlaps) == list(NGRAM)
    theirs = overlap_differences(ITEMS)
    for name, entry in overlaps.items():
        own = kendalltau(theirs[name], LABELS).statistic
        assert entry["tau_b"]["value"] == pytest.approx(own, abs=1e-9)
        b, c = (
            NGRAM[name].make().score([Pair(*item.pairs[side]) for item in ITEMS]) for side in (0, 1)
        )
        assert theirs[name].tolist() == (np.array(b) - np.array(c)).tolist()


def test_a_metric_that_is_not_installed_or_cannot_score_a_pair_is_left_out(monkeypatch) -> None:
    mixed = replace(ITEMS[0], b="1. 一种泵。")
    assert list(overlap_differences([*ITEMS, mixed])) == ["rouge-1", "rouge-2", "rouge-l"]
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    others = [replace(item, b=f"{item.b} Another one.") for item in ITEMS]
    assert list(overlap_differences(others)) == ["rouge-1", "rouge-2", "rouge-l", "meteor"]


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
    assert measure_validation([], nothing, 0.0) == {"n": 0, **dict.fromkeys(names)}
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
