"""UTF-8 and nothing else, digests that name texts, cells safe for spreadsheets, times as text.

Django and DRF put U+FFFD in the place of each byte of a form that they cannot read, and go on.
"""

import codecs
import re
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

UTF8_ONLY: Final = "utf-8-only"
NO_UTF8: Final = "It holds bytes that are no UTF-8, so that a part of its text cannot be read."


def _found(name: str) -> codecs.CodecInfo | None:
    # Names of encodings come here with each `-` as `_`.
    if name.replace("_", "-") != UTF8_ONLY:
        return None
    return codecs.CodecInfo(name=UTF8_ONLY, encode=codecs.utf_8_encode, decode=_read)


def _read(data: Any, errors: str = "strict") -> tuple[str, int]:
    return codecs.utf_8_decode(data, "strict", True)


codecs.register(_found)


DIGITS: Final = 16


# Rows repeat the texts of the row before them, and each of its names begins with their digests.
@lru_cache(maxsize=16)
def text_sha256(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes as 64 hexadecimal digits."""
    return sha256(text.encode()).hexdigest()


def reference_id_of(text: str) -> str:
    """Return the id of a reference that came without one: "ref-" and 16 digits of its SHA-256.

    Sixteen digits are 64 bits: among a million different texts two share an id with a chance of
    about 3 in 100 million.
    """
    return reference_id_for(text_sha256(text))


def candidate_id_of(text: str) -> str:
    """Return the id of a candidate that came without one: "cand-" and 16 digits of its SHA-256."""
    return candidate_id_for(text_sha256(text))


def reference_id_for(digest: str) -> str:
    """Return the id of a reference whose text has this SHA-256."""
    return f"ref-{digest[:DIGITS]}"


def candidate_id_for(digest: str) -> str:
    """Return the id of a candidate whose text has this SHA-256."""
    return f"cand-{digest[:DIGITS]}"


MARK: Final = "'"
# Spreadsheets look past blanks and signs that show nothing, and read full-width forms too.
_FORMULA = re.compile(
    "[\t\r\n]|[\\s\x00-\x1f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]*"
    "[=+\\-@\uff1d\uff0b\uff0d\uff20]"
)


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet may read a cell as a formula.

    Input: any text. Output: True where it begins with a tab or a line end, or where its first
    visible character is = + - @ or the full-width form of one.
    """
    return _FORMULA.match(text) is not None


def time_text(at: datetime) -> str:
    """Return a time that knows its zone in UTC with microseconds: 2024-03-22T16:32:50.119106Z."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"
