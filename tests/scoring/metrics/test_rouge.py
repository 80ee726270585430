"""ROUGE equals counts by hand and the rouge-score package."""

import random

import pytest
from rouge_score import rouge_scorer

from scoring.metrics.base import Pair
from scoring.metrics.rouge import Rouge, f_measure

PAIRS = [
    Pair("1. A valve comprising a housing.", "1. The valve comprises a housing, a housing."),
    Pair("a b c d", "d c b a"),
    Pair("One, two.", ""),
    Pair("", "One, two."),
    Pair("x", "x"),
    Pair("alpha beta gamma", "delta"),
]


def test_rouge_1_is_the_harmonic_mean_of_precision_and_recall() -> None:
    # 2 shared words of 3 in the candidate and of 4 in the reference: 2 x 2 / (3 + 4).
    assert Rouge("1").score([Pair("a b c d", "a b x")]) == pytest.approx([4 / 7], abs=1e-9)


def test_rouge_2_counts_pairs_of_neighbours() -> None:
    # Shared: (a b), one of 2 and of 3.
    assert Rouge("2").score([Pair("a b c d", "a b x")]) == pytest.approx([2 / 5], abs=1e-9)


def test_rouge_l_keeps_the_order_of_words() -> None:
    assert Rouge("l").score([Pair("a b c d", "d c b a")]) == pytest.approx([1 / 4], abs=1e-9)


def test_words_are_not_stemmed() -> None:
    assert Rouge("1").score([Pair("housings", "housing")]) == [0.0]


@pytest.mark.parametrize(("variant", "key"), [("1", "rouge1"), ("2", "rouge2"), ("l", "rougeL")])
def test_rouge_equals_the_package(variant, key) -> None:
    rng = random.Random(7)
    texts = [" ".join(rng.choices("abcdef,.", k=rng.randint(0, 90))) for _ in range(40)]
    pairs = [*PAIRS, *(Pair(*rng.sample(texts, 2)) for _ in range(40))]
    oracle = rouge_scorer.RougeScorer([key], use_stemmer=False)
    expected = [oracle.score(pair.reference, pair.candidate)[key].fmeasure for pair in pairs]
    assert Rouge(variant).score(pairs) == pytest.approx(expected, abs=1e-12)


def test_f_measure_of_nothing_shared_is_zero() -> None:
    assert f_measure(0, 5, 0)[2] == 0.0
