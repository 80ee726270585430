"""Markdown out of plain values."""

import pytest

from scoring.datasets.markdown import NOTHING, number


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
def test_a_number_is_written_for_people(value, words) -> None:
    assert number(value) == words
