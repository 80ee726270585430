from fractions import Fraction
from typing import get_type_hints
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.models.ratings import Scores
from annotator.rating_values import (
    COLUMNS,
    REMARKS,
    Given,
    majority,
    mean,
    mean_text,
    points_text,
    rating_digest,
    settle,
)
from patclaimeval.rubric import ALL_CRITERIA, OVERALL

ONE = UUID(int=1)


def test_every_part_changes_the_digest_and_no_order_does() -> None:
    given = {"scores": {"a": 1}}
    seen = {
        rating_digest(ONE, given),
        rating_digest(UUID(int=2), given),
        rating_digest(ONE, {"scores": {"a": 2}}),
        *(rating_digest(ONE, given | {name: ["x"]}) for name in REMARKS),
    }
    assert len(seen) == 3 + len(REMARKS)
    one, other = {"scores": {"a": 1, "b": 2}}, {"scores": {"b": 2, "a": 1}}
    assert rating_digest(ONE, one) == rating_digest(ONE, other)


def test_a_field_of_a_rating_is_declared_and_has_a_column() -> None:
    alone = {field.name for field in Scores._meta.get_fields()} ^ set(COLUMNS)
    assert not alone, f"{alone}: a rating's field is a line of rating_values.FIELDS and a column."


def test_services_take_what_an_annotator_gives() -> None:
    alone = set(get_type_hints(Given)) ^ {"scores", *REMARKS}
    assert not alone, f"{alone}: what an annotator gives stands in FIELDS and in Given."


SCORES = st.integers(0, 10).map(Fraction)


def points(*values: int, overall: int = 0) -> dict[str, Fraction]:
    numbers = [*map(Fraction, values), Fraction(overall, 11)]
    return dict(zip(ALL_CRITERIA, numbers, strict=True))


def test_without_a_ruling_the_exact_mean_counts() -> None:
    given = [points(6, 7, 7, 1, overall=61), points(7, 7, 0, 2, overall=48)]
    values = settle([*given, points(7, 7, 0, 2, overall=48)])
    assert [value.criterion for value in values] == list(ALL_CRITERIA)
    expected = [Fraction(20, 3), 7, Fraction(7, 3), Fraction(5, 3), Fraction(157, 33)]
    assert [value.settled for value in values] == expected
    assert not any(value.is_ruled for value in values)


def test_a_ruling_counts_instead_of_the_mean_and_changes_no_majority() -> None:
    given = [points(6, 6, 6, 6), points(6, 8, 6, 6), points(2, 7, 6, 6)]
    values = settle(given, points(1, 2, 3, 4, overall=22))
    assert [value.settled for value in values] == [1, 2, 3, 4, 2]
    assert [value.majority for value in values] == [6, None, 6, 6, 0]
    assert all(value.is_ruled for value in values)


def test_nothing_counts_where_nobody_rated() -> None:
    values = settle([])
    assert {(value.settled, value.majority) for value in values} == {(None, None)}
    assert (values[0].settled_text, values[0].majority_text) == ("none", "none")
    assert (values[-1].criterion, values[-1].name) == (OVERALL, "Overall quality")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([5], 5),
        ([5, 5], 5),
        ([5, 6], None),
        ([5, 5, 6], 5),
        ([5, 5, 6, 6], None),
        ([1, 2, 3], None),
    ],
    ids=str,
)
def test_a_majority_is_more_than_half(values: list[int], expected: int | None) -> None:
    assert majority([Fraction(value) for value in values]) == expected


@given(st.lists(SCORES, min_size=1, max_size=7))
def test_a_majority_does_not_hang_on_the_order_and_the_mean_lies_between(values) -> None:
    assert majority(values) == majority(values[::-1])
    found = mean(values)
    assert found is not None
    assert min(values) <= found <= max(values)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((Fraction(7), "7"), (Fraction(20, 3), "6.67"), (Fraction(83, 11), "7.55")),
        *((Fraction(1, 200), "0.01"), (Fraction(19, 2), "9.50"), (Fraction(1, 300), "0.00")),
    ],
    ids=str,
)
def test_scores_are_whole_and_all_else_rounded_half_up(value: Fraction, text: str) -> None:
    assert points_text("conceptual_clarity", value) == text
    assert mean_text(value) == points_text("overall_quality", value) == f"{text}.00"[:4]
