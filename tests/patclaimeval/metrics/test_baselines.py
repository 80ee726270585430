"""Baselines read no meaning: identity, length, number of claims, chance."""

import pytest

from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.baselines import ClaimCount, Identity, Length, Random, count_claims


def test_identity_folds_white_space_and_nothing_else() -> None:
    pairs = [Pair("1. A  lid.\n", "1. A lid."), Pair("1. A lid.", "1. a lid.")]
    assert Identity().score(pairs) == [1.0, 0.0]


def test_length_counts_the_words_of_the_candidate() -> None:
    assert Length().score([Pair("one two three", "a\n b"), Pair("x", "")]) == [2.0, 0.0]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("1. A lid. 2. The lid of claim 1. 3. The lid of claim 2.", 3),
        ("1. A lid.\n\n2. The lid\nof claim 1.\n", 2),
        ("1) A lid with 2 hinges 2) The lid of 1) above", 2),
        ("7. The method of claim 6. 8. A device.", 2),
        ("A lid without a number", 1),
        ("1. A lid 20 mm wide at 5. 2. The lid of claim 1", 2),
        ("1. A lid as used in claim 2. Its rim is round.", 1),
        ("", 0),
    ],
)
def test_claims_are_counted_by_numbers_in_sequence(text, claims) -> None:
    assert count_claims(text) == claims
    assert ClaimCount().score([Pair("", text)]) == [float(claims)]


def test_chance_repeats_with_its_seed_and_changes_with_another() -> None:
    pairs = [Pair("a", str(number)) for number in range(200)]
    first = Random(seed=3).score(pairs)
    assert first == Random(seed=3).score(pairs)
    assert first != Random(seed=4).score(pairs)
    assert all(0 <= score < 1 for score in first)
    assert len(set(first)) == 200
    assert 0.4 < sum(first) / 200 < 0.6
