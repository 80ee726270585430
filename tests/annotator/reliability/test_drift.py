"""Slopes equal dense least squares, come back from made scores, and are undefined in step."""

from typing import Any

import numpy as np
import pytest

from annotator.reliability.people import CONFOUNDED, NO_DRIFT_ERROR, NO_DRIFT_REST, NO_SHARED, drift
from core.statistics.tables import ReliabilityError, Table
from tests.amounts import tries
from tests.core.statistics.conftest import GAP, make_table, random_tables


def random_positions(table: Table, random: np.random.Generator) -> Table:
    values = np.full(table.values.shape, np.nan)
    for column in range(len(table.annotators)):
        rows = np.flatnonzero(table.is_rated[:, column])
        values[rows, column] = random.permutation(len(rows)) + 1
    return make_table(values, table.clusters)


def dense_slopes(table: Table, positions: Table) -> dict[int, tuple[float, Any]]:
    """Slope and standard error of each identified annotator, from marks of every item."""
    item, person = np.nonzero(table.is_rated)
    width = len(table.annotators)
    marks = (item[:, None] == np.arange(len(table.items))).astype(float)
    people = (person[:, None] == np.arange(width)).astype(float)
    full = np.column_stack([marks, people, people * positions.values[item, person][:, None] / 100])
    y = table.values[item, person]
    # Singular values far below the rest are directions that the design does not hold.
    left, size, right = np.linalg.svd(full, full_matrices=False)
    kept = size > 1e-9 * size[0]
    inverse = right[kept].T / size[kept]
    estimates = inverse @ left[:, kept].T @ y
    rest = y - full @ estimates
    freedom = len(y) - int(kept.sum())
    covariance = inverse @ inverse.T
    known = right[kept].T @ right[kept]
    found = {}
    for j in range(width):
        place = len(table.items) + width + j
        if abs(known[place, place] - 1) < 1e-9:
            sd = np.sqrt(rest @ rest / freedom) if freedom else None
            error = None if sd is None else float(sd * np.sqrt(covariance[place, place]))
            found[j] = (float(estimates[place]), error)
    return found


def test_slopes_equal_dense_least_squares_on_random_tables() -> None:
    random = np.random.default_rng(4)
    compared = 0
    for table in random_tables(tries(400), seed=3):
        positions = random_positions(table, random)
        slow = dense_slopes(table, positions)
        for one in drift(table, positions):
            place = table.annotators.index(one.annotator)
            assert (one.per_100 is not None) == (place in slow)
            if one.per_100 is not None:
                slope, error = slow[place]
                assert one.per_100 == pytest.approx(slope, rel=1e-7, abs=1e-7)
                if one.standard_error is not None:
                    assert one.standard_error == pytest.approx(error, rel=1e-6, abs=1e-7)
                    compared += 1
    assert compared > tries(200)


def test_drift_comes_back_with_honest_standard_errors() -> None:
    random = np.random.default_rng(5)
    true, inside, total = np.array([0.0, -0.8, 0.5]), 0, 0
    for _ in range(40):
        blank = make_table(np.zeros((150, 3)))
        positions = random_positions(blank, random)
        values = random.normal(5, 2, (150, 1)) + random.normal(0, 1, (150, 3))
        table = make_table(values + true * positions.values / 100)
        found: Any = drift(table, positions)
        for one, slope in zip(found, true, strict=True):
            inside += abs(one.per_100 - slope) <= 1.96 * one.standard_error
            total += 1
    assert 0.89 <= inside / total <= 0.99


def test_easy_items_at_the_end_are_not_drift() -> None:
    random = np.random.default_rng(6)
    quality = np.linspace(2, 8, 100)[:, None]
    late = make_table(np.column_stack([np.arange(1, 101), random.permutation(100) + 1]))
    found = drift(make_table(quality + random.normal(0, 0.1, (100, 2))), late)
    assert abs(found[0].per_100) < 0.3


def test_annotators_in_step_cannot_be_separated_from_the_items() -> None:
    step = make_table(np.column_stack([np.arange(1, 9)] * 2))
    values = np.random.default_rng(1).integers(0, 11, (8, 2))
    assert [one.reason for one in drift(make_table(values), step)] == [CONFOUNDED] * 2
    assert [one.per_100 for one in drift(make_table(values), step)] == [None] * 2


def test_who_shares_no_item_has_no_slope() -> None:
    table = make_table([[1, GAP], [2, GAP], [GAP, 5]])
    positions = make_table([[1, GAP], [2, GAP], [GAP, 1]])
    assert {one.reason for one in drift(table, positions)} == {NO_SHARED}


def test_too_few_ratings_and_a_perfect_fit_have_no_standard_error() -> None:
    few = drift(make_table([[1, 1], [3, 2], [4, 7]]), make_table([[1, 2], [2, 3], [3, 1]]))
    assert [one.reason for one in few] == [NO_DRIFT_ERROR, NO_DRIFT_ERROR]
    perfect = drift(make_table([[5, 5]] * 5), make_table([[1, 2], [2, 1], [3, 5], [4, 3], [5, 4]]))
    assert [one.reason for one in perfect] == [NO_DRIFT_REST, NO_DRIFT_REST]
    assert perfect[0].per_100 == pytest.approx(0, abs=1e-9)


def test_a_score_without_a_position_is_refused() -> None:
    with pytest.raises(ReliabilityError):
        drift(make_table([[1, 2]]), make_table([[1, GAP]]))
