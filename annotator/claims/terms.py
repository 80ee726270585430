"""Owns the surface reading of noun phrases in a claim: which term stands after which article."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_DEFINITE = ("the", "said")
_ARTICLE = re.compile(
    r"\b(?P<article>the|said|an?|each|at least one|one or more|a plurality of|a pair of"
    r"|two|three|four)\s+(?=[A-Za-z])",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][A-Za-z-]*")
# Words that end a noun phrase: prepositions, conjunctions, verbs and adverbs common in claims.
_STOP_WORDS = """
a about according across after against agree along an and any are around as at based be before
being below between beyond but by can comprise comprises comprising configured contain
containing contains defines defining differ disposed do does during each engages engaging
extending extends faces following for forming forms from further given has have having hold
holding holds if in includes including into is it its less lies located made may meets more near
no nor not of on one only onto opens or out over past per produce produces receives receiving
relative rests said several so such than that the their then thereby therein thereof through to
together toward towards under until up upon uses using via was were when where whereby wherein
whether which while whose will with within without
"""
_STOP = frozenset(_STOP_WORDS.split())
_LONGEST_TERM = 4


@dataclass(frozen=True, slots=True)
class Mention:
    """One noun phrase with its article; start and end are the span of article and term."""

    article: str
    term: str
    start: int
    end: int

    @property
    def is_definite(self) -> bool:
        """Whether the article claims that the term is already known ("the", "said")."""
        return self.article in _DEFINITE

    @property
    def heads(self) -> tuple[str, ...]:
        """The words that may be the noun meant, in the singular: the last word of each phrase."""
        return tuple(phrase.rsplit(" ", 1)[-1] for phrase in self.phrases)

    @property
    def phrases(self) -> tuple[str, ...]:
        """The noun phrases that the term may be, words in the singular, the longest first.

        The whole term; and what stands before a possible verb in "-s" or "-ing", because "the
        pressure sensor rises" is read as one term of three words.
        """
        words = self.term.split(" ")
        ends = [place for place in range(1, len(words)) if words[place].endswith(("s", "ing"))]
        folded = [singular(word) for word in words]
        return tuple(" ".join(folded[:end]) for end in [len(words), *reversed(ends)])


def find_mentions(text: str) -> tuple[Mention, ...]:
    """Return the noun phrases of `text` that stand after an article, in order.

    Input: any text. Output: mentions whose spans are offsets into `text`. A term is read as up
    to four words after the article, ending before a stop word, a participle in second place or
    later, or punctuation: a surface proxy, not a grammar.
    """
    return tuple(_iterate_mentions(text))


def _iterate_mentions(text: str) -> Iterator[Mention]:
    for match in _ARTICLE.finditer(text):
        words: list[str] = []
        position = end = match.end()
        while len(words) < _LONGEST_TERM and (word := _WORD.match(text, position)):
            lowered = word.group().lower()
            if lowered in _STOP or (words and lowered.endswith("ed")):
                break
            words.append(lowered)
            end = word.end()
            position = end + 1 if text[end : end + 1] in (" ", "\n") else len(text)
        if words:
            yield Mention(match["article"].lower(), " ".join(words), match.start(), end)


def singular(word: str) -> str:
    """Fold a plain English plural ("valves", "boxes", "batteries") to its singular, by suffix."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
