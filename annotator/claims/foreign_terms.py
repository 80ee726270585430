"""Owns the terms of one claim set that another does not have."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from annotator.claims.terms import LONGEST_CACHED, STOP_WORDS, singular

# A word of Latin letters, digits allowed after the first ("H2O"); hyphens and apostrophes join.
_LETTER = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
_WORD = re.compile(rf"(?<![\w])[{_LETTER}][{_LETTER}0-9]*(?:[-'\u2019][{_LETTER}0-9]+)*")
_PART = re.compile(r"[-'\u2019]")
# Words of claims as such: they say how a claim is built, not what it is about.
_CLAIM_WORDS = """
able accordance according accordingly adapted additional additionally aforementioned apparatus
appropriate arranged aspect associated back being both capable carried carry carrying
characterised characterized claim claimed cm coming composed comprise comprised consist consisting
consists corresponding device directly disclosed done eighth embodiment employ employed etc even
every example executed execution exhibit exhibits fifth first following fourth furthermore ghz
group having hence herein how hz ii iii indirectly invention item iv ix just kg khz kind km kpa kv
kw least like made make makes making manner many mean means method mg mhz ml mm mode more moreover
most mpa much must mv mw namely need neither next ninth nm none nor operable optionally other
others otherwise pa part particular particularly perform performed performing performs plurality
portion possible ppm preceding predetermined preferably preferred present prior procedure process
product program provision psi recited respective respectively rpm same second separate serve
serves set seventh shall since sixth some someone something specific specified step still subject
subsequent subsequently substantially sum system take taken tenth then thing third time together
type use useful user utilize utilized utilizes utilizing various very vi vii viii vol way well
what who why wt xi yet
"""
# The longest first; what stands before must keep three letters.
_SUFFIX_LIST = """
isations izations isation ization ations ators ation ating ator ated ates ate ingly edly ably ibly
ance ence ings able ible ment ions ing ers ors ive ion er or ed ly al e
"""
_SUFFIXES = tuple(_SUFFIX_LIST.split())
_SHORTEST_STEM = 3
_ACRONYM_PLURAL = re.compile(r"\b([A-Z]{2,})s\b")


@dataclass(frozen=True, slots=True)
class ForeignTerm:
    """One term of the candidate that the reference lacks: text == candidate[start:end]."""

    term: str
    start: int
    end: int


def foreign_terms(reference: str, candidate: str) -> tuple[ForeignTerm, ...]:
    """Return the terms of the candidate that occur nowhere in the reference, at each place.

    Inputs: two texts. Output: terms in order of appearance with offsets into `candidate`. A term
    is a run of neighbouring content words ("hybrid stepper"), each of which the reference has in
    no inflection. Words are compared, not noun phrases: a phrase is new as soon as one of its words
    is, and the new word alone is what a reader looks for; phrases would be reported again for every
    article or adjective moved. Common words of claims, single letters, numbers and units are never
    terms. () where either text has no Latin words: there is nothing to compare.
    """
    known = _folded(reference)
    if not known:
        return ()
    found: list[tuple[int, int]] = []
    for match in _WORD.finditer(candidate):
        start, end = match.span()
        if not _is_foreign(match.group(), known):
            continue
        if found and found[-1][1] == start - 1 and candidate[start - 1] in " \n\u00a0":
            start = found.pop()[0]
        found.append((start, end))
    return tuple(ForeignTerm(candidate[start:end], start, end) for start, end in found)


def _folded(text: str) -> frozenset[str]:
    words: set[str] = set()
    for word in {match.group() for match in _WORD.finditer(text)}:
        words.update(_forms(word))
    return frozenset(words)


def _forms(word: str) -> Iterator[str]:
    """Yield what stands for a word: its stem, those of its parts, and itself in one piece."""
    lowered = _lowered(word)
    parts = _PART.split(lowered)
    yield from (fold(part) for part in parts)
    if len(parts) > 1:
        yield fold("".join(parts))


def _is_foreign(word: str, known: frozenset[str]) -> bool:
    parts = [part for part in _PART.split(word) if _is_content(part)]
    if not parts or fold(_PART.sub("", _lowered(word))) in known:
        return False
    return any(fold(_lowered(part)) not in known for part in parts)


def _lowered(word: str) -> str:
    """Write a word small; "LEDs" is a plural of "LED"."""
    return _ACRONYM_PLURAL.sub(r"\1", word).lower()


def _is_content(word: str) -> bool:
    """Whether a word says what a claim is about: no common word, no letter, no bare unit."""
    lowered = word.lower()
    if lowered in _COMMON or fold(lowered) in _COMMON_FOLDED:
        return False
    return len(word) > 2 or (len(word) == 2 and word.isupper())


def fold(word: str) -> str:
    """Fold the inflections and plain derivations of a lower-case word to one stem, by suffix.

    "Rotating", "rotates", "rotation" and "rotated" share "rot"; "control" and "controller" meet.
    Stems keep at least three letters. A surface proxy: "general" and "generator" meet too.
    """
    return _fold_cached(word) if len(word) <= LONGEST_CACHED else _fold(word)


def _fold(word: str) -> str:
    stem = _without_suffix(singular(word))
    if stem.endswith("miss"):
        # "Transmission" and "transmit".
        stem = stem[:-2] + "t"
    if len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2] and stem[-1] not in "aeiou":
        stem = stem[:-1]
    if len(stem) > _SHORTEST_STEM:
        stem = stem.removesuffix("e")
    return stem[:-1] + "i" if stem.endswith("y") else stem


_fold_cached = lru_cache(maxsize=8192)(_fold)


def _without_suffix(word: str) -> str:
    if word.endswith("ied"):
        return word[:-3] + "y"
    for suffix in _SUFFIXES:
        stem = word.removesuffix(suffix)
        # Not the "at" of "heated" and "coated".
        if (
            stem != word
            and len(stem) >= _SHORTEST_STEM
            and not (suffix.startswith("at") and stem.endswith(("e", "o")))
        ):
            return stem
    return word


_COMMON = STOP_WORDS.union(_CLAIM_WORDS.split())
# Short stems are left out: "capable" must not hide "cap".
_COMMON_FOLDED = frozenset(stem for stem in map(fold, _COMMON) if len(stem) > _SHORTEST_STEM + 1)
