"""ICC equals the published example, analysis of variance and quadratic forms; negatives stay."""

import numpy as np
import pytest

from core.statistics import tables as reasons
from core.statistics.coefficients import NO_SPREAD, TOO_FEW, intraclass_correlations
from core.statistics.tables import shared_items
from tests.amounts import tries
from tests.core.statistics.conftest import (
    GAP,
    SHROUT_FLEISS,
    TABLES,
    make_table,
    random_tables,
    shuffled,
)
from tests.core.statistics.test_components import slow_components


def anova_icc(values: np.ndarray) -> tuple[float, float]:
    """ICC(2,1) and ICC(2,k) of a complete table from mean squares, Shrout and Fleiss, 1979."""
    n, k = values.shape
    grand = values.mean()
    bms = k * np.square(values.mean(axis=1) - grand).sum() / (n - 1)
    jms = n * np.square(values.mean(axis=0) - grand).sum() / (k - 1)
    rest = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + grand
    ems = np.square(rest).sum() / ((n - 1) * (k - 1))
    single = (bms - ems) / (bms + (k - 1) * ems + k * (jms - ems) / n)
    return single, (bms - ems) / (bms + (jms - ems) / n)


def test_icc_equals_the_published_example() -> None:
    # Shrout and Fleiss, 1979, table 4: .29 and .62.
    found = intraclass_correlations(make_table(SHROUT_FLEISS))
    assert found.single.value == pytest.approx(0.29, abs=5e-3)
    assert found.mean.value == pytest.approx(0.62, abs=5e-3)
    assert (found.k, found.single.n) == (4, 6)


def test_icc_of_complete_tables_equals_the_analysis_of_variance() -> None:
    random = np.random.default_rng(5)
    for _ in range(TABLES):
        n, k = int(random.integers(2, 12)), int(random.integers(2, 6))
        values = np.rint(random.uniform(0, 10, (n, 1)) + random.normal(0, 2, (n, k)))
        if np.ptp(values):
            found = intraclass_correlations(make_table(values))
            expected = anova_icc(values)
            if found.single.value is not None:
                assert found.single.value == pytest.approx(expected[0], abs=1e-9)
            if found.mean.value is not None:
                assert found.mean.value == pytest.approx(expected[1], abs=1e-9)


def test_icc_of_tables_with_gaps_equals_the_slow_components() -> None:
    compared = 0
    for table in random_tables():
        shared = shared_items(table)
        slow = slow_components(shared.values) if len(shared.items) > 1 else None
        found = intraclass_correlations(table)
        if slow is None or found.single.value is None or found.mean.value is None:
            continue
        items, annotators, rest = slow
        k = len(shared.items) / (1 / shared.counts).sum()
        assert found.k == pytest.approx(k)
        assert found.single.value == pytest.approx(items / (items + annotators + rest), abs=1e-9)
        assert found.mean.value == pytest.approx(
            items / (items + (annotators + rest) / k), rel=1e-9, abs=1e-9
        )
        compared += 1
    assert compared > 0.7 * TABLES


def test_the_number_of_ratings_can_be_asked_for() -> None:
    found = intraclass_correlations(make_table(SHROUT_FLEISS), k=2)
    single = found.single.value
    assert single is not None
    assert found.mean.value == pytest.approx(2 * single / (1 + single))


def test_items_that_differ_less_than_chance_give_a_negative_icc() -> None:
    found = intraclass_correlations(make_table([[1, 9], [9, 1], [2, 8], [9, 2]]))
    assert found.single.value is not None
    assert found.single.value < 0


def test_the_order_of_items_and_annotators_changes_no_icc() -> None:
    for table in random_tables(tries(50), seed=1):
        one, two = (intraclass_correlations(t).single for t in (table, shuffled(table)))
        assert one.value == pytest.approx(two.value, abs=1e-9)
        assert one.low == pytest.approx(two.low, abs=1e-8)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([[1, GAP], [2, GAP]], reasons.ONE_ANNOTATOR),
        ([[1, GAP], [GAP, 2]], reasons.NO_OVERLAP),
        ([[3, 4], [GAP, 2]], TOO_FEW),
        ([[4, 4], [4, 4]], NO_SPREAD),
    ],
    ids=["one annotator", "no overlap", "one item", "constant"],
)
def test_undefined_icc_says_why_and_gives_no_components(values, reason) -> None:
    found = intraclass_correlations(make_table(values))
    assert found.components is None
    assert (found.single.value, found.mean.value) == (None, None)
    assert found.single.reason == found.mean.reason == reason
