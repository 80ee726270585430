"""What free words must be before they are stored: one rule for every form, call and command."""

import unicodedata
from typing import Final

from annotator.formats.shapes import is_blank
from annotator.refusals import Refused

# Of a reason that is kept; a ruling, which is signed, may give a longer one.
LONGEST_REASON: Final = 2_000


def says_something(text: str) -> bool:
    """Say whether a text holds a letter or a digit, of whatever script.

    Input: any text. Output: False for white space, zero-width characters, fillers, punctuation and
    symbols alone. Full-width and circled characters count as what they stand for (NFKC).
    """
    return any(
        unicodedata.category(character)[0] in "LN" and not is_blank(character)
        for character in unicodedata.normalize("NFKC", text)
    )


def check_words(field: str, text: str, *, longest: int, empty: str = "") -> None:
    """Refuse a text that is too long or holds a NUL, and, given `empty`, one that says nothing.

    Input: the name of the field, which the sentence calls it by, and what to say of an empty text.
    """
    name = field.replace("_", " ")
    if empty and not says_something(text):
        why = empty
    elif len(text) > longest:
        why = f"The {name} is too long: it may have {longest:,} characters; this has {len(text):,}."
    elif "\0" in text:
        why = f"The {name} holds a NUL character."
    else:
        return
    raise Refused(why, {field: [why]})
