"""Markdown out of plain values."""

from typing import Any

import pytest

from scoring.datasets.markdown import NOTHING, escaped, number, table


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0"),
        (1234567, "1,234,567"),
        (2.0, "2"),
        (0.5, "0.5"),
        (0.12345, "0.123"),
        (-0.0004, "0"),
        (1234.5678, "1,234.568"),
        (None, NOTHING),
        (True, NOTHING),
        ("7", NOTHING),
    ],
)
def test_a_number_is_written_for_people(value: Any, words: str) -> None:
    assert number(value) == words


def test_no_character_of_a_text_is_markup() -> None:
    assert escaped("a|b\n*c* <d> \\") == r"a\|b \*c\* \<d\> \\"


def test_a_table_has_text_on_the_left_and_numbers_on_the_right() -> None:
    assert table(("What", "n"), [("a", "1")]) == ["| What | n |", "| --- | ---: |", "| a | 1 |"]
