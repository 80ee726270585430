import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims.invisible import KIND, STACKED, find_invisible, odd_signs

SEEN = "\t\n\r aZ09.;()é一\u00a0\u2014\u201c\U0001f600e\u0301"


@pytest.mark.parametrize(
    "note",
    [
        *("U+0000 CONTROL CHARACTER", "U+001B CONTROL CHARACTER", "U+007F CONTROL CHARACTER"),
        *("U+0085 CONTROL CHARACTER", "U+00AD SOFT HYPHEN", "U+200B ZERO WIDTH SPACE"),
        *("U+200D ZERO WIDTH JOINER", "U+2028 LINE SEPARATOR", "U+202E RIGHT-TO-LEFT OVERRIDE"),
        *("U+2066 LEFT-TO-RIGHT ISOLATE", "U+FEFF ZERO WIDTH NO-BREAK SPACE"),
        "U+E0041 TAG LATIN CAPITAL LETTER A",
    ],
)
def test_each_is_found_at_its_place_and_named_once(note: str) -> None:
    char = chr(int(note[2:].split(maxsplit=1)[0], 16))
    (span,) = find_invisible(f"ab{char}c")
    assert (span.start, span.end, span.kind, span.note) == (2, 3, KIND, note)
    assert odd_signs(f"a{char}b{char}c") == [note]


ORDINARY = (
    "",
    "1. A cup,\r\n\twherein.",
    "1. Ein Gef\u00e4\u00df \u2264 5 \u00b5m",
    "e\u0301",
    "\u6743",
)


def test_what_is_seen_or_shapes_the_page_is_left_alone_but_for_piles_of_marks() -> None:
    assert all(find_invisible(text) == () for text in ("", SEEN))
    assert all(odd_signs(text) == [] for text in ORDINARY)
    assert odd_signs("a" + "\u0301" * 10_000) == [STACKED]


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
