"""The order in which references teach a linear model most: by hand, and by a second program."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.choosing.rules import Lesson, lesson_of, teaching_order


def by_pairs(scores: np.ndarray) -> tuple[int, np.ndarray]:
    gaps = [one - two for one, two in combinations(scores, 2)]
    return len(gaps), np.mean([np.outer(gap, gap) for gap in gaps], axis=0)


def by_variances(scores: list[np.ndarray], rated: list[np.ndarray], strength: float) -> list[int]:
    """Order by the mean variance of each comparison, one after the other: the formula as it is."""
    known = [gap for one in rated for gap in (p[0] - p[1] for p in combinations(one, 2))]
    left, order = list(range(len(scores))), []
    while left:
        square = sum((np.outer(gap, gap) for gap in known), strength * np.eye(scores[0].shape[1]))
        inverse = np.linalg.inv(square)

        def unsure(place: int, inverse: np.ndarray = inverse) -> float:
            gaps = [one - two for one, two in combinations(scores[place], 2)]
            return float(np.mean([gap @ inverse @ gap for gap in gaps]))

        best = max(left, key=unsure)
        order.append(best)
        left.remove(best)
        known += [one - two for one, two in combinations(scores[best], 2)]
    return order


@pytest.mark.parametrize("size", [2, 3, 7])
def test_a_lesson_is_the_mean_over_all_pairs(size) -> None:
    scores = np.random.default_rng(size).normal(size=(size, 4))
    count, mean = by_pairs(scores)
    found = lesson_of(scores)
    assert found.comparisons == count
    np.testing.assert_allclose(found.mean, mean, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("size", [0, 1])
def test_one_candidate_alone_teaches_nothing(size) -> None:
    found = lesson_of(np.ones((size, 3)))
    assert (found.comparisons, found.mean.tolist()) == (0, [[0.0] * 3] * 3)


@given(st.integers(0, 2**32), st.sampled_from([0.5, 100.0]))
def test_the_order_is_that_of_the_variances(seed, strength) -> None:
    chance = np.random.default_rng(seed)
    sets = [chance.normal(size=(int(chance.integers(2, 6)), 3)) for _ in range(9)]
    waiting, rated = sets[:6], sets[6:]
    found = teaching_order(
        [lesson_of(one) for one in waiting], [lesson_of(one) for one in rated], strength
    )
    assert found == by_variances(waiting, rated, strength)


def test_what_was_learnt_already_comes_later() -> None:
    """By hand: K = 1; lessons along two axes with means 4, 3.9 and 3, one comparison each."""
    along = [np.diag([4.0, 0.0]), np.diag([3.9, 0.0]), np.diag([0.0, 3.0])]
    lessons = [Lesson(1, mean) for mean in along]
    # Unsure are 4, 3.9, 3; then 3.9 / 5 = 0.78 and 3.
    assert teaching_order(lessons, [], 1.0) == [0, 2, 1]
    # With the second axis known, 3 / 4 = 0.75 are below 3.9 / 5.
    assert teaching_order(lessons, [lessons[2]], 1.0) == [0, 1, 2]


def test_equal_ones_come_as_they_came_and_none_is_no_error() -> None:
    same = Lesson(3, np.eye(2))
    assert teaching_order([same] * 3, [], 100.0) == [0, 1, 2]
    assert teaching_order([], [same], 100.0) == []
