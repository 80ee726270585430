"""Tests of the longest common subsequence of two word lists."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.claims import words as module
from annotator.claims.words import common_words
from tests.amounts import few

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


@given(WORDS, WORDS, st.integers(1, 20))
def test_in_pieces_it_is_still_common_and_rising(left, right, largest):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LARGEST_EXACT", largest)
        assert_common_and_rising(common_words(left, right), left, right)


def test_pieces_meet_at_words_that_occur_once(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_EXACT", 400)
    left = [*"xxxxxxxxxx", "anchor", *"ab" * 20, "buoy", *"c" * 30]
    right = [*"ab" * 20, "anchor", *"ba" * 20, "buoy", *"cd" * 30]
    pairs = common_words(left, right)
    assert_common_and_rising(pairs, left, right)
    assert {(10, 40), (51, 81)} <= set(pairs)


@pytest.mark.parametrize("size", few([5_000, 60_000]))
@pytest.mark.parametrize("kinds", [1, 2, 10_000])
def test_long_lists_of_few_or_many_words_come_to_an_end(size, kinds):
    rng = random.Random(7)
    left, right = ([str(rng.randrange(kinds)) for _ in range(size)] for _ in range(2))
    pairs = common_words(["y", *left], ["z", *right])
    assert_common_and_rising(pairs, ["y", *left], ["z", *right])
    assert pairs


def test_words_of_one_side_only_change_no_pair() -> None:
    left = [str(n) for n in range(20_000)]
    assert common_words([*left, "b", "c"], ["a", "b", "c", "d"] * 2 + ["x"]) == [
        (20_000, 1), (20_001, 2)
    ]  # fmt: skip
