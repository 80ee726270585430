"""A report holds scorers, baselines, ceiling, checks and signature in the promised shape."""

import json
import math
import random
from dataclasses import replace
from typing import Any

import pytest

from patclaimeval.agreement.ceiling import Unavailable
from patclaimeval.agreement.figures import FIGURE_NAMES
from patclaimeval.agreement.items import (
    AgreementError,
    Item,
    Question,
    ScorerScores,
    distinct_texts,
)
from patclaimeval.agreement.report import ONLY_REFERENCES, build_report

QUESTION = Question("overall_quality", "demo@1", "ab12", resamples=200)
PRINTED = (
    *("tau_b", "tau_b_labels", "tau_paper", "spearman"),
    *("accuracy", "f1_weighted", "f1_macro"),
)
UNDEFINED = {"value": None, "low": None, "high": None}


def make_items(copies: int = 6) -> list[Item]:
    rng = random.Random(3)
    items = [
        Item(f"r{i % 8}", f"R{i % 8}", f"b{i}", f"c{i}", rng.choice((-1, 0, 1))) for i in range(48)
    ]
    # The copies come first, so that leaving them out is not the same as cutting the end.
    return [Item(f"r{i}", f"R{i}", f"R{i}", f"c{i}", 1) for i in range(copies)] + items


def noisy(items: list[Item], name: str = "noisy") -> ScorerScores:
    """Scores that follow the labels with noise, and give the reference itself the most."""
    rng = random.Random(9)
    scores = {(reference, text): rng.random() for reference, text in distinct_texts(items)}
    for item in items:
        scores[item.reference, item.b] += 0.3 * item.y + (item.b == item.reference)
    return ScorerScores(name, "9", scores)


def flat(items: list[Item], name: str = "flat") -> ScorerScores:
    return ScorerScores(name, "1", dict.fromkeys(distinct_texts(items), 0.5))


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    items = make_items()
    return build_report(QUESTION, items, [noisy(items)], [flat(items)])


def test_a_report_is_plain_json_without_nan_and_the_same_each_time(report) -> None:
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    items = make_items()
    assert build_report(QUESTION, items, [noisy(items)], [flat(items)]) == report


def test_each_scorer_carries_the_printed_figures_with_bounds(report) -> None:
    entry = report["scorers"]["noisy"]
    for name in PRINTED:
        figure = entry[name]
        assert figure["low"] < figure["value"] < figure["high"]
    assert (entry["n"], entry["references"], entry["version"]) == (54, 8, "9")
    assert sum(map(sum, entry["confusion"]["table"])) == 54


def test_baselines_have_the_same_shape_and_begin_with_the_majority(report) -> None:
    assert list(report["baselines"]) == ["majority", "flat"]
    for entry in report["baselines"].values():
        assert entry.keys() == report["scorers"]["noisy"].keys()
        assert entry["kind"] == "baseline"
    majority = report["baselines"]["majority"]
    assert majority["tau_b"]["value"] is None
    largest = max(report["checks"]["labels"].values())
    assert majority["accuracy"]["value"] == pytest.approx(largest / 54)


def test_figures_without_the_reference_leave_its_items_out(report) -> None:
    items = make_items()
    left = build_report(QUESTION, items[6:], [noisy(items)])["scorers"]["noisy"]
    without = report["scorers"]["noisy"]["without_reference_items"]
    assert without["n"] == 48
    for name in FIGURE_NAMES:
        assert without[name] == left[name]
    assert without["tau_b"]["value"] < report["scorers"]["noisy"]["tau_b"]["value"]


def test_items_that_all_hold_the_reference_say_that_none_is_left() -> None:
    items = make_items()[:6]
    entry = build_report(QUESTION, items, [noisy(items)])["scorers"]["noisy"]
    without = entry["without_reference_items"]
    assert without["n"] == 0
    assert without["accuracy"] == UNDEFINED | {"reason": ONLY_REFERENCES}


def test_an_unknown_ceiling_has_its_reason(report) -> None:
    assert report["human_ceiling"]["value"] is None
    assert "Ceiling unknown" in report["human_ceiling"]["reason"]


def test_published_figures_and_checks_stand_beside(report) -> None:
    assert report["published"]["patclaimeval"]["tau_paper"] == 0.477
    assert report["checks"]["contain_reference"]["items"] == 6
    assert report["question"]["dataset"] == "demo@1"


def test_signatures_name_the_scorer_and_the_data(report) -> None:
    for line in (report["signature"], report["scorers"]["noisy"]["signature"]):
        assert "data:demo@1|sha256:ab12|split:test|n:54|references:8" in line
        assert "noisy = 9" in line


def test_a_report_without_items_is_refused() -> None:
    with pytest.raises(AgreementError, match="no items with a label for overall_quality"):
        build_report(QUESTION, [], [])


def test_a_name_given_twice_is_refused_unless_once_as_a_baseline() -> None:
    items = make_items()
    report = build_report(QUESTION, items, [flat(items)], [flat(items)])
    assert report["scorers"]["flat"] == report["baselines"]["flat"]
    with pytest.raises(AgreementError, match="once; repeated: flat"):
        build_report(QUESTION, items, [flat(items), flat(items)])
    with pytest.raises(AgreementError, match="once; repeated: majority"):
        build_report(QUESTION, items, [], [flat(items, "majority")])


def test_the_tie_threshold_moves_the_labels_and_not_tau_b() -> None:
    items = make_items()
    wide = build_report(
        Question("overall_quality", tie_threshold=0.4, resamples=200), items, [noisy(items)]
    )["scorers"]["noisy"]
    narrow = build_report(QUESTION, items, [noisy(items)])["scorers"]["noisy"]
    assert wide["tau_b"] == narrow["tau_b"]
    assert wide["tie_rates"]["scorer"] > narrow["tie_rates"]["scorer"]


def test_one_n_for_all_rows_and_the_dropped_items_are_listed() -> None:
    items = [replace(item, id=f"q{n}") for n, item in enumerate(make_items())]
    odd = noisy(items)
    scores = dict(odd.scores)
    del scores["R1", "b1"]
    scores["R2", "b10"] = math.inf
    odd = ScorerScores("odd", "1", scores, {("R1", "b1"): "No words."})
    found = build_report(QUESTION, items, [odd, noisy(items)], [flat(items)])
    rows = (*found["scorers"].values(), *found["baselines"].values())
    assert {row["n"] for row in rows} == {52}
    assert found["checks"]["items"] == 52
    assert (found["question"]["n_asked"], found["dropped"]["items"]) == (54, 2)
    listed = {one["id"]: one["reason"] for one in found["dropped"]["listed"]}
    assert listed["q7"] == "No words."
    assert len(listed) == 2
    # The rest is as if the dropped items had never been asked about.
    remaining = [item for item in items if item.id not in listed]
    alone = build_report(QUESTION, remaining, [noisy(items)])["scorers"]["noisy"]
    assert found["scorers"]["noisy"]["tau_b"] == alone["tau_b"]
    assert alone["n"] == 52


def test_an_unavailable_scorer_is_a_row_without_figures(report) -> None:
    items = make_items()
    absent = Unavailable("bertscore", "Put its weights there.")
    found = build_report(QUESTION, items, [absent, noisy(items)], [flat(items)])
    entry = found["scorers"]["bertscore"]
    assert entry.keys() == found["scorers"]["noisy"].keys()
    assert (entry["version"], entry["unavailable"]) == (None, "Put its weights there.")
    assert entry["tau_b"] == UNDEFINED | {"reason": "Put its weights there."}
    assert found["scorers"]["noisy"] == report["scorers"]["noisy"]
    assert "bertscore" not in found["signature"]


def test_the_work_may_be_stopped_between_any_two_tests_of_scorers() -> None:
    steps: list[str] = []
    items = make_items()
    three = [noisy(items), noisy(items, "same"), flat(items, "even")]
    build_report(QUESTION, items, three, [flat(items)], on_progress=steps.append)
    # Three pairs of scorers, three with the baseline, and the beginning.
    assert steps.count("Comparing the scorers.") == 7


def test_each_step_may_stop_the_work() -> None:
    class Stop(Exception):
        pass

    def stop(words: str) -> None:
        if words.startswith("Comparing"):
            raise Stop

    items = make_items()
    with pytest.raises(Stop):
        build_report(QUESTION, items, [noisy(items)], on_progress=stop)
