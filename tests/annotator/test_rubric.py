import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.exemplars import LESSONS, lesson_of, marked_parts
from patclaimeval.rubric import (
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


EXAMPLES = [
    pytest.param(lesson, example, id=f"{lesson.criterion}-{number}")
    for lesson in LESSONS
    for number, example in enumerate(lesson.examples, start=1)
]


def numbers(claims: str) -> list[int]:
    return [int(number) for number in re.findall(r"^(\d+)\. ", claims, re.MULTILINE)]


def test_every_criterion_has_one_lesson_of_two_or_three_examples_in_rubric_order() -> None:
    assert tuple(lesson.criterion for lesson in LESSONS) == CRITERIA
    for lesson in LESSONS:
        assert 2 <= len(lesson.examples) <= 3
        assert len({example.band for example in lesson.examples}) == len(lesson.examples)
        assert lesson_of(lesson.criterion) is lesson
    with pytest.raises(KeyError):
        lesson_of("overall_quality")


def test_every_band_is_worked_somewhere() -> None:
    labels = {example.band.label for lesson in LESSONS for example in lesson.examples}
    assert labels == {band.label for band in RUBRIC[0].bands}


@pytest.mark.parametrize(("lesson", "example"), EXAMPLES)
def test_an_example_lies_in_its_band_has_few_claims_and_marks_what_is_new(lesson, example) -> None:
    assert all(is_score(value) for value in example.scores.values())
    assert band_of(lesson.criterion, example.score) == example.band
    for claims in (lesson.reference, example.candidate):
        assert numbers(claims) == list(range(1, len(numbers(claims)) + 1))
        assert 1 <= len(numbers(claims)) <= 3
    assert example.candidate != lesson.reference
    marked = [p.text for line in example.lines for p in line.parts if p.is_marked]
    assert marked or example.lost
    assert not [words for words in marked if words in lesson.reference]
    for words in example.lost:
        assert words in lesson.reference and words not in example.candidate


def test_the_overall_is_computed_by_the_rubric() -> None:
    first = lesson_of("feature_completeness").examples[0]
    assert list(first.scores.values()) == [4, 9, 10, 9]
    # (4*4 + 2*9 + 2*10 + 3*9) / 11 = 81 / 11
    assert (first.overall, first.overall_band.label) == ("7.36", "7-8")


@given(st.text("abc \n"), st.lists(st.text("abc ", min_size=1), max_size=4))
def test_parts_joined_give_the_text_and_hold_every_mark(text: str, marks: list[str]) -> None:
    parts = marked_parts(text, marks)
    assert "".join(part.text for part in parts) == text
    assert all(part.text in marks for part in parts if part.is_marked)
    assert not any(mark in part.text for part in parts for mark in marks if not part.is_marked)


def test_of_two_marks_at_one_place_the_longer_is_taken() -> None:
    marked = [part.text for part in marked_parts("a cup holder", ["cup", "cup holder"])]
    assert marked == ["a ", "cup holder"]
