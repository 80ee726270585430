"""Annotators who share items, directly or by a chain, form one group; others do not."""

import pytest

from annotator.reliability.severity import components, connection_warning, is_connected
from tests.core.statistics.conftest import GAP, make_table

CHAIN = [[1, 2, GAP], [GAP, 3, 4]]
APART = [[1, 2, GAP, GAP], [GAP, GAP, 3, 4], [5, GAP, GAP, GAP]]


def test_a_chain_of_shared_items_connects() -> None:
    assert is_connected(make_table(CHAIN))
    assert connection_warning(make_table(CHAIN)) == ""


def test_groups_without_a_shared_item_are_listed_and_warned_of() -> None:
    table = make_table(APART)
    first, second = components(table)
    assert (first, second) == (("annotator 00", "annotator 01"), ("annotator 02", "annotator 03"))
    assert not is_connected(table)
    assert "2 groups" in connection_warning(table)


def test_the_largest_group_comes_first_and_who_rated_nothing_is_in_none() -> None:
    values = [[1, GAP, GAP, GAP], [GAP, 2, 3, GAP]]
    assert components(make_table(values)) == (
        ("annotator 01", "annotator 02"),
        ("annotator 00",),
    )


@pytest.mark.parametrize("values", [[[1.0]], [[GAP, GAP]]], ids=["one", "none"])
def test_one_annotator_or_none_is_connected(values: list[list[float]]) -> None:
    assert is_connected(make_table(values))
