import random
import signal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims import words as module
from patclaimeval.claims.words import (
    common_words,
    content_words,
    is_content,
    read_tokens,
    stem,
    token_key,
)
from tests.amounts import few


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
    ("left", "right", "is_equal"),
    [
        *(("The", "the", True), ("COMPRISING", "comprising", True)),
        *(("Cafe\u0301", "caf\u00e9", True), ("se\u00adal", "seal", True)),
        *(("CO", "Co", False), ("mM", "mm", False), ("M", "m", False), ("pH", "PH", False)),
    ],
)
def test_what_reads_the_same_is_equal_and_capitals_of_symbols_carry_meaning(left, right, is_equal):
    assert (token_key(left) == token_key(right)) == is_equal


def test_function_words_and_punctuation_are_not_content():
    words = ["the", ";", "wherein", "not", "pump", "0.8", "泵"]
    assert [word for word in words if is_content(word)] == ["not", "pump", "0.8", "泵"]


WORDS = st.lists(st.sampled_from("abcd"), max_size=14)


def length_by_the_textbook(left, right):
    row = [0] * (len(right) + 1)
    for word in left:
        above = row[:]
        for j, other in enumerate(right):
            row[j + 1] = above[j] + 1 if word == other else max(above[j + 1], row[j])
    return row[-1]


def assert_common_and_rising(pairs, left, right):
    assert all(left[i] == right[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))


@given(WORDS, WORDS)
def test_the_subsequence_is_common_rising_and_longest(left, right):
    pairs = common_words(left, right)
    assert_common_and_rising(pairs, left, right)
    assert len(pairs) == length_by_the_textbook(left, right)


def test_of_lists_that_are_too_long_only_the_ends_are_paired(monkeypatch):
    monkeypatch.setattr(module, "MOST_COMPARED", 5)
    assert common_words([*"abcxyz"], [*"abdxez"]) == [(0, 0), (1, 1), (5, 5)]
    assert common_words([*"abxz"], [*"abyxz"]) == [(0, 0), (1, 1), (2, 3), (3, 4)]


@pytest.mark.parametrize("size", few([5_000, 30_000]))
@pytest.mark.parametrize("kinds", [1, 2, 10_000])
def test_long_lists_of_few_or_many_words_come_to_an_end(size, kinds):
    rng = random.Random(7)
    left, right = ([str(rng.randrange(kinds)) for _ in range(size)] for _ in range(2))
    pairs = common_words(["y", *left], ["z", *right])
    assert_common_and_rising(pairs, ["y", *left], ["z", *right])
    assert pairs


def test_words_of_one_side_only_change_no_pair() -> None:
    left = [str(n) for n in range(20_000)]
    pairs = common_words([*left, "b", "c"], ["a", "b", "c", "d"] * 2 + ["x"])
    assert pairs == [(20_000, 1), (20_001, 2)]


@pytest.mark.parametrize(
    "family",
    [
        *("form forms formed forming formation", "rotate rotates rotating rotation rotated"),
        *("measure measuring measurement measured", "vary varied varying variation"),
        *("apply applied application", "control controlled controlling", "position positioned"),
        *("gas gases", "attach fastened fixing secured"),
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


def test_markers_citations_labels_and_numerals_say_nothing_and_ideographs_go_in_pairs():
    text = (
        "3. The pump (12) of any one of claims 1, 2 or 4 to 6, wherein (a) the seal is 2 mm wide."
    )
    assert content_words(text) == content_words("a pump, a seal 2 mm wide")
    assert content_words("\u6c34\u6cf5") == ["\u6c34\u6cf5"]
    assert content_words("\u6839\u636e\u6743\u5229\u8981\u6c421\u6240\u8ff0") == content_words(
        "\u6839\u636e\u6743\u5229\u8981\u6c422\u6240\u8ff0"
    )


@given(st.text())
def test_any_text_has_content_words_that_are_not_empty(text):
    assert all(content_words(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Pumpe nach Anspruch 1 oder 2", "Pumpe nach einem der Anspr\u00fcche 3 bis 14"),
        ("Pompe selon la revendication 1", "Pompe selon la revendication 3 ou 4"),
        (
            "\u6839\u636e\u6743\u5229\u8981\u6c421\u81f33\u6240\u8ff0\u7684\u6cf5",
            "\u6839\u636e\u6743\u5229\u8981\u6c424\u81f36\u6240\u8ff0\u7684\u6cf5",
        ),
        (
            "\u8acb\u6c42\u9805\uff11\u53c8\u306f\uff12\u306b\u8a18\u8f09",
            "\u8acb\u6c42\u9805\uff13\u53c8\u306f\uff14\u306b\u8a18\u8f09",
        ),
    ],
)
def test_numbers_of_cited_claims_are_no_content_in_any_language(one, other):
    assert not any(word.isdigit() for word in content_words(one) + content_words(other))
    # The 2 of two shafts is.
    assert "2" in content_words("zwei Wellen von 2 mm nach Anspruch 1")
