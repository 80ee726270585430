"""Characters that a reader cannot see but that change what is read, and the warnings about them."""

import re
import unicodedata
from functools import lru_cache
from itertools import islice
from typing import Final

from patclaimeval.claims.segments import Span

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


def without_invisible(text: str) -> str:
    """Return `text` without its invisible characters, for a line that only names it."""
    return _INVISIBLE.sub("", text)


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


# What ASCII has of the characters of patclaimeval/claims/invisible.py.
_CONTROLS: Final = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0D})
# No script stacks more; they hide what stands above and below.
_STACK: Final = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{6,}"
)
STACKED: Final = "six or more combining marks on one character"


def odd_signs(text: str) -> list[str]:
    """Return what is odd about a text, each once, in order: invisible signs and stacked marks.

    Input: any text. Output: such as "U+202E RIGHT-TO-LEFT OVERRIDE"; empty for most texts, and
    then quickly.
    """
    if text.isascii():
        data = text.encode()
        if len(data.translate(None, _CONTROLS)) == len(data):
            return []
    found = list(dict.fromkeys(span.note for span in find_invisible(text)))
    return [*found, STACKED] if _STACK.search(text) else found
