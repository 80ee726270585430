"""Items refuse labels that are none, and differences refuse scores that are none."""

import pytest

from patclaimeval.agreement.items import (
    AgreementError,
    Item,
    ScorerScores,
    cluster_numbers,
    distinct_texts,
    labels_of,
    score_differences,
)

ITEMS = [Item("r1", "A", "b", "c", 1), Item("r2", "Z", "b", "d", -1), Item("r1", "A", "c", "b", 0)]


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
    ("value", "words"), [(None, "no score"), (float("nan"), "nan"), (float("inf"), "inf")]
)
def test_a_missing_or_endless_score_is_refused(value, words) -> None:
    scores = {("A", "b"): 1.0} | ({} if value is None else {("A", "c"): value})
    with pytest.raises(AgreementError, match=f"scorer s gave .*{words} for the candidate"):
        score_differences(ITEMS[:1], ScorerScores("s", "1", scores))


def test_references_are_numbered_in_order_of_appearance() -> None:
    numbers, count = cluster_numbers(ITEMS)
    assert (numbers.tolist(), count) == ([0, 1, 0], 2)
    assert labels_of(ITEMS).tolist() == [1, -1, 0]
