"""A report holds scorers, baselines, ceiling, checks and signature in the promised shape."""

import json
import random
from typing import Any

import pytest

from scoring.agreement.entries import ONLY_REFERENCES
from scoring.agreement.figures import FIGURE_NAMES
from scoring.agreement.items import AgreementError, Item, ScorerScores, distinct_texts
from scoring.agreement.question import Question
from scoring.agreement.report import build_report

QUESTION = Question("overall_quality", "demo@1", "ab12", resamples=200)
PRINTED = (
    *("tau_b", "tau_b_labels", "tau_paper", "spearman"),
    *("accuracy", "f1_weighted", "f1_macro"),
)


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


def test_a_report_is_plain_json_without_nan(report: dict[str, Any]) -> None:
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_each_scorer_carries_the_printed_figures_with_bounds(report: dict[str, Any]) -> None:
    entry = report["scorers"]["noisy"]
    for name in PRINTED:
        figure = entry[name]
        assert figure["low"] < figure["value"] < figure["high"]
    assert (entry["n"], entry["references"], entry["version"]) == (54, 8, "9")
    assert sum(map(sum, entry["confusion"]["table"])) == 54


def test_baselines_have_the_same_shape_and_begin_with_the_majority(report: dict[str, Any]) -> None:
    assert list(report["baselines"]) == ["majority", "flat"]
    for entry in report["baselines"].values():
        assert entry.keys() == report["scorers"]["noisy"].keys()
    majority = report["baselines"]["majority"]
    assert majority["tau_b"]["value"] is None
    largest = max(report["checks"]["labels"].values())
    assert majority["accuracy"]["value"] == pytest.approx(largest / 54)


def test_figures_without_the_reference_leave_its_items_out(report: dict[str, Any]) -> None:
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
    assert without["accuracy"] == {
        "value": None,
        "low": None,
        "high": None,
        "reason": ONLY_REFERENCES,
    }


def test_an_unknown_ceiling_is_said_in_words(report: dict[str, Any]) -> None:
    assert report["human_ceiling"]["value"] is None
    assert "Ceiling unknown" in report["human_ceiling"]["reason"]


def test_published_figures_and_checks_stand_beside(report: dict[str, Any]) -> None:
    assert report["published"]["patclaimeval"]["tau_paper"] == 0.477
    assert report["checks"]["contain_reference"]["items"] == 6
    assert report["question"]["dataset"] == "demo@1"


def test_signatures_name_the_scorer_and_the_data(report: dict[str, Any]) -> None:
    for line in (report["signature"], report["scorers"]["noisy"]["signature"]):
        assert "data:demo@1|sha256:ab12|split:test|n:54|references:8" in line
        assert "noisy = 9" in line


def test_the_same_question_gives_the_same_report(report: dict[str, Any]) -> None:
    items = make_items()
    assert build_report(QUESTION, items, [noisy(items)], [flat(items)]) == report


def test_a_baseline_may_stand_among_the_scorers_too() -> None:
    items = make_items()
    report = build_report(QUESTION, items, [flat(items)], [flat(items)])
    assert report["scorers"]["flat"] == report["baselines"]["flat"]


def test_a_report_without_items_is_refused() -> None:
    with pytest.raises(AgreementError, match="no items with a label for overall_quality"):
        build_report(QUESTION, [], [])


def test_a_name_given_twice_is_refused() -> None:
    items = make_items()
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
