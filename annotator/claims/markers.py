"""Owns the numbers that open claims: where they stand in a text and which of them count."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

# White space inside a line, with what a reader cannot see: NUL, bidi marks, zero-width characters.
SPACE = " \t\u00a0\u1680\u2000-\u200f\u202a-\u202f\u205f-\u206f\u3000\ufeff\u00ad\\x00"
_HAN = "\u3400-\u9fff"
# What stands before a number at the start of a line, also in a page or a markdown file.
_LINE = (
    rf"(?:(?<=[\n\r\x0b\x0c\x85\u2028\u2029])|\A)[{SPACE}]*"
    rf"(?:(?:<[a-z][^<>\n]{{0,60}}>|[*#_]{{1,6}})[{SPACE}]*)?"
)
_WORD = (
    rf"(?:claim|anspruch|revendication|\u6743\u5229\u8981\u6c42|\u6b0a\u5229\u8981\u6c42"
    rf"|[\u8bf7\u8acb]\u6c42[\u9879\u9805])[{SPACE}]*"
)
_NUMBER = r"(?P<number>\d{1,4})(?!\d)"
_AFTER = rf"(?=[\s{SPACE}{_HAN}A-Z\u00c0-\u00dd(\[\"'\u201c*_]|$)"
_LINE_MARKER = re.compile(
    rf"{_LINE}(?:(?P<word>{_WORD}){_NUMBER}[{SPACE}*_]{{0,3}}(?:[:.)\uff1a\uff0e\u3001-]|(?=\s|$))"
    rf"|(?P<open>[(\uff08]){_NUMBER.replace('number', 'inner')}[)\uff09]"
    rf"|{_NUMBER.replace('number', 'plain')}[{SPACE}]{{0,2}}"
    rf"(?P<style>[\uff0e\u3001\uff1a]|[.):]{_AFTER}))",
    re.IGNORECASE,
)
# A bare number opens a claim only where a text has no other marks at all.
_BARE_MARKER = re.compile(rf"{_LINE}{_NUMBER}[{SPACE}]+(?=[A-Z{_HAN}])")
# Inside a line: after white space, or straight after the full stop of a word (never of a decimal).
_INLINE_MARKER = re.compile(
    rf"(?:(?<=[^\s{SPACE},])[{SPACE}]+|(?<=[a-z)]\.)|(?<=[\u3002\uff1b])"
    r"|(?<=claim \d\.)|(?<=claim \d\d\.))"
    rf"(?P<word>Claim )?{_NUMBER}[{SPACE}]{{0,2}}(?P<style>[.):\uff0e\u3001])"
    rf"(?=[\s{SPACE}]*(?:[A-Z{_HAN}\u00c0-\u00dd]|[(\[][A-Za-z]{{3}}))"
)
_STATUS = r"[(\[]?(?:previously[ ]+)?(?:cancel|withdrawn|deleted|not[ ]entered)"
_CANCELLED = re.compile(
    rf"(?:{_LINE}|(?<=[.)])[{SPACE}]+)(?:claims?[{SPACE}]+)?{_NUMBER}\.?"
    rf"[{SPACE}]{{0,2}}(?:-|\u2013|\u2014|to|through|and)[{SPACE}]{{0,2}}(?P<last>\d{{1,4}})(?!\d)"
    rf"[{SPACE}]{{0,2}}[.):]?(?=[{SPACE}]*{_STATUS})",
    re.IGNORECASE,
)
# "... of claim\n1. A ..." is a wrapped line, not a new claim; so is "... as Fig.\n2. The".
_OPEN_CITATION = re.compile(
    r"(?:\S[ \t\u00a0]+(?:claims?|to|through|or|and|of|in|by|with|under|either|any|steps?|examples?"
    r"|tables?|formulae?|figures?|figs?\.?|nos?\.?)|\u6743\u5229\u8981\u6c42|[\u81f3\u6216\u548c])$",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(r"\b(?:figs?|nos?|eqs?|ex|e\.g|i\.e|approx|ca|cf|vs)\.$", re.IGNORECASE)
_FULL_STOP = re.compile(r"[.!?\u3002\uff0e\uff01\uff1f][)\"'\u201d\u2019]?$|[a-z]{3}\)$")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n[ \t]*$")
_CLAIM_OPENING = re.compile(
    rf"[\s{SPACE}]*(?:[(\[][A-Za-z]{{3}}|(?:An?|The|In|Use|Method|Apparatus|System|Device)\b|[{_HAN}])"
)
_LONGEST_JUMP = 50


@dataclass(frozen=True, slots=True)
class Marker:
    """One number that may open a claim: source[start:end] is the mark, spaces before included."""

    number: int
    last: int
    start: int
    end: int
    style: str
    opens_line: bool
    is_cancelled: bool = False


# The pair at hand is counted before it is cut.
@lru_cache(maxsize=8)
def find_markers(text: str) -> tuple[Marker, ...]:
    """Return the numbers that open claims, in order; () where the text is not numbered.

    Input: any text. Output: markers whose `number` is the number written and whose `last` is the
    end of a cancelled range ("1-10. (canceled)") or the number itself. A number inside a line
    opens a claim when it continues the count, or when it stands between a full stop and the
    opening of a claim. Time is linear in the length of the text.
    """
    found = _candidates(text)
    style = _main_style(found)
    found = [replace(mark, opens_line=False) if _strays(mark, style) else mark for mark in found]
    return tuple(_count(text, found, style)) or tuple(_bare_markers(text))


def _strays(mark: Marker, style: str) -> bool:
    """Whether a mark at the start of a line is of another style than the claims' own."""
    return mark.opens_line and mark.style != style and not mark.is_cancelled


def _candidates(text: str) -> list[Marker]:
    marks: dict[int, Marker] = {}
    for match in _CANCELLED.finditer(text):
        last = max(int(match["last"]), int(match["number"]))
        mark = _mark(match, match["number"], ".", opens_line=True)
        marks[match.start()] = replace(mark, last=last, is_cancelled=True)
    for match in _LINE_MARKER.finditer(text):
        style = "claim" if match["word"] else match["open"] or match["style"]
        digits = match["number"] or match["inner"] or match["plain"]
        marks.setdefault(match.start(), _mark(match, digits, style, opens_line=True))
    for match in _INLINE_MARKER.finditer(text):
        style = "claim" if match["word"] else match["style"]
        marks.setdefault(match.start(), _mark(match, match["number"], style, opens_line=False))
    return [
        marks[start]
        for start in sorted(marks)
        if not _OPEN_CITATION.search(_before(text, marks[start]))
    ]


def _mark(match: re.Match[str], digits: str, style: str, *, opens_line: bool) -> Marker:
    number = int(digits)
    return Marker(number, number, match.start(), match.end(), style, opens_line)


def _main_style(found: list[Marker]) -> str:
    lines = [mark for mark in found if mark.opens_line and not mark.is_cancelled]
    first = next((mark.style for mark in lines if mark.number == 1), None)
    return first or (lines[0].style if lines else "")


def _count(text: str, found: list[Marker], style: str) -> Iterator[Marker]:
    """Yield the marks that open claims, walking once and knowing what is still to come."""
    lines_ahead = Counter(mark.number for mark in found if mark.opens_line)
    closed = [_is_closed(text, mark) for mark in found]
    inline_ahead = Counter(
        mark.number
        for mark, ends in zip(found, closed, strict=True)
        if ends and not mark.opens_line
    )
    opening = _opening_number(found)
    previous: Marker | None = None
    for mark, ends in zip(found, closed, strict=True):
        (lines_ahead if mark.opens_line else inline_ahead)[mark.number] -= mark.opens_line or ends
        expected = previous.last + 1 if previous else opening
        if mark.is_cancelled:
            accepted = True
        elif mark.opens_line:
            stray = not ends and (lines_ahead[expected] > 0 or _is_lower(text, mark))
            accepted = previous is None or not stray
            if mark.number == expected and previous is not None:
                accepted = not (stray and lines_ahead[mark.number] > 0)
        elif lines_ahead[mark.number] > 0:
            accepted = False
        elif mark.number == expected:
            accepted = ends or inline_ahead[mark.number] == 0
        else:
            accepted = ends and previous is not None and _jumps(text, mark, expected)
        if accepted:
            previous = mark
            yield mark


def _jumps(text: str, mark: Marker, expected: int) -> bool:
    """Whether a number out of turn stands before what reads like the opening of a claim."""
    nearby = 1 <= mark.number <= expected + _LONGEST_JUMP
    return nearby and _CLAIM_OPENING.match(text, mark.end) is not None


def _opening_number(found: list[Marker]) -> int:
    """Return the number that the first claim inside a line carries.

    1, but for a set whose first claims were cancelled: then the first number that another follows.
    """
    numbers = {mark.number for mark in found}
    if 1 in numbers:
        return 1
    inline = (mark.number for mark in found if not mark.opens_line)
    return next((number for number in inline if number + 1 in numbers), 1)


def _bare_markers(text: str) -> list[Marker]:
    """Return "1 A pump ... 2 The pump" at the starts of lines, if they count 1, 2, 3 ..."""
    found = [
        _mark(match, match["number"], "", opens_line=True) for match in _BARE_MARKER.finditer(text)
    ]
    in_turn = [mark for place, mark in enumerate(found, start=1) if mark.number == place]
    return found if len(in_turn) == len(found) >= 2 else []


def _before(text: str, mark: Marker) -> str:
    """Return the end of what stands before a mark, without white space."""
    return text[max(0, mark.start - 80) : mark.start].rstrip(" \t\r\n\u00a0\u3000\u200b\ufeff\x00")


def _is_closed(text: str, mark: Marker) -> bool:
    """Whether a sentence, a status in brackets or a paragraph ends before a mark."""
    before = _before(text, mark)
    if not before or (mark.opens_line and _BLANK_LINE.search(text, mark.start - 40, mark.start)):
        return True
    return bool(_FULL_STOP.search(before)) and not _ABBREVIATION.search(before)


def _is_lower(text: str, mark: Marker) -> bool:
    return text[mark.end : mark.end + 20].lstrip()[:1].islower()
