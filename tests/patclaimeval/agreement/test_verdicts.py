import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.agreement.comparisons import holm, planned_scorer
from patclaimeval.agreement.items import AgreementError
from patclaimeval.agreement.verdicts import (
    NO_SCORERS,
    ONE_SCORER,
    best_sentence,
    find_best,
    verdict,
    verdict_sentence,
)

probabilities = st.floats(0, 1)


def pair(first: str, second: str, verdict: str, **more: float | None) -> dict:
    figures = {"difference": 0.1, "low": 0.05, "high": 0.15, "p": 0.001, "p_holm": 0.003}
    return {"first": first, "second": second, "verdict": verdict, **figures, **more}


def test_holm_multiplies_the_smallest_p_by_the_number_of_tests() -> None:
    # By hand: .01 x 4, .02 x 3, .03 x 2 = .06, .04 x 1 = .04 which may not fall below .06.
    adjusted = holm([0.03, 0.01, 0.04, 0.02])
    assert adjusted == pytest.approx([0.06, 0.04, 0.06, 0.06], abs=1e-12)


def test_holm_stops_at_one_and_leaves_out_what_was_not_tested() -> None:
    adjusted = holm([0.7, np.nan, 0.01])
    assert adjusted[[0, 2]] == pytest.approx([0.7, 0.02], abs=1e-12)
    assert np.isnan(adjusted[1])
    assert holm([0.7, 0.8]) == pytest.approx([1.0, 1.0])
    assert len(holm([])) == 0
    with pytest.raises(AgreementError, match="between 0 and 1"):
        holm([0.5, 1.2])


@given(st.lists(probabilities, min_size=1, max_size=12))
def test_holm_rejects_what_the_step_down_rule_rejects(p_values) -> None:
    adjusted = holm(p_values)
    order = np.argsort(p_values, kind="stable")
    is_rejecting = True
    for place, index in enumerate(order):
        is_rejecting = is_rejecting and p_values[index] * (len(order) - place) < 0.05
        assert (adjusted[index] < 0.05) == is_rejecting


def test_a_verdict_needs_the_adjusted_p_below_alpha() -> None:
    assert verdict(0.2, 0.049) == "better"
    assert verdict(-0.2, 0.049) == "worse"
    assert verdict(0.2, 0.05) == "cannot tell"
    assert verdict(0.0, 0.001) == "cannot tell"
    assert verdict(0.2, float("nan")) == "cannot tell"


def outcome_of(planned: dict[str, str], exploratory: dict[str, str], **more) -> dict:
    """Return the tests of the scorer "ours" with a verdict against each other one."""
    return {
        "planned_scorer": "ours",
        "tests": len(planned),
        "is_reachable": True,
        "smallest_p": 0.001,
        "references": 20,
        "alpha": 0.05,
        "families": [
            {"name": name, "pairs": [pair("ours", *one) for one in found.items()]}
            for name, found in (("planned", planned), ("exploratory", exploratory))
        ],
        **more,
    }


def test_a_trained_model_is_planned_before_the_untrained_one_and_before_metrics() -> None:
    names = ["rouge-1", "patclaimeval-0", "patclaimeval-left-out", "model:b", "model:a"]
    assert planned_scorer(names) == "model:b"
    assert planned_scorer(names[:3]) == "patclaimeval-left-out"
    assert planned_scorer(names[:2]) == "patclaimeval-0"
    assert planned_scorer(names[:1]) == "rouge-1"
    assert planned_scorer([]) == ""


def test_best_is_only_who_is_better_than_every_scorer_and_every_baseline() -> None:
    values = {"ours": 0.5, "a": 0.3, "length": 0.1}
    assert find_best(outcome_of({"a": "better"}, {"length": "better"}), values) == ["ours"]
    assert find_best(outcome_of({"a": "cannot tell"}, {"length": "better"}), values) == []
    assert find_best(outcome_of({"a": "better"}, {"length": "cannot tell"}), values) == []
    # A baseline without a tau-b, such as the most frequent label, is no rival.
    assert find_best(outcome_of({"a": "better"}, {"majority": "cannot tell"}), values) == ["ours"]
    assert find_best(outcome_of({}, {"length": "better"}), values) == []


def said(values: dict[str, float], planned: dict[str, str], baselines: dict[str, str], **more):
    names = {"ours": "Ours", "a": "ROUGE-1", "length": "Length"}
    return best_sentence(outcome_of(planned, baselines, **more), values, ["ours", *planned], names)


def test_the_best_sentence_never_claims_what_no_test_says() -> None:
    values = {"ours": 0.5, "a": 0.3, "length": 0.1}
    assert said(values, {"a": "better"}, {"length": "better"}).startswith("Ours agrees better")
    assert said(values, {"a": "cannot tell"}, {"length": "better"}) == (
        "No clear winner: Ours scored highest, but its lead over ROUGE-1 could be chance."
    )
    assert said(values, {"a": "better"}, {"length": "cannot tell"}) == (
        "No clear winner: Ours scored highest, but its lead over Length could be chance. "
        "Ours agrees better with annotators than ROUGE-1."
    )
    assert said({"ours": 0.5}, {}, {}) == ONE_SCORER
    assert said({}, {"a": "cannot tell"}, {}) == NO_SCORERS


def test_the_highest_is_looked_for_among_the_baselines_too() -> None:
    values = {"ours": 0.5, "a": 0.3, "length": 0.6}
    assert said(values, {"a": "better"}, {"length": "cannot tell"}) == (
        "No clear winner: the baseline Length scored highest, above every scorer. "
        "Ours agrees better with annotators than ROUGE-1."
    )
    assert said({"ours": 0.2, "length": 0.6}, {}, {"length": "worse"}).endswith(
        "The baseline Length scored higher."
    )


def test_a_scorer_above_the_planned_one_is_said_to_be_so() -> None:
    values = {"ours": 0.2, "a": 0.6}
    assert said(values, {"a": "cannot tell"}, {}) == (
        "No clear winner: ROUGE-1 scored highest, but its lead over Ours could be chance."
    )
    assert said(values, {"a": "worse"}, {}).startswith(
        "ROUGE-1 scored highest and agrees better with annotators than Ours."
    )


def test_a_test_that_cannot_reach_five_per_cent_says_so_instead() -> None:
    values = {"ours": 0.5, "a": 0.3}
    found = said(values, {"a": "cannot tell"}, {}, is_reachable=False, smallest_p=2 / 2**5)
    assert found == (
        "No lead can be shown with 20 references: the smallest p-value of the test is 0.0625, and "
        "a lead needs one below 0.05. Ours scored highest."
    )


def test_a_sentence_holds_the_difference_its_interval_and_the_test() -> None:
    assert verdict_sentence(pair("a", "b", "better"), {"a": "BLEU-1"}, 3) == (
        "BLEU-1 agrees better with annotators than b: a difference in tau-b of +0.100, 95 % "
        "interval +0.050 to +0.150; p = 0.003, adjusted for 3 planned tests."
    )


def test_a_sentence_says_where_interval_and_test_disagree() -> None:
    wide = verdict_sentence(pair("a", "b", "better", low=-0.01), {}, 3)
    assert "an approximation, includes 0" in wide
    narrow = verdict_sentence(pair("a", "b", "cannot tell", p_holm=0.2), {}, 3)
    assert "excludes 0, but is not adjusted for 3 tests." in narrow
    without = verdict_sentence(pair("a", "b", "better", low=None, high=None), {}, 1)
    assert "without an interval" in without
    assert "one planned test" in without


def test_a_pair_that_was_not_planned_is_called_exploratory() -> None:
    found = verdict_sentence(pair("a", "b", "better", p=0.01, p_holm=None), {}, 3)
    assert found.startswith("Exploratory: a seems to agree better with annotators than b:")
    assert found.endswith("p = 0.010, not adjusted.")
