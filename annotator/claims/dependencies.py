"""Owns the references that one claim makes to others ("of claim 1", "any preceding claim")."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# English, then German and French, then Chinese and Japanese.
_CLAIM_WORD = (
    r"(?:\b(?:claims?|anspr(?:u|\u00fc)ch(?:en?|s)?|revendications?)[ \t\r\n\u00a0]+(?:no\.?\s+)?"
    r"|(?:\u6743\u5229\u8981\u6c42|\u6b0a\u5229\u8981\u6c42|[\u8bf7\u8acb]\u6c42[\u9879\u9805])\s*)"
)
# A claim number has at most four digits: longer runs are reference numerals or noise.
_NUMBER = r"\(?\d{1,4}(?!\d)\)?"
_RANGE_WORD = (
    r"\s*+(?:(?:to|through|till|bis|\u00e0)\b|-|\u2010|\u2011|\u2012|\u2013|\u2014|~|\uff5e|\uff0d"
    r"|\u81f3|\u5230)\s*(?:claims?\s+)?(?:\u6743\u5229\u8981\u6c42|\u6b0a\u5229\u8981\u6c42)?"
)
# After a bare comma a number belongs to the list only if no noun follows: "claim 1, 2 valves".
_COMMA = (
    r",\s*(?=(?:claims?\s+)?\(?\d{1,4}\)?\s*(?:[-,.:;)\u2010-\u2014\u3001]|$"
    r"|(?:or|and|to|through|in|where|which|that|further|as|char|compris|oder|und|bis|ou|et)))"
)
# White space is taken whole: giving it back one by one makes a long run of it cost its square.
_LIST_WORD = (
    r"\s*+(?:,?\s*+(?:and/or|and|or|oder|und|ou|et)\b\s*|[\u3001\uff0c/]\s*|(?:\u6216\u8005|\u4ee5\u53ca"
    rf"|[\u6216\u548c\u53ca\u4e0e\u8207])\s*|{_COMMA})(?:(?:any|one|either)\s+(?:one\s+)?of\s+)?"
    r"(?:claims?\s+|\u6743\u5229\u8981\u6c42\s*|\u6b0a\u5229\u8981\u6c42\s*)?"
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
    r"|\b(?:vorher|vor|voran)(?:gehend|stehend)en\s+Anspr|\brevendications?\s+pr\u00e9c\u00e9dentes?"
    r"|[\u4e0a\u524d]\u8ff0[^\u3002\uff0c\uff1b\d]{0,6}(?:\u6743\u5229|\u6b0a\u5229)\u8981\u6c42(?!\s*\d))",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:any|one|each|all|either|some|more)(?:\s+one)?(?:\s+of)?\s*$", re.IGNORECASE
)
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
    """One place where a claim cites others: the numbers meant, and the span of the words.

    A number carries its own span; the numbers that a range fills in carry that of the range's
    end; "any preceding claim" is one citation of all numbers before, perhaps of none.
    """

    numbers: tuple[int, ...]
    start: int
    end: int


def find_references(text: str) -> tuple[ClaimReference, ...]:
    """Return every claim number that `text` cites, in order of appearance.

    Input: the words of one claim (without its own number) or of a whole claim set.
    Output: references whose start and end are offsets into `text`; `closes_range` is true
    for the 3 of "claims 1 to 3". "Any preceding claim" cites no number and is not listed.
    """
    return tuple(_iterate_references(text))


def _iterate_references(text: str) -> Iterator[ClaimReference]:
    for match in _EXPLICIT.finditer(text):
        for piece in _PIECE.finditer(text, match.start(1), match.end(1)):
            yield ClaimReference(
                number=int(piece.group(2)),
                start=piece.start(2),
                end=piece.end(2),
                closes_range=piece.group(1) is not None,
            )


def cites_preceding(text: str) -> bool:
    """Tell whether a claim depends on all claims before it ("any one of the preceding claims")."""
    return any(not _means_one(text, match) for match in _PRECEDING.finditer(text))


def _means_one(text: str, match: re.Match[str]) -> bool:
    """Whether "the preceding claim" means the last claim and not all of them."""
    if not match["just"] or match["many"]:
        return False
    return _CHOICE.search(text[max(0, match.start() - 24) : match.start()]) is None


def citations(text: str, earlier: Sequence[int] = ()) -> tuple[Citation, ...]:
    """Return the places where a claim cites others, in order: numbers first, then "preceding".

    Inputs as for `dependencies`. Output: citations whose spans are offsets into `text`.
    """
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

    Inputs: the words of one claim and the numbers of the claims before it, which "any preceding
    claim" stands for, the last WIDEST_RANGE of them. Ranges are filled in; a range that runs
    backwards or is wider than WIDEST_RANGE keeps its two ends only. Numbers that no claim carries
    are kept: whether they are faults is for the claim tree to say.
    """
    return tuple(
        dict.fromkeys(number for item in citations(text, earlier) for number in item.numbers)
    )
