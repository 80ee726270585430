"""Items, differences and questions refuse labels, scores and numbers that are none."""

import math

import pytest

from scoring.agreement.items import (
    AgreementError,
    Item,
    Question,
    ScorerScores,
    cluster_numbers,
    distinct_texts,
    labels_of,
    score_differences,
)

ITEMS = [
    Item("r1", "A", "b", "c", 1), Item("r2", "Z", "b", "d", -1), Item("r1", "A", "c", "b", 0)
]  # fmt: skip


def test_a_label_outside_the_three_is_refused() -> None:
    with pytest.raises(AgreementError, match="y must be -1, 0 or 1, and is 2"):
        Item("r", "a", "b", "c", 2)


def test_each_text_of_a_reference_is_listed_once() -> None:
    assert distinct_texts(ITEMS) == [("A", "b"), ("A", "c"), ("Z", "b"), ("Z", "d")]


def test_differences_are_the_score_of_b_less_that_of_c() -> None:
    scores = {("A", "b"): 3.0, ("A", "c"): 1.0, ("Z", "b"): 0.5, ("Z", "d"): 0.75}
    differences = score_differences(ITEMS, ScorerScores("s", "1", scores))
    assert differences.tolist() == [2.0, -0.25, -2.0]


@pytest.mark.parametrize(
    ("value", "words"), [(None, "no score"), (math.nan, "nan"), (math.inf, "inf")]
)
def test_a_missing_or_endless_score_is_refused(value, words) -> None:
    scores = {("A", "b"): 1.0} | ({} if value is None else {("A", "c"): value})
    with pytest.raises(AgreementError, match=f"scorer s gave .*{words} for the candidate"):
        score_differences(ITEMS[:1], ScorerScores("s", "1", scores))


def test_references_are_numbered_in_order_of_appearance() -> None:
    numbers, count = cluster_numbers(ITEMS)
    assert (numbers.tolist(), count) == ([0, 1, 0], 2)
    assert labels_of(ITEMS).tolist() == [1, -1, 0]


def test_the_defaults_of_a_question_are_those_of_the_papers_text() -> None:
    question = Question("overall_quality")
    assert (question.tie_threshold, question.split, question.resamples) == (1e-4, "test", 1000)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        *(({"tie_threshold": size}, "must be 0 or more") for size in (-1e-9, math.nan, math.inf)),
        ({"resamples": 99}, "at least 100 resamples, not 99"),
        ({"seed": -1}, "seed must be 0 or more"),
    ],
)
def test_numbers_that_no_report_can_be_made_with_are_refused(numbers, words) -> None:
    with pytest.raises(AgreementError, match=words):
        Question("overall_quality", **numbers)
