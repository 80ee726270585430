"""The unique marks that stand for each secret of a campaign, and how an answer is read for them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from typing import Final
from uuid import UUID

from django.utils.html import strip_tags

# Letters only, so that no escaping of HTML, JSON or an address can hide one.
HERE: Final = "zqhere"
ELSEWHERE: Final = "zqelsewhere"

# What only text can reveal: each is looked for as a pattern, with its case ignored.
PATTERNS: Final = {
    # A recusal for a conflict of interest is something else, and every rate page offers it.
    "conflict.term": r"conflict(?!s? of interest|-of-interest)",
    "purpose": r"sentinel|qualification",
    "one.overall": r"\b9\.00\b",
    "peer.overall": r"\b0\.45\b",
}


UUIDS: Final = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")
DIGITS: Final = re.compile(r"\.\d{4,8}")
PREFIX: Final = "zq"


class Marks:
    """All secrets of a test by name, ready to be looked for in one go.

    A mark is a word that begins with `zq`, an id, or the digits after a point: each kind is found
    by one plain pattern and then looked up, because thousands of answers are read.
    """

    def __init__(self, facts: Mapping[str, Iterable[object]]) -> None:
        pairs = [(_plain(mark), fact) for fact, marks in facts.items() for mark in marks]
        self._fact_of = dict(pairs)
        marks = sorted((mark for mark, _ in pairs if mark.startswith(PREFIX)), key=len)
        # The longest first: no mark may be taken for another that it begins with.
        self._marks = re.compile("|".join(re.escape(word) for word in reversed(marks)))
        self._patterns = {fact: re.compile(pattern) for fact, pattern in PATTERNS.items()}

    def found_in(self, text: str) -> dict[str, str]:
        """Return the secrets that an answer reveals, each with what betrays it."""
        found: dict[str, str] = {}
        for reading in _readings(text.lower()):
            if PREFIX in reading:
                for match in self._marks.finditer(reading):
                    found.setdefault(self._fact_of[match[0]], match[0])
            for pattern in (UUIDS, DIGITS):
                for match in pattern.finditer(reading):
                    if fact := self._fact_of.get(match[0].replace("-", "")):
                        found.setdefault(fact, match[0])
            for fact, pattern in self._patterns.items():
                if word := pattern.search(reading):
                    found.setdefault(fact, word[0])
        return found


def _plain(mark: object) -> str:
    """Return a mark as it is looked up: an id without hyphens, words in lower case."""
    return mark.hex if isinstance(mark, UUID) else str(mark).lower()


def _readings(text: str) -> Iterator[str]:
    """Yield an answer as it was sent, and as it is read: marks cut a claim's words into pieces."""
    yield text
    if "<" in text:
        yield unescape(strip_tags(text))
