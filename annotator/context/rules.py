"""Where context speaks of something: what is searched for, and the terms of claims ("support").

Terms are compared word by word, each in the singular, as `patclaimeval/claims/terms.py` reads
them: a surface proxy for English. A paragraph that describes a feature in other words is not found.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from patclaimeval.claims.terms import find_mentions, singular

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z-]*")
# Of a claim set so many different terms are looked for.
MOST_TERMS: Final = 300


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a paragraph, and whether it is what was looked for."""

    text: str
    is_found: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a claim: how it is written, and in how many paragraphs it stands."""

    text: str
    paragraphs: int


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a paragraph in the singular, in one text that begins and ends with a space."""

    joined: str
    spans: tuple[tuple[int, int], ...]


class Paragraphs:
    """Paragraphs, cut into words once, in which terms are looked for."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._words = [_words_of(text) for text in texts]

    def having(self, term: str) -> list[int]:
        """Return the places of the paragraphs in which a term stands, in any number."""
        wanted = _folded(term)
        return [place for place, words in enumerate(self._words) if wanted in words.joined]

    def spans(self, place: int, term: str) -> list[tuple[int, int]]:
        """Return where in the text of a paragraph a term stands, without overlaps."""
        words, wanted = self._words[place], _folded(term)
        length = wanted.count(" ") - 1
        found: list[tuple[int, int]] = []
        start = words.joined.find(wanted)
        while start >= 0:
            first = words.joined.count(" ", 0, start)
            found.append((words.spans[first][0], words.spans[first + length - 1][1]))
            start = words.joined.find(wanted, start + len(wanted) - 1)
        return found


def terms_in(claims: str, paragraphs: Paragraphs) -> list[Term]:
    """Return the terms of claims, each with how many paragraphs it stands in, in their order.

    Inputs: the text of a claim set, and the context. A term that may be a noun with a verb ("the
    pressure sensor rises") is the longest reading that stands anywhere, else the longest of all.
    At most MOST_TERMS are returned; none where the claims have no English articles.
    """
    found: dict[str, int] = {}
    known: dict[tuple[str, ...], tuple[str, int]] = {}
    for mention in find_mentions(claims):
        if len(found) >= MOST_TERMS:
            break
        phrases = mention.phrases
        if phrases not in known:
            known[phrases] = _best(phrases, paragraphs)
        text, count = known[phrases]
        found.setdefault(text, count)
    return [Term(text, count) for text, count in found.items()]


def _best(phrases: tuple[str, ...], paragraphs: Paragraphs) -> tuple[str, int]:
    for phrase in phrases:
        if count := len(paragraphs.having(phrase)):
            return phrase, count
    return phrases[0], 0


def search_spans(text: str, wanted: str) -> list[tuple[int, int]]:
    """Return where a search finds its words, in any case and with any white space between them."""
    pattern = _pattern(wanted)
    return [match.span() for match in pattern.finditer(text)] if pattern else []


def _pattern(wanted: str) -> re.Pattern[str] | None:
    parts = [re.escape(part) for part in wanted.split()]
    return re.compile(r"\s+".join(parts), re.IGNORECASE) if parts else None


def pieces_of(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[Piece]:
    """Cut a text at spans that are in order and do not overlap."""
    at = 0
    for start, end in spans:
        if start > at:
            yield Piece(text[at:start])
        yield Piece(text[start:end], is_found=True)
        at = end
    if at < len(text):
        yield Piece(text[at:])


def _words_of(text: str) -> _Words:
    matches = list(_WORD.finditer(text))
    folded = " ".join(singular(match[0].lower()) for match in matches)
    return _Words(f" {folded} ", tuple(match.span() for match in matches))


def _folded(term: str) -> str:
    return f" {' '.join(singular(word) for word in term.lower().split())} "
