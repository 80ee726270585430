"""Tests of word overlap against the rouge-score package."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from scoring.metrics.rouge import rouge_l, rouge_n
from scoring.patclaimeval.surface import compression_distance, rouge_tokens

WORDS = st.sampled_from(["a", "an", "the", "valve,", "pump;", "12", "claim"])
TEXT = st.lists(WORDS, max_size=30).map(" ".join)


@given(TEXT, TEXT)
def test_rouge_equals_that_of_the_reference_package(reference: str, candidate: str) -> None:
    theirs = RougeScorer(["rouge1", "rouge2", "rougeL"]).score(reference, candidate)
    left, right = rouge_tokens(reference), rouge_tokens(candidate)
    for name, ours in (
        ("rouge1", rouge_n(left, right, 1)),
        ("rouge2", rouge_n(left, right, 2)),
        ("rougeL", rouge_l(left, right)),
    ):
        assert ours == pytest.approx(tuple(theirs[name]), abs=1e-12)


def test_a_text_is_nearer_to_itself_than_to_another() -> None:
    text = "1. A pump comprising a housing, a valve and a spring of steel."
    other = "1. Eine ganz andere Sache mit Worten ohne jede Verwandtschaft."
    assert compression_distance(text, text) < 0.3 < compression_distance(text, other)
