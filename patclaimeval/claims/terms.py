"""The surface reading of noun phrases in a claim: which term stands after which article."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

_DEFINITE = ("the", "said")
_ARTICLE = re.compile(
    r"\b(?P<article>the|said|an?|each|at least one|one or more|a plurality of|a pair of"
    r"|two|three|four)\s+(?=[A-Za-z])",
    re.IGNORECASE,
)
# "The at least one valve" is as definite as "the valve".
_QUANTITY = re.compile(
    r"(?:at\s+least\s+(?:one|two)|one\s+or\s+more|plurality\s+of|pair\s+of|two|three|four)\s+"
    r"(?=[A-Za-z])",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][A-Za-z-]*")
_NEXT_WORD = re.compile(r"\s([A-Za-z][A-Za-z-]*)")
# Words that end a noun phrase: prepositions, conjunctions, verbs, adverbs and adjectives that
# stand after their noun, as far as they are common in claims.
_STOP_LIST = """
a about above according across adapted adjacent after against agree along also an and any apart
are around as at available away backward backwards based be because been before being below
between beyond but by can cause causes characterised characterized comprise comprises comprising
configured constitute constitutes contain containing contains correspond corresponding corresponds
could define defines defining depend depends differ different differs disposed do does downstream
downward downwards during each either encoding engages engaging equal extend extending extends faces
following follows for forming forward forwards from further given greater has have having hold
holding holds however if in include includes including indicate indicates indicating into inward
inwards is it its larger less lies located made may meets more near no nor not of off on once one
only onto opens operable opposite or out outside outward outwards over parallel past per
perpendicular produce produces provide provides providing receive receives receiving relative
remain remains representing represents rests resulting said selected several should similar
smaller so such suitable than that the their them then thereafter therebetween thereby therefore
therefrom therein thereof thereon thereto therewith these they this those through throughout to
together toward towards under unless until up upon upstream upward upwards used uses using varies
vary via was were when where whereby wherein whereupon whether which while whose will with within
without would
"""
STOP_WORDS = frozenset(_STOP_LIST.split())
# After its noun an adverb ends a phrase; these end in "-ly" and are nouns.
_NOUNS_IN_LY = frozenset(
    ["anomaly", "assembly", "belly", "family", "fly", "monopoly", "ply", "poly", "reply", "supply"]
)
_NOUNS_IN_ING_LIST = """
bearing bushing casing ceiling coating housing lining opening ring spring string tubing winding wing
wiring
"""
NOUNS_IN_ING = frozenset(_NOUNS_IN_ING_LIST.split())
# Nouns whose plural no suffix shows, and nouns that end like a plural.
_IRREGULAR_WORDS = """
always:always analyses:analysis antennae:antenna apparatuses:apparatus appendices:appendix
axes:axis bacteria:bacterium bias:bias biases:bias bogies:bogie buses:bus chassis:chassis
criteria:criterion dies:die feet:foot foci:focus formulae:formula fungi:fungus gases:gas
halves:half hypotheses:hypothesis indices:index knives:knife leaves:leaf lens:lens lenses:lens
lies:lie loci:locus loaves:loaf matrices:matrix means:means media:medium men:man mice:mouse
nuclei:nucleus phenomena:phenomenon radii:radius series:series shelves:shelf species:species
spectra:spectrum stimuli:stimulus teeth:tooth ties:tie valves:valve vertices:vertex viruses:virus
women:woman
"""
_IRREGULAR = dict(pair.split(":") for pair in _IRREGULAR_WORDS.split())
_LONGEST_TERM = 4
_LONGEST_CACHED = 40
T = TypeVar("T")


def cached(function: Callable[[str], T]) -> Callable[[str], T]:
    """Remember what a function says of a word, but not of a text that is one long word."""
    remembered = lru_cache(maxsize=16_384)(function)
    return lambda word: (remembered if len(word) <= _LONGEST_CACHED else function)(word)


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
        return _phrases(self.term)


@cached
def _phrases(term: str) -> tuple[str, ...]:
    words = term.split(" ")
    ends = [
        place
        for place in range(1, len(words))
        if words[place].endswith(("s", "ing")) and words[place] not in NOUNS_IN_ING
    ]
    folded = [singular(word) for word in words]
    return tuple(" ".join(folded[:end]) for end in [len(words), *reversed(ends)])


# Antecedents and second names are both read from them, one after the other: once is enough.
@lru_cache(maxsize=256)
def find_mentions(text: str) -> tuple[Mention, ...]:
    """Return the noun phrases of `text` that stand after an article, in order.

    Input: any text. Output: mentions whose spans are offsets into `text`. A term is read as up
    to four words after the article, ending before a stop word, an adverb or a participle without
    a noun of its own, or punctuation: a surface proxy, not a grammar. "The at least one valve" is
    a mention of "valve" with the article "the".
    """
    found: list[Mention] = []
    taken = 0
    for match in _ARTICLE.finditer(text):
        if match.start() < taken:
            continue
        article = match["article"].lower()
        quantity = _QUANTITY.match(text, match.end()) if article in _DEFINITE else None
        position = taken = end = quantity.end() if quantity else match.end()
        words: list[str] = []
        while len(words) < _LONGEST_TERM and (word := _WORD.match(text, position)):
            lowered = word.group().lower()
            if lowered in STOP_WORDS or (words and _ends_phrase(lowered, text, word.end())):
                break
            words.append(lowered)
            end = word.end()
            position = end + 1 if text[end : end + 1] in (" ", "\n") else len(text)
        if words:
            found.append(Mention(article, " ".join(words), match.start(), end))
    return tuple(found)


def _ends_phrase(word: str, text: str, end: int) -> bool:
    """Whether a word in second place or later is an adverb, or a participle without a noun.

    "The signal received by ..." ends before the participle, "the lightly doped layer" does not.
    """
    if word.endswith("ed") and len(word) > 4 and not word.endswith("eed"):
        following = _NEXT_WORD.match(text, end)
        return (
            following is None or following[1].lower() in STOP_WORDS or following[1].endswith("ly")
        )
    return word.endswith("ly") and word.rsplit("-", 1)[-1] not in _NOUNS_IN_LY


@cached
def singular(word: str) -> str:
    """Fold a plain English plural ("valves", "boxes", "batteries") to its singular.

    By suffix, but for a few irregular nouns. A word that is no plural comes back as it is.
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
