import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import accuracy_score, f1_score

from patclaimeval.agreement.ceiling import (
    NO_OVERLAP,
    Judged,
    Overlap,
    human_ceiling,
    judge_everybody,
)
from tests.patclaimeval.agreement.samples import jackknife_half

RNG = np.random.default_rng(6)
REFERENCES, PEOPLE = 9, 4
TRUTH = RNG.integers(0, 11, size=REFERENCES * 4)
# Annotator 3 rates candidates of the first five references only.
RATED = [
    (candidate, person)
    for candidate in range(len(TRUTH))
    for person in range(PEOPLE)
    if person < 3 or candidate < 20
]
CANDIDATES, ANNOTATORS = (np.array(column) for column in zip(*RATED, strict=True))
NOISE = RNG.integers(-2, 3, size=len(RATED))
PAIRS = [(4 * r + i, 4 * r + j) for r in range(REFERENCES) for i in range(4) for j in range(i)]
B, C = (np.array(column) for column in zip(*PAIRS, strict=True))
OVERLAP = Overlap(CANDIDATES, ANNOTATORS, TRUTH[CANDIDATES] + NOISE, B, C, B // 4)
FOUND = human_ceiling(OVERLAP, resamples=200, seed=1)


def one(name: str, judged: Judged, chosen: np.ndarray) -> float:
    own, y, differences = judged.own[chosen], judged.y[chosen], judged.differences[chosen]
    if name == "value":
        return float(stats.kendalltau(differences, y).statistic)
    if name == "tau_b_labels":
        return float(stats.kendalltau(own, y).statistic)
    if name == "accuracy":
        return float(accuracy_score(y, own))
    return float(f1_score(y, own, average="weighted"))


def mean(name: str, left_out: int | None = None) -> float:
    total = n = 0.0
    for judged in judge_everybody(OVERLAP):
        chosen = np.flatnonzero(OVERLAP.cluster[judged.items] != left_out)
        total += len(chosen) * one(name, judged, chosen)
        n += len(chosen)
    return total / n


@pytest.mark.parametrize("name", ["value", "tau_b_labels", "accuracy", "f1_weighted"])
def test_a_figure_is_the_mean_over_annotators_weighted_by_items(name) -> None:
    figure = FOUND if name == "value" else FOUND[name]
    assert figure["value"] == pytest.approx(mean(name), abs=1e-9)


@pytest.mark.parametrize("name", ["value", "accuracy"])
def test_the_interval_leaves_out_whole_references(name) -> None:
    figure = FOUND if name == "value" else FOUND[name]
    without = np.array([mean(name, left_out=r) for r in range(REFERENCES)])
    half = jackknife_half(without)
    expected = (mean(name) - half, min(1.0, mean(name) + half))
    assert (figure["low"], figure["high"]) == pytest.approx(expected, abs=1e-9)


def test_the_counts_say_what_it_rests_on() -> None:
    assert (FOUND["n"], FOUND["references"], FOUND["annotators"]) == (54, 9, 4)
    assert FOUND["comparisons"] == 3 * 54 + 30
    assert "reason" not in FOUND


def test_annotators_stand_apart_under_drawn_numbers() -> None:
    rows = FOUND["per_annotator"]
    assert [row["annotator"] for row in rows] == [f"Annotator {k}" for k in (1, 2, 3, 4)]
    assert sorted(row["n"] for row in rows) == [30, 54, 54, 54]
    expected = sorted(one("value", j, np.arange(len(j.items))) for j in judge_everybody(OVERLAP))
    assert sorted(row["value"] for row in rows) == pytest.approx(expected, abs=1e-9)
    orders = {
        tuple(row["n"] for row in human_ceiling(OVERLAP, 2, seed)["per_annotator"])
        for seed in range(8)
    }
    assert len(orders) > 1


def test_two_annotators_have_no_figures_each() -> None:
    chosen = ANNOTATORS < 2
    rows = {"candidate": CANDIDATES[chosen], "annotator": ANNOTATORS[chosen]}
    two = replace(OVERLAP, value=OVERLAP.value[chosen], **rows)
    found = human_ceiling(two, 100, 0)
    assert found["annotators"] == 2
    assert found["value"] is not None
    assert found["per_annotator"] == []


def test_people_of_one_mind_reach_the_top() -> None:
    alike = replace(OVERLAP, value=np.sign(TRUTH[CANDIDATES] - 5))
    found = human_ceiling(alike, 100, 0)
    assert found["accuracy"]["value"] == 1.0
    assert found["tau_b_labels"]["value"] == pytest.approx(1.0)
    assert found["tau_paper"]["value"] == pytest.approx(1.0)


def test_nobody_overlapping_leaves_the_ceiling_unknown() -> None:
    alone = replace(OVERLAP, annotator=CANDIDATES // 4)
    alone = replace(alone, candidate=np.arange(len(RATED)), b=B + 200, c=C + 200)
    found = human_ceiling(alone, 100, 0)
    assert (found["value"], found["low"], found["high"]) == (None, None, None)
    assert found["reason"] == NO_OVERLAP
    assert "ceiling unknown" in found["reason"].lower()
    assert (found["n"], found["annotators"], found["per_annotator"]) == (0, 0, [])
    assert found["accuracy"]["value"] is None


def test_people_who_only_see_ties_are_undefined_in_words() -> None:
    found = human_ceiling(replace(OVERLAP, value=np.full(len(RATED), 5)), 100, 0)
    assert found["value"] is None
    assert "do not vary" in found["reason"]
    assert found["accuracy"]["value"] == 1.0


def test_the_part_is_json_and_the_same_for_the_same_seed() -> None:
    again = human_ceiling(OVERLAP, resamples=200, seed=1)
    assert json.dumps(again, allow_nan=False) == json.dumps(FOUND, allow_nan=False)
