import pytest

from patclaimeval.statistics import tables as reasons
from patclaimeval.statistics.coefficients import NO_SPREAD, TOO_FEW, intraclass_correlations
from patclaimeval.statistics.tables import shared_items
from tests.patclaimeval.statistics.conftest import (
    GAP,
    SHROUT_FLEISS,
    TABLES,
    make_table,
    random_tables,
)
from tests.patclaimeval.statistics.test_components import slow_components


def test_icc_equals_the_published_example() -> None:
    # Shrout and Fleiss, 1979, table 4: .29 and .62.
    found = intraclass_correlations(make_table(SHROUT_FLEISS))
    assert found.single.value == pytest.approx(0.29, abs=5e-3)
    assert found.mean.value == pytest.approx(0.62, abs=5e-3)
    assert (found.k, found.single.n) == (4, 6)


def test_icc_of_tables_with_gaps_equals_the_slow_components() -> None:
    compared = negative = 0
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
        negative += items < 0
    assert compared > 0.7 * TABLES
    assert negative > 0


def test_the_number_of_ratings_can_be_asked_for() -> None:
    found = intraclass_correlations(make_table(SHROUT_FLEISS), k=2)
    single = found.single.value
    assert single is not None
    assert found.mean.value == pytest.approx(2 * single / (1 + single))


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
