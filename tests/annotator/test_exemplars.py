import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.exemplars import LESSONS, Example, Lesson, lesson_of, marked_parts
from annotator.rubric import CRITERIA, RUBRIC, band_of, is_score

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
def test_the_score_lies_in_the_band_that_the_example_cites(lesson, example) -> None:
    assert all(is_score(value) for value in example.scores.values())
    assert band_of(lesson.criterion, example.score) == example.band


@pytest.mark.parametrize(("lesson", "example"), EXAMPLES)
def test_the_contrast_is_the_band_next_to_it(lesson: Lesson, example: Example) -> None:
    bands = next(entry.bands for entry in RUBRIC if entry.key == lesson.criterion)
    assert abs(bands.index(example.band) - bands.index(example.contrast_band)) == 1


@pytest.mark.parametrize(("lesson", "example"), EXAMPLES)
def test_claims_are_numbered_and_few_and_the_candidate_is_not_the_reference(lesson, example):
    for claims in (lesson.reference, example.candidate):
        assert numbers(claims) == list(range(1, len(numbers(claims)) + 1))
        assert 1 <= len(numbers(claims)) <= 3
    assert example.candidate != lesson.reference


@pytest.mark.parametrize(("lesson", "example"), EXAMPLES)
def test_what_is_marked_is_new_and_what_is_lost_is_really_lost(lesson, example) -> None:
    marked = [p.text for line in example.lines for p in line.parts if p.is_marked]
    assert marked or example.lost
    assert not [words for words in marked if words in lesson.reference]
    for words in example.lost:
        assert words in lesson.reference and words not in example.candidate


def test_the_lowest_score_of_an_example_is_that_of_its_own_criterion() -> None:
    # Otherwise the example would teach another criterion than the one it stands under.
    for lesson in LESSONS:
        for example in lesson.examples:
            assert example.score == min(example.scores.values())


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
