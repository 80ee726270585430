"""13a tokens part punctuation from words and keep case."""

from patclaimeval.metrics.tokens import tokens_of


def test_punctuation_becomes_its_own_token_and_case_and_decimal_points_are_kept() -> None:
    tokens = ["1", ".", "A", "device", ",", "comprising", ":", "a", "Lid", "."]
    assert tokens_of("1. A device, comprising: a Lid.", "en") == tokens
    assert tokens_of("at 2.5 mm", "") == ["at", "2.5", "mm"]
    assert tokens_of("  \n", "de") == []
