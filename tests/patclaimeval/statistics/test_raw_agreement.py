from collections.abc import Callable
from itertools import combinations
from statistics import mean

import pytest

from patclaimeval.statistics import tables as reasons
from patclaimeval.statistics.coefficients import raw_agreement
from tests.patclaimeval.statistics.conftest import GAP, make_table, random_tables, score_lists


def slow_mean(items: list[list[float]], of_pair: Callable[..., float]) -> float:
    return mean(mean(of_pair(a, b) for a, b in combinations(item, 2)) for item in items)


def test_raw_agreement_equals_its_definition_on_random_tables() -> None:
    for number, table in enumerate(random_tables()):
        items, within = score_lists(table), number % 4
        found = raw_agreement(table, within)
        if not items:
            assert found.exact.value is None
            continue
        assert found.exact.n == len(items)
        assert found.exact.value == pytest.approx(slow_mean(items, lambda a, b: a == b), abs=1e-9)
        assert found.within.value == pytest.approx(
            slow_mean(items, lambda a, b, most=within: abs(a - b) <= most), abs=1e-9
        )
        assert found.mean_difference.value == pytest.approx(
            slow_mean(items, lambda a, b: abs(a - b)), abs=1e-9
        )


def test_intervals_stay_within_the_range() -> None:
    found = raw_agreement(make_table([[1, 1]] * 9 + [[1, 9]]))
    assert found.exact.high == 1.0
    assert found.mean_difference.low == 0.0


def test_no_overlap_has_its_reason() -> None:
    found = raw_agreement(make_table([[1, GAP], [GAP, 2]]))
    assert found.exact.value is found.within.value is found.mean_difference.value is None
    assert found.within.reason == reasons.NO_OVERLAP
