"""Owns what in a claim text deserves a warning before it is stored: signs that mislead the eye."""

import re
from typing import Final

from annotator.claims.invisible import find_invisible

# What ASCII has of the characters of annotator/claims/invisible.py.
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
