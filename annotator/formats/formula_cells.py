"""Cells that a spreadsheet would take for a formula, and the apostrophe that stops it."""

import re
from typing import Final

MARK: Final = "'"
# Spreadsheets look past blanks and signs that show nothing, and read full-width forms too.
_FORMULA = re.compile(
    "[\t\r\n]|[\\s\x00-\x1f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]*"
    "[=+\\-@\uff1d\uff0b\uff0d\uff20]"
)


def is_formula(text: str) -> bool:
    """Say whether a spreadsheet may read a cell as a formula.

    Input: any text. Output: True where it begins with a tab or a line end, or where its first
    visible character is = + - @ or the full-width form of one.
    """
    return _FORMULA.match(text) is not None
