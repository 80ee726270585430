from itertools import combinations

import numpy as np
import pytest

from patclaimeval.statistics.tables import (
    ReliabilityError,
    Table,
    rating_pairs,
    shared_items,
    table_of,
)
from tests.amounts import tries
from tests.patclaimeval.statistics.conftest import GAP, make_table, random_tables

ROWS = [("b", "r", "alice", 3), ("a", "r", "bob", 4), ("b", "r", "bob", 5)]


def test_the_order_of_ratings_changes_nothing() -> None:
    one, two = table_of(ROWS), table_of(ROWS[::-1])
    assert (one.items, one.annotators, one.clusters) == (("a", "b"), ("alice", "bob"), ("r", "r"))
    assert np.array_equal(one.values, [[GAP, 4], [3, 5]], equal_nan=True)
    assert np.array_equal(one.values, two.values, equal_nan=True)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("b", "r", "bob", 1), "two ratings"),
        (("b", "other", "carol", 1), "two references"),
        (("c", "r", "bob", GAP), "finite"),
    ],
    ids=["repeated", "two references", "nan"],
)
def test_a_rating_that_does_not_fit_is_refused(row, message) -> None:
    with pytest.raises(ReliabilityError, match=message):
        table_of([*ROWS, row])


@pytest.mark.parametrize(
    ("clusters", "items", "annotators", "top"),
    [
        (("r",), ("a", "b"), ("x", "y"), 1),
        (("r", "r"), ("a", "a"), ("x", "y"), 1),
        (("r", "r"), ("a", "b"), ("x", "x"), 1),
        (("r", "r"), ("a", "b"), ("x",), 1),
        (("r", "r"), ("a", "b"), ("x", "y"), np.inf),
    ],
    ids=["references", "items", "annotators", "shape", "infinite"],
)
def test_a_table_whose_names_do_not_fit_is_refused(clusters, items, annotators, top) -> None:
    with pytest.raises(ReliabilityError):
        Table(np.array([[top, 2.0], [3.0, 4.0]]), clusters, items, annotators)


def test_no_ratings_make_an_empty_table() -> None:
    table = table_of([])
    assert table.values.shape == (0, 0)
    assert len(rating_pairs(table).item) == 0


def test_items_with_one_score_are_not_shared() -> None:
    shared = shared_items(make_table([[1, GAP], [2, 3], [GAP, GAP]]))
    assert shared.items == ("item 0001",)
    assert shared.annotators == ("annotator 00", "annotator 01")


def test_every_pair_of_scores_on_one_item_is_listed_once() -> None:
    for table in random_tables(tries(100)):
        pairs = rating_pairs(table)
        columns = (pairs.item, pairs.left, pairs.right, pairs.first, pairs.second, pairs.count)
        found = sorted(zip(*(column.tolist() for column in columns), strict=True))
        expected = [
            (i, a, b, row[a], row[b], int(np.sum(~np.isnan(row))))
            for i, row in enumerate(table.values)
            for a, b in combinations(np.flatnonzero(~np.isnan(row)).tolist(), 2)
        ]
        assert found == expected
