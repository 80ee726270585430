import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.agreement.comparisons import (
    NO_SCORERS,
    ONE_SCORER,
    best_of,
    best_sentence,
    holm,
    verdict,
    verdict_sentence,
)
from scoring.agreement.items import AgreementError

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


def test_best_is_only_who_is_better_than_every_other() -> None:
    names = ["a", "b", "c"]
    both = [pair("a", "b", "worse"), pair("b", "c", "better")]
    assert best_of(names, [*both, pair("a", "c", "cannot tell")]) == ["b"]
    assert best_of(names, [both[0], pair("b", "c", "cannot tell")]) == []
    assert best_of(["a"], []) == []


def test_the_best_sentence_never_claims_what_no_test_says() -> None:
    names = {"b": "BLEU-1"}
    assert best_sentence(["b"], ["b", "a"], names).startswith("BLEU-1 agrees better")
    assert "not shown to be better" in best_sentence([], ["b", "a"], names)
    assert best_sentence([], ["b"], names) == ONE_SCORER
    assert best_sentence([], [], names) == NO_SCORERS


def test_a_sentence_holds_the_difference_its_interval_and_the_test() -> None:
    assert verdict_sentence(pair("a", "b", "better"), {"a": "BLEU-1"}, 3) == (
        "BLEU-1 agrees better with people than b: a difference in tau-b of +0.100, 95 % interval "
        "+0.050 to +0.150; p = 0.003, adjusted over 3 tests."
    )


def test_a_sentence_says_where_interval_and_test_disagree() -> None:
    wide = verdict_sentence(pair("a", "b", "better", low=-0.01), {}, 3)
    assert "The interval includes 0" in wide
    narrow = verdict_sentence(pair("a", "b", "cannot tell", p_holm=0.2), {}, 3)
    assert "The interval alone leaves 0 out" in narrow
    without = verdict_sentence(pair("a", "b", "better", low=None, high=None), {}, 1)
    assert "without an interval" in without
    assert "one test" in without
