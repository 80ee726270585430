"""Alpha equals the published example and its definition, and has a reason where undefined."""

from itertools import product

import pytest

from core.statistics import tables as reasons
from core.statistics.coefficients import Level, krippendorff_alpha
from core.statistics.resampling import UNDEFINED_WITHOUT_ONE
from tests.amounts import tries
from tests.core.statistics.conftest import (
    GAP,
    KRIPPENDORFF,
    TABLES,
    make_table,
    random_tables,
    score_lists,
    shuffled,
)

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def slow_alpha(items: list[list[float]], level: str) -> float | None:
    """Alpha from the definition: disagreement within items over disagreement of all scores."""
    everything = [value for item in items for value in item]
    n = len(everything)
    count = {value: everything.count(value) for value in sorted(set(everything))}
    if len(count) < 2:
        return None

    def apart(c: float, k: float) -> float:
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return (c - k) ** 2
        low, high = min(c, k), max(c, k)
        between = sum(n_g for g, n_g in count.items() if low <= g <= high)
        return (between - (count[low] + count[high]) / 2) ** 2

    within = sum(apart(c, k) / (len(item) - 1) for item in items for c, k in product(item, item))
    overall = sum(count[c] * count[k] * apart(c, k) for c, k in product(count, count))
    return 1 - (within / n) / (overall / (n * (n - 1)))


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_equals_the_published_example(level, value) -> None:
    # Krippendorff, 2011, gives three decimals; 11 of the 12 units have two values or more.
    estimate = krippendorff_alpha(make_table(KRIPPENDORFF), level)
    assert estimate.value == pytest.approx(value, abs=5e-4)
    assert estimate.n == 11
    assert estimate.clusters == 11


def test_nominal_alpha_by_hand() -> None:
    # Scores 1 1 | 1 2 | 2 2: N = 6, margins 3 and 3, o_12 = 1: 1 - 5 x 1 / 9.
    estimate = krippendorff_alpha(make_table([[1, 1], [1, 2], [2, 2]]), "nominal")
    assert estimate.value == pytest.approx(1 - 5 / 9, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_equals_its_definition_on_random_tables(level) -> None:
    undefined = 0
    for table in random_tables():
        expected = slow_alpha(score_lists(table), level)
        value = krippendorff_alpha(table, level).value
        undefined += expected is None
        assert value == (None if expected is None else pytest.approx(expected, abs=1e-9))
    assert 0 < undefined < 0.3 * TABLES


@pytest.mark.parametrize("level", LEVELS)
def test_the_order_of_items_and_annotators_changes_no_alpha(level) -> None:
    for table in random_tables(tries(50), seed=1):
        one, two = krippendorff_alpha(table, level), krippendorff_alpha(shuffled(table), level)
        for name in ("value", "low", "high"):
            assert getattr(one, name) == pytest.approx(getattr(two, name), abs=1e-9)


def test_nominal_alpha_ignores_which_numbers_stand_for_the_values() -> None:
    other = make_table(KRIPPENDORFF**3 - 7)
    assert krippendorff_alpha(other, "nominal") == krippendorff_alpha(
        make_table(KRIPPENDORFF), "nominal"
    )


def test_one_value_throughout_is_undefined_despite_rounding() -> None:
    # Four scores weigh a third each, and v x n / n need not be v again.
    for items in range(2, 40):
        for value in (0.1, 3, 7):
            table = make_table([[value] * 4] * items)
            assert krippendorff_alpha(table, "interval").reason == reasons.ALL_SAME


def test_without_the_only_different_reference_alpha_has_no_interval() -> None:
    estimate = krippendorff_alpha(make_table([[4, 4, 4, 4]] * 7 + [[1, 4, 4, 1]]), "interval")
    assert estimate.value is not None
    assert (estimate.low, estimate.reason) == (None, UNDEFINED_WITHOUT_ONE)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([[GAP, GAP]], reasons.NO_RATINGS),
        ([[1, GAP], [2, GAP]], reasons.ONE_ANNOTATOR),
        ([[1, GAP], [GAP, 2]], reasons.NO_OVERLAP),
        ([[4, 4], [4, 4]], reasons.ALL_SAME),
    ],
    ids=["no ratings", "one annotator", "no overlap", "constant"],
)
def test_undefined_alpha_says_why(values, reason) -> None:
    for level in LEVELS:
        estimate = krippendorff_alpha(make_table(values), level)
        assert (estimate.value, estimate.low, estimate.high) == (None, None, None)
        assert estimate.reason == reason
