"""ROUGE equals counts by hand, and figures of the rouge-score package."""

import pytest

from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.rouge import Rouge, f_measure, rouge_l, rouge_n, rouge_tokens

# F-measures of ROUGE-1, ROUGE-2 and ROUGE-L, as rouge-score 0.1.2 computed them.
PAIRS = [
    (
        Pair("1. A valve comprising a housing.", "1. The valve comprises a housing, a housing."),
        [0.7142857142857143, 0.16666666666666666, 0.5714285714285715],
    ),
    (
        Pair("a b c d", "d c b a"),
        [1.0, 0.0, 0.25],
    ),
    (
        Pair("One, two.", ""),
        [0.0, 0.0, 0],
    ),
    (
        Pair("", "One, two."),
        [0.0, 0.0, 0],
    ),
    (
        Pair("x", "x"),
        [1.0, 0.0, 1.0],
    ),
    (
        Pair("alpha beta gamma", "delta"),
        [0.0, 0.0, 0.0],
    ),
    (
        Pair(
            "The pump of claim 1, wherein the Gehäuse (12) is a housing.",
            "A pump as in claim 1; the housing 12 is a Gehäuse.",
        ),
        [0.7692307692307693, 0.3333333333333333, 0.5384615384615384],
    ),
    (
        Pair(
            "an the pump; a valve, an a a 12 a an the Claim a valve, valve, Claim 12 Claim",
            "pump; Claim pump; the an a an pump; a 12 an an an",
        ),
        [0.5625, 0.26666666666666666, 0.37499999999999994],
    ),
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


@pytest.mark.parametrize("place", range(len(PAIRS)))
def test_rouge_equals_the_package(place) -> None:
    pair, golden = PAIRS[place]
    for variant, expected in zip("12l", golden, strict=True):
        assert Rouge(variant).score([pair]) == pytest.approx([expected], abs=1e-12)
    left, right = rouge_tokens(pair.reference), rouge_tokens(pair.candidate)
    counted = [rouge_n(left, right, 1), rouge_n(left, right, 2), rouge_l(left, right)]
    assert [scores[2] for scores in counted] == pytest.approx(golden, abs=1e-12)


def test_f_measure_of_nothing_shared_is_zero() -> None:
    assert f_measure(0, 5, 0)[2] == 0.0
