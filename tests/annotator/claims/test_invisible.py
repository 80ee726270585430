"""Tests of the characters that a reader cannot see."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.invisible import KIND, find_invisible

SEEN = "\t\n\r aZ09.;()é一\u00a0\u2014\u201c\U0001f600e\u0301"


@pytest.mark.parametrize(
    ("char", "note"),
    [
        ("\x00", "U+0000 CONTROL CHARACTER"),
        ("\x1b", "U+001B CONTROL CHARACTER"),
        ("\x85", "U+0085 CONTROL CHARACTER"),
        ("\u00ad", "U+00AD SOFT HYPHEN"),
        ("\u200b", "U+200B ZERO WIDTH SPACE"),
        ("\u200d", "U+200D ZERO WIDTH JOINER"),
        ("\u2028", "U+2028 LINE SEPARATOR"),
        ("\u202e", "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("\u2066", "U+2066 LEFT-TO-RIGHT ISOLATE"),
        ("\ufeff", "U+FEFF ZERO WIDTH NO-BREAK SPACE"),
        ("\U000e0041", "U+E0041 TAG LATIN CAPITAL LETTER A"),
    ],
)
def test_each_is_found_at_its_place_and_named(char: str, note: str) -> None:
    (span,) = find_invisible(f"ab{char}c")
    assert (span.start, span.end, span.kind, span.note) == (2, 3, KIND, note)


def test_what_is_seen_or_shapes_the_page_is_left_alone() -> None:
    assert find_invisible(SEEN) == ()
    assert find_invisible("") == ()


@given(st.text())
def test_every_control_and_direction_character_is_found_once_and_in_order(text: str) -> None:
    spans = find_invisible(text)
    places = [span.start for span in spans]
    assert places == sorted(set(places))
    assert all(span.end == span.start + 1 for span in spans)
    controls = {
        place
        for place, char in enumerate(text)
        if (unicodedata.category(char) == "Cc" and char not in "\t\n\r")
        or unicodedata.bidirectional(char) in {"RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI"}
    }
    assert controls <= set(places)


def test_100_000_of_them_are_all_found() -> None:
    assert len(find_invisible("\u200ba" * 100_000)) == 100_000
