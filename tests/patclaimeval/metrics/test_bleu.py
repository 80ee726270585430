"""BLEU follows its formula by hand and sacrebleu's own sentence score."""

import math

import pytest
import sacrebleu

from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.bleu import Bleu

REFERENCE = "1. A valve comprising a housing, a spring and a seat, wherein the spring bears on it."
CANDIDATE = "1. A Valve comprising a housing, a spring and a seat; the spring bears."


def test_bleu_1_is_clipped_precision_times_brevity_penalty() -> None:
    # "the the the cat": "the" counts twice at most, "cat" once: 3 of 4; 4 tokens against 6.
    [score] = Bleu(1).score([Pair("the cat on the mat now", "the the the cat")])
    assert score == pytest.approx(3 / 4 * math.exp(1 - 6 / 4), abs=1e-9)


def test_bleu_4_is_the_geometric_mean_of_four_precisions() -> None:
    # 5 of 6 words, 4 of 5 pairs, 3 of 4 triples and 2 of 3 quadruples are in the reference.
    [score] = Bleu(4).score([Pair("a b c d e f", "a b c d e x")])
    assert score == pytest.approx((5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25, abs=1e-9)


def test_bleu_4_without_smoothing_is_zero_when_no_quadruple_is_shared() -> None:
    assert Bleu(4).score([Pair("a b c d e", "a b c x e")]) == [0.0]


def test_case_matters() -> None:
    assert Bleu(1).score([Pair("valve", "Valve")]) == [0.0]


@pytest.mark.parametrize("order", [1, 4])
def test_bleu_equals_the_sentence_score_of_sacrebleu(order) -> None:
    oracle = sacrebleu.BLEU(max_ngram_order=order, smooth_method="none", effective_order=False)
    [score] = Bleu(order).score([Pair(REFERENCE, CANDIDATE)])
    assert isinstance(score, float) and 0 < score < 1
    expected = oracle.sentence_score(CANDIDATE, [REFERENCE]).score / 100
    assert score == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("order", [1, 4])
def test_the_reference_itself_scores_one_and_an_empty_candidate_zero(order) -> None:
    scores = Bleu(order).score([Pair(REFERENCE, REFERENCE), Pair(REFERENCE, "")])
    assert scores == pytest.approx([1.0, 0.0], abs=1e-9)
    assert all(isinstance(score, float) and score <= 1.0 for score in scores)


def test_many_pairs_leave_no_warning_behind(caplog) -> None:
    Bleu(1).score([Pair("a b .", f"a {number} .") for number in range(150)])
    assert caplog.records == []
