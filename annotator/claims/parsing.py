"""Owns the cut of a claim set's text into numbered claims, losing no byte of it."""

import re
from dataclasses import dataclass

from annotator.claims.dependencies import dependencies

_LINE_MARKER = re.compile(
    r"^[ \t]*(?:(?P<word>claim)[ \t]+)?(?P<number>\d{1,4})"
    r"(?P<style>[.)\uff0e\u3001]|(?(word)[ \t]*[:.)-]?))(?=\s|$|(?<=\u3001)|(?<=\uff0e))",
    re.IGNORECASE | re.MULTILINE,
)
# Inside a line a number opens a claim only before a capital or an ideograph, after white space or
# straight after the full stop of a word (never after that of a decimal).
_INLINE_MARKER = re.compile(
    r"(?:(?<=[^\s,])[ \t]+|(?<=[a-z)]\.)|(?<=\u3002))"
    r"(?P<number>\d{1,4})(?P<style>[.)])\s+(?=[A-Z\u4e00-\u9fff])"
)
# "... of claim\n1. A ..." is a wrapped line, not a new claim.
_OPEN_CITATION = re.compile(r"\b(?:claims?|to|through|or|and|of)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim as it stands in the text: text == source[start:end], marker and spaces included."""

    number: int | None
    text: str
    start: int
    end: int
    depends_on: tuple[int, ...]

    @property
    def body(self) -> str:
        """The words of the claim, without its number and without outer white space."""
        return self.text[self.body_offset :].strip()

    @property
    def body_offset(self) -> int:
        """Where the words begin inside `text`."""
        return 0 if self.number is None else _marker_length(self.text)

    @property
    def is_independent(self) -> bool:
        """Whether the claim cites no other claim."""
        return not self.depends_on


@dataclass(frozen=True, slots=True)
class _Marker:
    number: int
    start: int
    style: str


def parse_claims(text: str) -> tuple[Claim, ...]:
    """Cut a claim set into its claims.

    Input: any text. Output: claims in order of appearance whose `text` fields joined give the
    input, byte for byte; () for the empty text. Numbers are read from "1.", "1)" and "Claim 1" at
    the start of a line, and from "1." and "1)" inside a line when they continue the count. Words
    before the first number ("What is claimed is:") and text without numbers become one Claim with
    number None. Repeated, missing and falling numbers are kept as written.
    """
    if not text:
        return ()
    markers = _find_markers(text)
    starts = [marker.start for marker in markers] + [len(text)]
    claims: list[Claim] = []
    if not markers or text[: starts[0]].strip():
        claims.append(_make_claim(text, None, 0, starts[0], ()))
    elif starts[0] > 0:
        starts[0] = 0
    earlier: tuple[int, ...] = ()
    for marker, start, end in zip(markers, starts, starts[1:], strict=False):
        claims.append(_make_claim(text, marker.number, start, end, earlier))
        earlier = (*earlier, marker.number)
    return tuple(claims)


def _make_claim(
    source: str, number: int | None, start: int, end: int, earlier: tuple[int, ...]
) -> Claim:
    text = source[start:end]
    words = text if number is None else text[_marker_length(text) :]
    cited = () if number is None else dependencies(words, earlier)
    return Claim(number, text, start, end, cited)


def _marker_length(text: str) -> int:
    indent = len(text) - len(text.lstrip())
    match = _LINE_MARKER.match(text, indent)
    if match is None:
        match = re.compile(r"\s*\d{1,4}[.)]").match(text)
    return match.end() if match else 0


def _find_markers(text: str) -> list[_Marker]:
    found = _read_markers(_LINE_MARKER, text)
    style = _first_style(found)
    # "1) first step" inside a claim set numbered "1." is a list, not a claim.
    lines = {mark.start: mark for mark in found if mark.style == style}
    inline = {mark.start: mark for mark in _read_markers(_INLINE_MARKER, text)}
    opening = _opening_number([mark.number for mark in inline.values()])
    kept: list[_Marker] = []
    for start in sorted({**inline, **lines}):
        if start in lines:
            kept.append(lines[start])
        elif inline[start].number == (kept[-1].number + 1 if kept else opening):
            kept.append(inline[start])
    return kept


def _read_markers(pattern: re.Pattern[str], text: str) -> list[_Marker]:
    """Return the numbers that `pattern` finds, without those that end a citation."""
    return [
        _as_marker(match)
        for match in pattern.finditer(text)
        if not _OPEN_CITATION.search(text[max(0, match.start() - 12) : match.start()])
    ]


def _opening_number(numbers: list[int]) -> int:
    """Return the number that the first claim inside a line carries.

    1, but for a set whose first claims were cancelled: then the first number that another follows.
    """
    if 1 in numbers:
        return 1
    return next((number for number in numbers if number + 1 in numbers), 1)


def _first_style(found: list[_Marker]) -> str:
    return next(
        (mark.style for mark in found if mark.number == 1),
        found[0].style if found else "",
    )


def _as_marker(match: re.Match[str]) -> _Marker:
    word = match.groupdict().get("word")
    return _Marker(int(match["number"]), match.start(), "claim" if word else match["style"])
