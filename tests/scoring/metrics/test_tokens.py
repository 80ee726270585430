"""13a tokens part punctuation from words and keep case."""

from scoring.metrics.tokens import tokens_13a


def test_punctuation_becomes_its_own_token_and_case_stays() -> None:
    assert tokens_13a("1. A device, comprising: a Lid.") == (
        ["1", ".", "A", "device", ",", "comprising", ":", "a", "Lid", "."]
    )


def test_numbers_keep_their_decimal_point() -> None:
    assert tokens_13a("at 2.5 mm") == ["at", "2.5", "mm"]


def test_an_empty_text_has_no_tokens() -> None:
    assert tokens_13a("  \n") == []
