"""Each annotator against the mean of the others: by hand, against a slow loop, and undefined."""

from statistics import mean

import numpy as np
import pytest

from annotator.reliability.people import NO_SHARED_ITEMS, against_others
from tests.amounts import tries
from tests.core.statistics.conftest import GAP, make_table, random_tables


def test_figures_by_hand() -> None:
    found = against_others(make_table([[4, 6, 8], [5, 5, GAP], [GAP, 9, GAP]]))
    first, second, third = found
    # Against 7 and against 5; the last item is the second's alone.
    assert (first.difference.value, first.distance.value, first.within.value) == (-1.5, 1.5, 0.5)
    assert second.difference.value == 0.0
    assert [one.difference.n for one in found] == [2, 2, 1]
    assert third.difference.value == 3.0


def test_figures_equal_a_slow_loop_on_random_tables() -> None:
    compared = 0
    for table in random_tables(tries(200), seed=3):
        for found in against_others(table, within=2):
            column = table.annotators.index(found.annotator)
            apart = []
            for row in table.values:
                others = [v for j, v in enumerate(row) if j != column and not np.isnan(v)]
                if others and not np.isnan(row[column]):
                    apart.append(row[column] - mean(others))
            assert found.difference.n == len(apart)
            if apart:
                assert found.difference.value == pytest.approx(mean(apart), abs=1e-9)
                assert found.distance.value == pytest.approx(mean(map(abs, apart)), abs=1e-9)
                within = mean(float(abs(value) <= 2) for value in apart)
                assert found.within.value == pytest.approx(within, abs=1e-9)
                compared += 1
    assert compared > tries(300)


def test_who_shares_nothing_is_shown_that_and_who_rated_nothing_is_absent() -> None:
    found = against_others(make_table([[4, 6, GAP, GAP], [GAP, GAP, 5, GAP]]))
    assert [one.annotator for one in found] == ["annotator 00", "annotator 01", "annotator 02"]
    assert found[2].difference.value is None
    assert found[2].within.reason == NO_SHARED_ITEMS
