"""Tests of the content words of a claim text."""

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.words import content_words, stem


@pytest.mark.parametrize(
    "family",
    [
        "form forms formed forming formation",
        "rotate rotates rotating rotation rotated",
        "measure measuring measurement measured",
        "vary varied varying variation",
        "apply applied application",
        "control controlled controlling",
        "position positioned",
        "gas gases",
        "attach fastened fixing secured",
    ],
)
def test_inflections_and_drafters_synonyms_are_one_word(family):
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize(
    "words", ["sensor sensing", "ring bring", "string str", "speed spe", "less greater"]
)
def test_different_things_stay_different(words):
    assert len({stem(word) for word in words.split()}) == 2


@pytest.mark.parametrize("end", ["", ")", " valve)"])
def test_a_list_of_labels_is_read_in_one_way(end):
    def stop(*_):
        raise TimeoutError

    # Two ways for each label are a million million for forty of them: that never ends.
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(20)
    try:
        words = content_words("a pump (" + "i, " * 39 + "v" + end)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert words[:1] == ["pump"]
    assert (len(words) == 1) == (end == ")")


def test_markers_citations_labels_and_numerals_say_nothing():
    text = (
        "3. The pump (12) of any one of claims 1, 2 or 4 to 6, wherein (a) the seal is 2 mm wide."
    )
    assert content_words(text) == content_words("a pump, a seal 2 mm wide")


def test_ideographs_are_read_in_pairs():
    assert content_words("\u6c34\u6cf5") == ["\u6c34\u6cf5"]
    assert content_words("\u6839\u636e\u6743\u5229\u8981\u6c421\u6240\u8ff0") == content_words(
        "\u6839\u636e\u6743\u5229\u8981\u6c422\u6240\u8ff0"
    )


@given(st.text())
def test_any_text_has_content_words_that_are_not_empty(text):
    assert all(content_words(text))
