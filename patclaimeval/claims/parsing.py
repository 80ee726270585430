"""Cuts the text of a claim set into numbered claims and their references, losing no byte."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

# Chinese, simple and traditional, and Japanese.
_HAN_WORD = r"(?:[\u6743\u6b0a]\u5229\u8981\u6c42|[\u8bf7\u8acb]\u6c42[\u9879\u9805])"
# English, then German and French.
_CLAIM_WORD = (
    r"(?:\b(?:claims?|(?:patent)?anspr(?:u|\u00fc)ch(?:en?|s|es)?|revendications?)"
    rf"[ \t\r\n\u00a0]+(?:no\.?\s+)?|{_HAN_WORD}\s*)"
)
# One of them stands in whatever cites a claim; most limitations have none, which is soon seen.
_WORDS_OF_CITING = ("claim", "anspr", "revendic", "\u6c42")
# A claim number has at most four digits: longer runs are reference numerals or noise.
_NUMBER = r"\(?\d{1,4}(?!\d)\)?"
_RANGE_WORD = (
    r"\s*+(?:(?:to|through|till|bis|\u00e0)\b|-|\u2010|\u2011|\u2012|\u2013|\u2014|~|\uff5e|\uff0d"
    r"|\u301c|\u81f3|\u5230|\u304b\u3089|\u306a\u3044\u3057|\u4e43\u81f3)\s*(?:claims?\s+)?"
    rf"{_HAN_WORD}?"
)
# After a bare comma a number belongs to the list only if no noun follows: "claim 1, 2 valves".
_COMMA = (
    r",\s*(?=(?:claims?\s+)?\(?\d{1,4}\)?\s*(?:[-,.:;)\u2010-\u2014\u3001]|$"
    r"|(?:or|and|to|through|in|where|which|that|further|as|char|compris|oder|und|bis|ou|et)))"
)
# White space is taken whole: giving it back one by one makes a long run of it cost its square.
_LIST_WORD = (
    r"\s*+(?:,?\s*+(?:and/or|and|or|oder|und|ou|et)\b\s*|[\u3001\uff0c/]\s*|(?:\u6216\u8005|\u4ee5\u53ca"
    r"|\u53c8\u306f|\u307e\u305f\u306f|\u53ca\u3073|\u304a\u3088\u3073|\u82e5\u3057\u304f\u306f"
    r"|\u3082\u3057\u304f\u306f|[\u6216\u548c\u53ca\u4e0e\u8207\u3068])\s*"
    rf"|{_COMMA})(?:(?:any|one|either)\s+(?:one\s+)?of\s+)?(?:claims?\s+|{_HAN_WORD}\s*)?"
)
_EXPLICIT = re.compile(
    rf"{_CLAIM_WORD}({_NUMBER}(?:(?:{_RANGE_WORD}|{_LIST_WORD}){_NUMBER})*)", re.IGNORECASE
)
# A range word stands right behind its first number; elsewhere none is looked for.
_PIECE = re.compile(rf"((?<=[\d)]){_RANGE_WORD})?\(?(\d{{1,4}}(?!\d))", re.IGNORECASE)
_EARLIER = r"(?:preceding|previous|foregoing|aforementioned|aforesaid|above|earlier|prior)"
# "the preceding claims 1 to 3" names its claims by number and is left to those numbers.
_PRECEDING = re.compile(
    rf"(?:(?P<just>\bthe\s+(?:immediately\s+|directly\s+)?)?\b{_EARLIER}\s+"
    r"(?:(?!of\b|in\b|to\b|as\b|the\b)[a-z]+\s+)?claim(?P<many>s?)\b(?!\s*\(?\d)"
    r"|\bclaims?\s+(?:above|before)\b"
    r"|\b(?:(?:vorher|vor|voran)(?:gehend|stehend|gegangen)|vorherig|obig)en\s+(?:Patent)?Anspr"
    r"|\brevendications?\s+(?:pr\u00e9c\u00e9dentes?|qui\s+pr\u00e9c\u00e8dent)"
    rf"|[\u4e0a\u524d]\u8ff0[^\u3002\uff0c\uff1b\d]{{0,6}}{_HAN_WORD}(?!\s*\d)"
    rf"|(?:[\u524d\u4e0a]\u8a18|\u5148\u884c\u3059\u308b)(?:\u3044\u305a\u308c\u304b\u306e)?{_HAN_WORD}(?!\s*\d))",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:any|one|each|all|either|some|more)(?:\s+one)?(?:\s+of)?\s*$", re.IGNORECASE
)
VAGUE_WORDS: Final = re.compile(
    r"\b(?:about|approximately|substantially|essentially|generally|roughly|somewhat|possibly|"
    r"perhaps|maybe|suitable|suitably|appropriate|certain|some|kind|sort|etc|like|thing|things|"
    r"stuff|somehow|various|good|nice|better|preferably|optionally|usually|normally|it|they|"
    r"them|these|those|this)\b",
    re.IGNORECASE,
)
"""English words that leave open what is claimed."""
CITED_IN: Final = frozenset({"en", "de", "fr", "zh", "ja"})
"""The languages whose words for "claim 1" are read."""
# Wider than any real claim set, so that "claims 1 to 9999" costs nothing.
WIDEST_RANGE = 200


@dataclass(frozen=True, slots=True)
class ClaimReference:
    """One claim number as written in a claim: its span and whether it closes a range."""

    number: int
    start: int
    end: int
    closes_range: bool


@dataclass(frozen=True, slots=True)
class Citation:
    """One place where a claim cites others: the numbers meant, and the span of the text.

    A number has its own span; the numbers that a range fills in have that of the range's
    end; "any preceding claim" is one citation of all numbers before, perhaps of none.
    """

    numbers: tuple[int, ...]
    start: int
    end: int


def find_references(text: str) -> tuple[ClaimReference, ...]:
    """Return every claim number that `text` cites, in order of appearance.

    Input: the text of one claim (without its own number) or of a whole claim set.
    Output: references whose start and end are offsets into `text`; `closes_range` is true
    for the 3 of "claims 1 to 3". "Any preceding claim" cites no number and is not listed.
    """
    return tuple(
        ClaimReference(int(piece[2]), piece.start(2), piece.end(2), piece[1] is not None)
        for match in _EXPLICIT.finditer(text)
        for piece in _PIECE.finditer(text, match.start(1), match.end(1))
    )


def _means_one(text: str, match: re.Match[str]) -> bool:
    """Whether "the preceding claim" means the last claim and not all of them."""
    if not match["just"] or match["many"]:
        return False
    return _CHOICE.search(text[max(0, match.start() - 24) : match.start()]) is None


def citations(text: str, earlier: Sequence[int] = ()) -> tuple[Citation, ...]:
    """Return the places where a claim cites others, in order: numbers first, then "preceding".

    Inputs as for `dependencies`. Output: citations whose spans are offsets into `text`.
    """
    lowered = text.lower()
    if not any(word in lowered for word in _WORDS_OF_CITING):
        return ()
    found: list[Citation] = []
    last = 0
    filled: set[tuple[int, int]] = set()
    for item in find_references(text):
        numbers: tuple[int, ...] = (item.number,)
        if item.closes_range and last and 0 < item.number - last <= WIDEST_RANGE:
            # A range written a thousand times over is filled in once.
            if (last, item.number) not in filled:
                numbers = tuple(range(last + 1, item.number + 1))
            filled.add((last, item.number))
        found.append(Citation(numbers, item.start, item.end))
        last = item.number
    named = False
    for match in _PRECEDING.finditer(text):
        if _means_one(text, match):
            found.append(Citation(tuple(earlier[-1:]), match.start(), match.end()))
        else:
            numbers = () if named else tuple(earlier[-WIDEST_RANGE:])
            found.append(Citation(numbers, match.start(), match.end()))
            named = True
    return tuple(found)


def dependencies(text: str, earlier: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the claim numbers on which a claim depends, without repeats, in order.

    Inputs: the text of one claim and the numbers of the claims before it, which "any preceding
    claim" stands for, the last WIDEST_RANGE of them. Ranges are filled in; a range that runs
    backwards or is wider than WIDEST_RANGE gives its two ends only. Numbers that no claim has
    stay: whether they are faults is for the claim tree to judge.
    """
    return tuple(
        dict.fromkeys(number for item in citations(text, earlier) for number in item.numbers)
    )


# White space inside a line, with what a reader cannot see: NUL, bidi marks, zero-width characters.
SPACE = " \t\u00a0\u1680\u2000-\u200f\u202a-\u202f\u205f-\u206f\u3000\ufeff\u00ad\\x00"
# Kana and ideographs.
_HAN = "\u3040-\u30ff\u3400-\u9fff"
# What stands before a number at the start of a line, also in a page or a markdown file.
_LINE = (
    rf"(?:(?<=[\n\r\x0b\x0c\x85\u2028\u2029])|\A)[{SPACE}]*"
    rf"(?:(?:<[a-z][^<>\n]{{0,60}}>|[*#_]{{1,6}})[{SPACE}]*)?"
)
_WORD = rf"[\u3010\uff3b]?(?:claim|(?:patent)?anspruch|revendication|{_HAN_WORD})[{SPACE}]*"
_CLAIM_NUMBER = r"(?P<number>\d{1,4})(?!\d)"
_AFTER = rf"(?=[\s{SPACE}{_HAN}A-Z\u00c0-\u00dd(\[\"'\u201c*_]|$)"
_LINE_MARKER = re.compile(
    rf"(?:{_LINE}|(?<=\u3002)(?=\u3010))"
    rf"(?:(?P<word>{_WORD}){_CLAIM_NUMBER}[{SPACE}*_]{{0,3}}(?:[:.)\uff1a\uff0e\u3001\u3011\uff3d-]|(?=\s|$))"
    rf"|(?P<open>[(\uff08]){_CLAIM_NUMBER.replace('number', 'inner')}[)\uff09]"
    rf"|{_CLAIM_NUMBER.replace('number', 'plain')}[{SPACE}]{{0,2}}"
    rf"(?P<style>[\uff0e\u3001\uff1a]|[.):]{_AFTER}))",
    re.IGNORECASE,
)
# A bare number opens a claim only where a text has no other marks at all.
_BARE_MARKER = re.compile(rf"{_LINE}{_CLAIM_NUMBER}[{SPACE}]+(?=[A-Z{_HAN}])")
# Inside a line: after white space, or straight after the full stop of a word (never of a decimal).
_INLINE_MARKER = re.compile(
    rf"(?:(?<=[^\s{SPACE},])[{SPACE}]+|(?<=[a-z)]\.)|(?<=[\u3002\uff1b])"
    r"|(?<=claim \d\.)|(?<=claim \d\d\.))"
    rf"(?P<word>Claim )?{_CLAIM_NUMBER}[{SPACE}]{{0,2}}(?P<style>[.):\uff0e\u3001])"
    rf"(?=[\s{SPACE}]*(?:[A-Z{_HAN}\u00c0-\u00dd]|[(\[][A-Za-z]{{3}}))"
)
# In English, German, French, Chinese and Japanese.
CANCELLED_WORD: Final = (
    r"(?:cancell?ed|cancellation|withdrawn|deleted|not[ ]entered|gestrichen|gel\u00f6scht"
    r"|entf(?:allen|\u00e4llt)|zur\u00fcckgezogen|annul\u00e9e?s?|supprim\u00e9e?s?|retir\u00e9e?s?"
    r"|[\u5220\u522a\u524a]\u9664|\u53d6\u6d88|\u64a4\u56de)"
)
_STATUS = rf"[(\[\uff08]?(?:previously[ ]+)?{CANCELLED_WORD}"
_CANCELLED = re.compile(
    rf"(?:{_LINE}|(?<=[.)])[{SPACE}]+)(?:claims?[{SPACE}]+)?{_CLAIM_NUMBER}\.?"
    rf"[{SPACE}]{{0,2}}(?:-|\u2013|\u2014|to|through|and)[{SPACE}]{{0,2}}(?P<last>\d{{1,4}})(?!\d)"
    rf"[{SPACE}]{{0,2}}[.):]?(?=[{SPACE}]*{_STATUS})",
    re.IGNORECASE,
)
# "... of claim\n1. A ..." is a wrapped line, not a new claim; so is "... as Fig.\n2. The".
_OPEN_CITATION = re.compile(
    r"(?:\S[ \t\u00a0]+(?:claims?|to|through|or|and|of|in|by|with|under|either|any|steps?|examples?"
    r"|tables?|formulae?|figures?|figs?\.?|nos?\.?)|[\u6743\u6b0a]\u5229\u8981\u6c42"
    r"|[\u8bf7\u8acb]\u6c42[\u9879\u9805]|[\u81f3\u6216\u548c])$",
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
    lines = [mark for mark in found if mark.opens_line and not mark.is_cancelled]
    first = next((mark for mark in lines if mark.number == 1), None)
    style = (first or lines[0]).style if lines else ""
    # A mark at the start of a line in another style than the claims' own is one inside a line.
    for place, mark in enumerate(found):
        if mark.opens_line and mark.style != style and not mark.is_cancelled:
            found[place] = replace(mark, opens_line=False)
    return tuple(_count(text, found)) or tuple(_bare_markers(text))


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


def _count(text: str, found: list[Marker]) -> Iterator[Marker]:
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
            # Out of turn, but before what reads like the opening of a claim.
            nearby = previous is not None and 1 <= mark.number <= expected + _LONGEST_JUMP
            accepted = ends and nearby and _CLAIM_OPENING.match(text, mark.end) is not None
        if accepted:
            previous = mark
            yield mark


def _opening_number(found: list[Marker]) -> int:
    """Return the number that the first claim inside a line has.

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


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim as it stands in the text: text == source[start:end], marker and spaces included."""

    number: int | None
    text: str
    start: int
    end: int
    depends_on: tuple[int, ...]
    body_offset: int = 0
    """Where the body begins inside `text`."""
    last_number: int | None = None
    """The end of a cancelled range ("1-10. (canceled)"), or the number itself."""

    @property
    def body(self) -> str:
        """The text of the claim, without its number and without outer white space."""
        return self.text[self.body_offset :].strip()


def claim_body(claim: Claim) -> str:
    """Return the text of a claim behind its number, outer white space included."""
    return claim.text[claim.body_offset :]


# Every analysis of a pair begins here: the pair at hand is cut once.
@lru_cache(maxsize=8)
def parse_claims(text: str) -> tuple[Claim, ...]:
    """Cut a claim set into its claims.

    Input: any text. Output: claims in order of appearance whose `text` fields joined give the
    input, byte for byte; () for the empty text. Numbers are read from "1.", "1)", "(1)", "1\u3001"
    and "Claim 1" at the start of a line, and from "1." and "1)" inside a line. Text before the
    first number ("What is claimed is:") and text without numbers become one Claim with number
    None. Repeated, missing and falling numbers stay as written; a cancelled range is one
    Claim with the range in `number` and `last_number`.
    """
    if not text:
        return ()
    markers = find_markers(text)
    starts = [marker.start for marker in markers] + [len(text)]
    claims: list[Claim] = []
    if not markers or text[: starts[0]].strip():
        claims.append(Claim(None, text[: starts[0]], 0, starts[0], ()))
    elif starts[0] > 0:
        starts[0] = 0
    earlier: list[int] = []
    for marker, start, end in zip(markers, starts, starts[1:], strict=False):
        cited = dependencies(text[marker.end : end], earlier)
        offset = marker.end - start
        claims.append(Claim(marker.number, text[start:end], start, end, cited, offset, marker.last))
        earlier.append(marker.number)
    return tuple(claims)
