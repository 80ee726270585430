"""13a tokens part punctuation from words and keep case."""

from scoring.metrics.tokens import tokens_13a


def test_punctuation_becomes_its_own_token_and_case_and_decimal_points_are_kept() -> None:
    tokens = ["1", ".", "A", "device", ",", "comprising", ":", "a", "Lid", "."]
    assert tokens_13a("1. A device, comprising: a Lid.") == tokens
    assert tokens_13a("at 2.5 mm") == ["at", "2.5", "mm"]
    assert tokens_13a("  \n") == []
