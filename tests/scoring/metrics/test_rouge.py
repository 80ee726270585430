"""ROUGE equals counts by hand and the rouge-score package."""

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rouge_score import rouge_scorer

from core.languages import is_read_as_english, language_of
from scoring.metrics.base import Pair
from scoring.metrics.rouge import Rouge, f_measure, rouge_l, rouge_n, rouge_tokens

PAIRS = [
    Pair("1. A valve comprising a housing.", "1. The valve comprises a housing, a housing."),
    Pair("a b c d", "d c b a"),
    Pair("One, two.", ""),
    Pair("", "One, two."),
    Pair("x", "x"),
    Pair("alpha beta gamma", "delta"),
]


@pytest.mark.parametrize(
    ("variant", "pair", "score"),
    [
        # 2 shared words of 3 in the candidate and of 4 in the reference: 2 x 2 / (3 + 4).
        ("1", Pair("a b c d", "a b x"), 4 / 7),
        # Pairs of neighbours; shared: (a b), one of 2 and of 3.
        ("2", Pair("a b c d", "a b x"), 2 / 5),
        # The order of words counts.
        ("l", Pair("a b c d", "d c b a"), 1 / 4),
        # Words are not stemmed.
        ("1", Pair("housings", "housing"), 0),
    ],
)
def test_rouge_by_hand(variant, pair, score) -> None:
    assert Rouge(variant).score([pair]) == pytest.approx([score], abs=1e-9)


@pytest.mark.parametrize(("variant", "key"), [("1", "rouge1"), ("2", "rouge2"), ("l", "rougeL")])
def test_rouge_equals_the_package(variant, key) -> None:
    rng = random.Random(7)
    texts = [" ".join(rng.choices("abcdef,.", k=rng.randint(0, 90))) for _ in range(40)]
    pairs = [*PAIRS, *(Pair(*rng.sample(texts, 2)) for _ in range(40))]
    oracle = rouge_scorer.RougeScorer([key], use_stemmer=False)
    expected = [oracle.score(pair.reference, pair.candidate)[key].fmeasure for pair in pairs]
    assert Rouge(variant).score(pairs) == pytest.approx(expected, abs=1e-12)


TEXT = st.lists(
    st.sampled_from(["a", "an", "the", "valve,", "pump;", "12", "Claim", "Gehäuse", "泵"]),
    max_size=30,
).map(" ".join)


@given(TEXT, TEXT)
def test_what_training_counts_without_the_package_is_what_the_package_counts(
    reference: str, candidate: str
) -> None:
    # The package reads a-z alone; what is in Chinese is cut by characters here.
    assume(all(is_read_as_english(language_of(text)) for text in (reference, candidate)))
    theirs = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"]).score(reference, candidate)
    left, right = rouge_tokens(reference), rouge_tokens(candidate)
    for name, ours in (
        ("rouge1", rouge_n(left, right, 1)),
        ("rouge2", rouge_n(left, right, 2)),
        ("rougeL", rouge_l(left, right)),
    ):
        assert ours == pytest.approx(tuple(theirs[name]), abs=1e-12)


def test_f_measure_of_nothing_shared_is_zero() -> None:
    assert f_measure(0, 5, 0)[2] == 0.0
