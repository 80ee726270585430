"""The rating form."""

import pytest
from django.http import QueryDict

from annotator.models import Rating
from annotator.rating.forms import RatingForm, as_sent
from annotator.rating_values import LONGEST_TEXT, TEXT_FIELDS
from annotator.rubric import CRITERIA
from core.errors import Refused

FIRST = CRITERIA[0]


def sent(**changes: str | list[str] | None) -> QueryDict:
    data = QueryDict(mutable=True)
    data.update(dict.fromkeys(CRITERIA, "5"))
    for name, value in changes.items():
        if value is None:
            del data[name]
        else:
            data.setlist(name, value if isinstance(value, list) else [value])
    return data


@pytest.mark.parametrize("text", ["0", "9", "10", " 7 ", "\t3\r\n"])
def test_a_whole_number_from_0_to_10_is_a_score(text: str) -> None:
    form = RatingForm(sent(**{FIRST: text}))
    assert form.is_valid()
    assert form.scores[FIRST] == int(text)


@pytest.mark.parametrize(
    "text",
    [
        *("10.5", "-1", "11", "", " ", "9.0", "9.", "+9", "09", "00", "1e1", "0x5", "1_0"),
        *("true", "[9]", "null", "9;drop", "9\x00", "9\u00a0", "\u0669", "\uff11"),
    ],
)
def test_anything_else_is_no_score(text: str) -> None:
    form = RatingForm(sent(**{FIRST: text}))
    assert not form.is_valid()
    assert list(form.errors) == [FIRST]
    assert set(form.scores) == set(CRITERIA[1:])


def test_a_missing_criterion_is_named() -> None:
    form = RatingForm(sent(**{FIRST: None}))
    assert list(form.errors) == [FIRST]


def test_a_criterion_sent_twice_is_refused_even_with_equal_values() -> None:
    form = RatingForm(sent(**{FIRST: ["9", "9"]}))
    assert "more than once" in str(form.errors[FIRST])


def test_a_criterion_of_another_rubric_is_refused() -> None:
    form = RatingForm(sent(novelty="5"))
    assert "novelty" in str(form.non_field_errors())


def test_comment_retains_its_text_and_loses_only_the_line_ends_of_forms() -> None:
    form = RatingForm(sent(comment="  <b>a</b>\r\nb {{7*7}} "))
    assert form.is_valid()
    assert form.cleaned_data["comment"] == "  <b>a</b>\nb {{7*7}} "


def test_a_comment_beyond_the_limit_is_refused_with_the_limit_named() -> None:
    form = RatingForm(sent(comment="x" * (LONGEST_TEXT + 1)))
    assert str(LONGEST_TEXT) in str(form.errors["comment"])


@pytest.mark.parametrize("version", ["-1", "x", "1.5", "9" * 30])
def test_a_version_that_is_no_number_is_refused(version: str) -> None:
    assert "version" in RatingForm(sent(version=version)).errors


@pytest.mark.parametrize("name", ["comment", "key"])
def test_a_nul_character_is_refused(name: str) -> None:
    assert name in RatingForm(sent(**{name: "a\x00b"})).errors


def test_a_refusal_of_the_service_is_shown_beside_its_field_or_above() -> None:
    form = RatingForm(sent())
    form.is_valid()
    form.take_refusal(Refused("Too long.", {"comment": ["Too long."]}))
    form.take_refusal(Refused("Too late."))
    assert form.errors["comment"] == ["Too long."]
    assert form.non_field_errors() == ["Too late."]


def test_a_stored_rating_reads_as_the_form_would_send_it() -> None:
    words = {field.name: f"a {field.name}" for field in TEXT_FIELDS}
    rating = Rating(**dict.fromkeys(CRITERIA, 10), **words, version=3)
    rating.error_tags = [{"tag": "vagueness"}]
    assert {"comment", "note"} <= words.keys()
    assert as_sent(rating) == dict.fromkeys(CRITERIA, "10") | words | {
        "error_tags": '[{"tag": "vagueness"}]',
        "version": "3",
    }
