"""Owns the characters of a claim set that a reader cannot see but that change what is read."""

import re
import unicodedata
from functools import lru_cache
from itertools import islice

from annotator.claims.segments import Span

# Controls but tab and line ends, soft hyphen, bidirectional and zero-width characters, line and
# paragraph separators, tag characters, the byte order mark.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
KIND = "invisible"


def count_invisible(text: str) -> int:
    """Return how many invisible characters a text has: 0 and up."""
    return len(_INVISIBLE.findall(text))


def find_invisible(text: str, most: int | None = None) -> tuple[Span, ...]:
    """Return one span per invisible character of `text`, with its code point and name as note.

    Input: any text. Output: spans of length one, in order, the first `most` of them if it is
    given; "U+202E RIGHT-TO-LEFT OVERRIDE".
    """
    return tuple(
        Span(match.start(), match.end(), KIND, _name(match.group()))
        for match in islice(_INVISIBLE.finditer(text), most)
    )


@lru_cache(maxsize=256)
def _name(char: str) -> str:
    return f"U+{ord(char):04X} {unicodedata.name(char, 'CONTROL CHARACTER')}"
