from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.rubric import (
    ALL_CRITERIA,
    CRITERIA,
    RUBRIC,
    TOTAL_WEIGHT,
    WEIGHTS,
    band_of,
    is_score,
    overall_numerator,
    overall_text,
)

scores = st.fixed_dictionaries({key: st.integers(0, 10) for key in CRITERIA})


def test_weights_are_those_of_the_paper() -> None:
    assert WEIGHTS == {
        "feature_completeness": 4,
        "conceptual_clarity": 2,
        "terminology_consistency": 2,
        "logical_linkage": 3,
    }
    assert sum(WEIGHTS.values()) == TOTAL_WEIGHT


@pytest.mark.parametrize(
    ("values", "numerator", "text"),
    [
        ((0, 0, 0, 0), 0, "0.00"),
        ((10, 10, 10, 10), 110, "10.00"),
        ((8, 6, 7, 9), 85, "7.73"),
        ((1, 0, 0, 0), 4, "0.36"),
    ],
)
def test_overall_is_the_weighted_sum_over_eleven(values, numerator, text) -> None:
    assert overall_numerator(dict(zip(CRITERIA, values, strict=True))) == numerator
    assert overall_text(numerator) == text


@given(scores)
def test_overall_text_is_the_exact_value_rounded_half_up(values: dict[str, int]) -> None:
    numerator = overall_numerator(values)
    exact = Fraction(numerator, TOTAL_WEIGHT)
    assert abs(Fraction(overall_text(numerator)) - exact) <= Fraction(1, 200)


@pytest.mark.parametrize("wrong", [True, 11, -1, 9.0, "9", None])
def test_only_whole_numbers_from_0_to_10_are_scores(wrong: object) -> None:
    assert not is_score(wrong)
    with pytest.raises(ValueError, match="whole number"):
        overall_numerator({**dict.fromkeys(CRITERIA, 5), CRITERIA[0]: wrong})  # type: ignore[dict-item]


def test_a_missing_or_unknown_criterion_is_refused() -> None:
    with pytest.raises(ValueError, match="exactly the criteria"):
        overall_numerator(dict.fromkeys(CRITERIA[:3], 5))


def test_every_score_has_exactly_one_band_with_a_sentence() -> None:
    for criterion in RUBRIC:
        covered = [v for band in criterion.bands for v in range(band.low, band.high + 1)]
        assert covered == list(range(11))
        assert len({band.sentence for band in criterion.bands}) == 5


def test_a_value_between_two_bands_is_rounded_half_up() -> None:
    for criterion in ALL_CRITERIA:
        assert band_of(criterion, Fraction(5, 2)).low == 3
        assert band_of(criterion, Fraction(249, 100)).high == 2
    # The band of an overall is (2·numerator + 11) // 22, for every numerator.
    for numerator in range(111):
        rounded = (2 * numerator + 11) // 22
        band = band_of("overall_quality", Fraction(numerator, TOTAL_WEIGHT))
        assert band.low <= rounded <= band.high
