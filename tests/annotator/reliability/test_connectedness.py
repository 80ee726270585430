"""Annotators who share items, directly or by a chain, form one group; others do not."""

import pytest

from annotator.reliability.severity import component_numbers, severities
from tests.core.statistics.conftest import GAP, make_table

CHAIN = [[1, 2, GAP], [GAP, 3, 4]]
APART = [[1, 2, GAP, GAP], [GAP, GAP, 3, 4], [5, GAP, GAP, GAP]]


def test_a_chain_of_shared_items_connects() -> None:
    report = severities(make_table(CHAIN))
    assert (report.groups, report.warning) == (1, "")


def test_groups_without_a_shared_item_are_counted_and_warned_of() -> None:
    first, second, third, fourth = component_numbers(make_table(APART)).tolist()
    assert first == second != third == fourth
    report = severities(make_table(APART))
    assert report.groups == 2
    assert "2 groups" in report.warning


def test_who_rated_nothing_is_in_no_group() -> None:
    assert severities(make_table([[1, GAP, GAP, GAP], [GAP, 2, 3, GAP]])).groups == 2


@pytest.mark.parametrize("values", [[[1.0]], [[GAP, GAP]]], ids=["one", "none"])
def test_one_annotator_or_none_is_connected(values: list[list[float]]) -> None:
    assert severities(make_table(values)).warning == ""
