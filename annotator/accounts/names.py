"""Which user names there may be, and which would be taken for one another."""

# Look-alikes are what this is about.
# ruff: noqa: RUF001

import re
import unicodedata
from typing import Final

MARKS: Final = "._-@"
DIGITS: Final = "0123456789"
# Letters of other scripts that look like Latin ones in common typefaces, after folding case: those
# of Unicode's list of confusables (UTS 39) for Cyrillic, Greek and Armenian, and signs of Latin.
_LIKE: Final = {
    "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "н": "h", "і": "i", "ј": "j",
    "к": "k", "ӏ": "l", "м": "m", "п": "n", "о": "o", "р": "p", "ԛ": "q", "г": "r", "ѕ": "s",
    "т": "t", "у": "y", "ү": "y", "ԝ": "w", "х": "x", "ё": "e", "ї": "i",
    "α": "a", "β": "b", "ε": "e", "η": "n", "ι": "i", "κ": "k", "μ": "u", "ν": "v", "ο": "o",
    "ρ": "p", "σ": "o", "τ": "t", "υ": "u", "χ": "x", "γ": "y", "ω": "w",
    "օ": "o", "ս": "u", "հ": "h", "ո": "n", "ց": "g", "զ": "q",
    "ı": "i", "ȷ": "j", "ɑ": "a", "ɡ": "g", "ɩ": "i", "ʋ": "v", "ƅ": "b", "ƽ": "s",
}  # fmt: skip
_SIGNS: Final = str.maketrans(_LIKE | {"0": "o", "1": "l"})
# Pairs of letters that look like one.
_PAIRS: Final = re.compile("rn|vv")
_AS_ONE: Final = {"rn": "m", "vv": "w"}


def name_problem(name: str) -> str:
    """Return what is wrong with a user name as a sentence, or nothing.

    Letters of one script, digits 0 to 9 and `. _ - @`; a letter or digit first. Invisible signs,
    directions and letters that stand for others are none of these.
    """
    if not name:
        return "A user name has at least one letter or digit."
    if unicodedata.normalize("NFKC", name) != name:
        return "Write the user name in plain letters: some stand for others, or are composed."
    wrong = next((sign for sign in name if not _is_allowed(sign)), "")
    if wrong:
        return (
            "A user name has letters, digits 0 to 9 and . _ - @ only; "
            f"U+{ord(wrong):04X} is none of these."
        )
    if name[0] in MARKS:
        return "A user name begins with a letter or digit."
    if len({_script(sign) for sign in name if sign.isalpha()}) > 1:
        return "A user name has letters of one script only: some look alike in two."
    return ""


def account_of(username: str) -> str:
    """Return what all spellings of a name share."""
    return unicodedata.normalize("NFKC", username).casefold()


def skeleton(name: str) -> str:
    """Return what names that look alike share: case, look-alike letters and digits put as one."""
    folded = unicodedata.normalize("NFKC", name).casefold().translate(_SIGNS)
    return _PAIRS.sub(lambda pair: _AS_ONE[pair.group()], folded)


def _is_allowed(sign: str) -> bool:
    return sign in DIGITS or sign in MARKS or unicodedata.category(sign) in {"Ll", "Lu", "Lo", "Lt"}


def _script(letter: str) -> str:
    """Return the script of a letter as its name in Unicode begins."""
    return unicodedata.name(letter, "UNKNOWN").split()[0]
