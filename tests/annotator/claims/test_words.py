"""Tests of the reading of claim text as words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.words import fold, is_content, read_tokens


@given(st.text(st.one_of(st.characters(), st.sampled_from("\x00\u202e\u200b\u0301 \n1.A一"))))
def test_tokens_rise_and_leave_out_only_what_cannot_be_seen(text):
    tokens = read_tokens(text)
    done = 0
    for start, end in zip(tokens.starts, tokens.ends, strict=True):
        assert done <= start < end <= len(text)
        done = end
    assert len(tokens.keys) == len(tokens.starts)
    assert all(tokens.keys)


@given(st.text("ab1 .,;-()\n\t\u4e00", max_size=40))
def test_no_visible_character_is_left_out(text):
    tokens = read_tokens("x" + text)
    assert "".join(("x" + text).split()) == "".join(
        ("x" + text)[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)
    )


def test_words_numbers_marks_and_ideographs_are_tokens():
    keys = read_tokens("3. A light-emitting layer, 0.8mm thick; 一种泵").keys
    expected = ["a", "light", "-", "emitting", "layer", ",", "0.8", "mm", "thick", ";"]
    assert keys == [*expected, "一", "种", "泵"]


@pytest.mark.parametrize(
    "marker", ["1. ", "1) ", "Claim 1. ", "claim 12: ", "\n  7.", "1、", "3\uff0e"]
)
def test_the_number_of_a_claim_is_no_token(marker):
    assert read_tokens(f"{marker}A pump").keys == ["a", "pump"]


@pytest.mark.parametrize("text", ["1.5 mm", "Claims 1 and 2", "10 grams"])
def test_a_number_that_opens_a_text_without_being_a_marker_is_a_token(text):
    assert len(read_tokens(text).keys) == len(text.replace("1.5", "1").split())


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The", "the"),
        ("COMPRISING", "comprising"),
        ("Cafe\u0301", "caf\u00e9"),
        ("se\u00adal", "seal"),
    ],
)
def test_what_reads_the_same_is_equal(left, right):
    assert fold(left) == fold(right)


@pytest.mark.parametrize(("left", "right"), [("CO", "Co"), ("mM", "mm"), ("M", "m"), ("pH", "PH")])
def test_capitals_of_symbols_carry_meaning(left, right):
    assert fold(left) != fold(right)


def test_function_words_and_punctuation_are_not_content():
    words = ["the", ";", "wherein", "not", "pump", "0.8", "泵"]
    assert [word for word in words if is_content(word)] == ["not", "pump", "0.8", "泵"]
