"""Owns the references that one claim makes to others ("of claim 1", "any preceding claim")."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A claim number has at most four digits: longer runs are reference numerals or noise.
_NUMBER = r"\d{1,4}(?!\d)"
_RANGE_WORD = r"\s*(?:to|through|-|\u2013|\u2014)\s*"
_LIST_WORD = r"\s*(?:,\s*(?:and|or)|,|and/or|and|or|/)\s*(?:any\s+of\s+)?(?:claims?\s+)?"
_EXPLICIT = re.compile(
    rf"\bclaims?\s+({_NUMBER}(?:(?:{_RANGE_WORD}|{_LIST_WORD}){_NUMBER})*)",
    re.IGNORECASE,
)
_PIECE = re.compile(rf"({_RANGE_WORD})?({_NUMBER})", re.IGNORECASE)
_PRECEDING = re.compile(
    r"\b(?:preceding|previous|foregoing|aforementioned)\s+claims?\b", re.IGNORECASE
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
    return _PRECEDING.search(text) is not None


def dependencies(text: str, earlier: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the claim numbers on which a claim depends, without repeats, in order.

    Inputs: the words of one claim and the numbers of the claims before it, which "any preceding
    claim" stands for. Ranges are filled in; a range that runs backwards or is wider than
    WIDEST_RANGE keeps its two ends only. Numbers that no claim carries are kept: whether they
    are faults is for the claim tree to say.
    """
    found: list[int] = []
    for reference in find_references(text):
        if reference.closes_range and found and 0 < reference.number - found[-1] <= WIDEST_RANGE:
            found.extend(range(found[-1] + 1, reference.number))
        found.append(reference.number)
    if cites_preceding(text):
        found.extend(earlier)
    return tuple(dict.fromkeys(found))
