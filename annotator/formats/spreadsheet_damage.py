"""What spreadsheets make of ids and texts: dates, rounded numbers, error values, cut cells."""

import re
from typing import Final

# A spreadsheet cuts a longer text here, without a word.
CELL_CHARACTERS: Final = 32_767
_MONTH: Final = (
    "(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|m\u00e4rz?|mrz|apr(?:il)?|may|mai|june?|juni|"
    "july?|juli|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|okt(?:ober)?|nov(?:ember)?|"
    "dec(?:ember)?|dez(?:ember)?)\\.?"
)
_DATE: Final = re.compile(
    rf"\d{{1,4}}[-. /]\s?{_MONTH}(?:[-. /]\s?\d{{2,4}})?|{_MONTH}[- ]\d{{1,4}}"
    r"|\d{1,2}([./-])\d{1,2}\1(?:\d{2}|\d{4})|\d{4}([./-])\d{1,2}\2\d{1,2}(?:[ T][\d:.]+)?",
    re.IGNORECASE,
)
_ROUNDED: Final = re.compile(r"[+-]?\d(?:[.,]\d+)?E[+-]\d{2,3}", re.IGNORECASE)
_ERROR: Final = re.compile(
    r"#(?:NAME\?|REF!|VALUE!|N/A|DIV/0!|NUM!|NULL!|SPILL!|CALC!|FIELD!|GETTING_DATA|#+)"
)


def damage_of_id(text: str) -> str | None:
    """Return what a spreadsheet has made of an id, in words; None where nothing shows it.

    Input: an id. Output: words for a day ("3-Oct", "03.10.2024"), a number in scientific notation
    ("1E+05"), or an error value ("#NAME?"); the id that was there before cannot be told.
    """
    if _DATE.fullmatch(text):
        return "a spreadsheet has made a date of this id; format the column as text"
    if _ROUNDED.fullmatch(text):
        return "a spreadsheet has made a rounded number of this id; format the column as text"
    return damage_of_text(text)


def damage_of_text(text: str) -> str | None:
    """Return in words that a text is a spreadsheet's error value; None where it is not."""
    if text.startswith("#") and _ERROR.fullmatch(text):
        return f"{text} is the error value of a spreadsheet, not a text"
    return None
