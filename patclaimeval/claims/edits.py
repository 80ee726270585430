"""Edits of a claim text after which it is still a claim set."""

import re
from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass

from patclaimeval.claims.parsing import Claim, find_references, parse_claims
from patclaimeval.claims.splitting import listed_elements

_LEADING_AND = re.compile(r"^(\s*)(and|or)\b(?=\s)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement: source[start:end] becomes `text`."""

    start: int
    end: int
    text: str


def apply_edits(source: str, edits: Iterable[Edit]) -> str:
    """Return `source` with every edit made; edits must not overlap, their order is free.

    Of insertions at one place the last given stands first.
    """
    pieces: list[str] = []
    rest = len(source)
    for edit in sorted(edits, key=_span, reverse=True):
        pieces += (source[edit.end : rest], edit.text)
        rest = edit.start
    return source[:rest] + "".join(reversed(pieces))


def without_overlaps(edits: Iterable[Edit]) -> list[Edit]:
    """Return, in the given order, each edit that touches no edit returned before it."""
    chosen: list[Edit] = []
    # Chosen spans touch nothing of one another: the last that starts before an edit ends reaches
    # furthest.
    spans: list[tuple[int, int]] = []
    for edit in edits:
        before = bisect_left(spans, (edit.end,))
        if not before or spans[before - 1][1] <= edit.start:
            insort(spans, _span(edit))
            chosen.append(edit)
    return chosen


# As wide as an ideograph: claims in Japanese are numbered by them.
_WIDE_DIGITS = {ord("0") + digit: 0xFF10 + digit for digit in range(10)}


def _span(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def remove_element(text: str, claim: Claim, index: int) -> str:
    """Return the claim set without the listed element `index` (>= 1) of one of its claims.

    The conjunction and the full stop of the list move to its new last element.
    """
    elements = list(listed_elements(claim.text))
    conjunction = _LEADING_AND.match(elements[-1])
    if index == len(elements) - 1:
        stripped = elements[-1].rstrip()
        ending = "." if stripped.endswith(".") else ""
        tail = ending + elements[-1][len(stripped) :]
        del elements[-1]
        if conjunction and len(elements) > 1:
            elements[-1] = " " + conjunction[2] + elements[-1]
        elements[-1] += tail
    else:
        del elements[index]
    return text[: claim.start] + ";".join(elements) + text[claim.end :]


def remove_claim(text: str, claim: Claim) -> str:
    """Return the claim set without a numbered claim, later claims and citations renumbered.

    The claim must not be cited by its number; a range that spans it becomes shorter by one.
    """
    edits = [Edit(claim.start, claim.end, "")]
    gone = claim.number
    if gone is None:
        return apply_edits(text, edits)
    for other in parse_claims(text):
        if other.start == claim.start or other.number is None:
            continue
        for start, end, number in _written_numbers(other):
            if number > gone:
                edits.append(Edit(start, end, written_like(text[start:end], number - 1)))
    return apply_edits(text, edits).rstrip() + text[len(text.rstrip()) :]


def written_like(digits: str, number: int) -> str:
    """Return a number in the digits, wide or usual, of the one in whose place it comes."""
    written = str(number)
    return written if digits.isascii() else written.translate(_WIDE_DIGITS)


def _written_numbers(claim: Claim) -> list[tuple[int, int, int]]:
    """Return the spans in the source of the claim's own number and of all that it cites."""
    offset = claim.start + claim.body_offset
    marker = re.search(r"\d+", claim.text)
    spans = [
        (offset + item.start, offset + item.end, item.number)
        for item in find_references(claim.text[claim.body_offset :])
    ]
    if marker and claim.number is not None:
        spans.append((claim.start + marker.start(), claim.start + marker.end(), claim.number))
    return spans
