import pytest

from patclaimeval.statistics import tables as words
from patclaimeval.statistics.coefficients import Level, krippendorff_alpha
from tests.patclaimeval.statistics.conftest import GAP, KRIPPENDORFF, make_table

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_equals_the_published_example(level, value) -> None:
    # Krippendorff, 2011, gives three decimals; 11 of the 12 units have two values or more.
    estimate = krippendorff_alpha(make_table(KRIPPENDORFF), level)
    assert estimate.value == pytest.approx(value, abs=5e-4)
    assert estimate.n == 11
    assert estimate.clusters == 11


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
            assert krippendorff_alpha(table, "interval").reason == words.ALL_SAME


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([[GAP, GAP]], words.NO_RATINGS),
        ([[1, GAP], [2, GAP]], words.ONE_ANNOTATOR),
        ([[1, GAP], [GAP, 2]], words.NO_OVERLAP),
        ([[4, 4], [4, 4]], words.ALL_SAME),
    ],
    ids=["no ratings", "one annotator", "no overlap", "constant"],
)
def test_undefined_alpha_says_why(values, reason) -> None:
    for level in LEVELS:
        estimate = krippendorff_alpha(make_table(values), level)
        assert (estimate.value, estimate.low, estimate.high) == (None, None, None)
        assert estimate.reason == reason
