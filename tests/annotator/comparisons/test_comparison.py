"""The forms of comparing, by themselves."""

from fractions import Fraction

import pytest
from django.http import QueryDict

from annotator.comparisons.forms import AskForm, PreferenceForm
from annotator.rubric import ALL_CRITERIA

GOOD = "&".join(f"{key}={value}" for key, value in zip(ALL_CRITERIA, "10110", strict=True))


def form(text: str) -> PreferenceForm:
    return PreferenceForm(QueryDict(text))


def test_five_answers_are_read_and_space_around_them_is_cut() -> None:
    read = form(f"{GOOD}&comment=so&version=2".replace("=1", "=%20-1%0A", 1))
    assert read.is_valid()
    assert list(read.judgements.values()) == [-1, 0, 1, 1, 0]
    assert (read.version_seen, read.cleaned_data["comment"]) == (2, "so")


@pytest.mark.parametrize("bad", ["", "2", "-2", "%2B1", "1.0", "01", "--1", "true", "١", "-0"])  # noqa: RUF001
def test_anything_else_is_no_answer(bad: str) -> None:
    read = form(GOOD.replace("logical_linkage=1", f"logical_linkage={bad}"))
    assert list(read.errors) == ["logical_linkage"]


def test_an_answer_sent_twice_and_a_field_of_another_rubric_are_refused() -> None:
    assert list(form(f"{GOOD}&logical_linkage=0").errors) == ["logical_linkage"]
    assert "no field named beauty" in str(form(f"{GOOD}&beauty=1").errors)


@pytest.mark.parametrize("share", ["0", "100.01", "-1", "NaN", "Infinity", "1e999", "x", ""])
def test_a_share_is_between_nothing_and_all(share: str) -> None:
    assert "share" in AskForm(QueryDict(f"share={share}&seed=0")).errors


def test_a_share_in_per_cent_is_exact() -> None:
    read = AskForm(QueryDict("share=12.5&seed=7"))
    assert read.is_valid()
    assert read.exact_share == Fraction(1, 8)
