"""METEOR equals its formula by hand, matches stems, and needs no WordNet data."""

import pytest

from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.meteor import Meteor, NoSynonyms, RememberingStemmer


def test_meteor_is_mean_times_fragmentation_penalty() -> None:
    # Matches a, b, d of 4 candidate and 5 reference words, in 2 chunks (a b, d).
    precision, recall = 3 / 4, 3 / 5
    mean = precision * recall / (0.9 * precision + 0.1 * recall)
    expected = mean * (1 - 0.5 * (2 / 3) ** 3)
    assert Meteor().score([Pair("a b c d e", "a b x d")]) == pytest.approx([expected], abs=1e-9)


def test_words_with_one_stem_match() -> None:
    # One match in one chunk: mean 1, penalty 0.5.
    assert Meteor().score([Pair("housings", "Housing")]) == pytest.approx([0.5], abs=1e-9)


def test_case_is_folded_before_words_are_aligned() -> None:
    # "x Lid" is found in one piece as "x lid"; with case kept it would be two, back to front.
    mean = (2 / 3) / (0.9 + 0.1 * 2 / 3)
    [score] = Meteor().score([Pair("Lid x lid", "x Lid")])
    assert score == pytest.approx(mean * (1 - 0.5 * (1 / 2) ** 3), abs=1e-9)


def test_synonyms_do_not_match() -> None:
    assert Meteor().score([Pair("car", "automobile")]) == [0.0]


def test_empty_texts_score_zero() -> None:
    assert Meteor().score([Pair("", "a"), Pair("a", ""), Pair("", "")]) == [0.0, 0.0, 0.0]


def test_the_version_says_that_wordnet_is_absent() -> None:
    assert "no WordNet" in Meteor().version
    assert NoSynonyms().synsets("car") == []


def test_the_stemmer_gives_porter_stems() -> None:
    assert RememberingStemmer("en").stem("comprising") == "compris"
