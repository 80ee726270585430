"""What typed texts may hold, refused in a sentence."""

from typing import Final

from core.errors import Refused
from patclaimeval.text_io.shapes import has_content

# Of a reason that is stored; a ruling, which is signed, may give a longer one.
LONGEST_REASON: Final = 2_000


def check_text(field: str, text: str, *, longest: int, empty: str = "") -> None:
    """Refuse a text that is too long or holds a NUL, and, given `empty`, one without content.

    Input: the name of the field, which the sentence calls it by, and the message for an empty text.
    """
    name = field.replace("_", " ")
    if empty and not has_content(text):
        why = empty
    elif len(text) > longest:
        why = f"The {name} is too long: it may have {longest:,} characters; this has {len(text):,}."
    elif "\0" in text:
        why = f"The {name} holds a NUL character."
    else:
        return
    raise Refused.at(field, why)
