"""Reads a claim set as the features of a pair need it: words, terms, noun phrases, citations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from patclaimeval.claims.languages import UNSPACED, is_read_as_english, language_of, words
from patclaimeval.claims.parsing import dependencies, parse_claims

_IS_CHARACTER = re.compile(rf"[{UNSPACED}]")
_TOKEN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*|[,;:.()]")
_BREAK = frozenset(
    re.findall(
        r"\w+",
        """a an the said of for to in on at by with from into onto over under between through within
    along about around against via and or but that which who whose where wherein whereby when
    while is are was were be being been has have having comprising comprises comprise including
    includes include consisting consists configured arranged adapted coupled connected mounted
    disposed positioned located formed attached according as so if then than not can may will
    each at least one more any claim claims further also only using based first second""",
    )
)
_DEFINITE = frozenset({"the", "said"})
_INDEFINITE = frozenset({"a", "an", "one", "plurality", "least", "more", "two", "several", "each"})
_MAX_PHRASE = 4
Words = tuple[str, ...]


_COMMON = frozenset(
    re.findall(
        r"\w+",
        """that this with from into which wherein where said claim claims according comprising
    comprises comprise include includes including least more than each other being having have
    such when then also further between through configured based using first second one""",
    )
)


@dataclass(frozen=True)
class Claim:
    """One claim: its ``number``, lower-case ``words``, numbers ``cited``, and its noun phrases.

    ``phrases`` holds every phrase after an article in order as (is it definite, its words).
    """

    number: int
    words: Words
    cited: tuple[int, ...]
    phrases: tuple[tuple[bool, Words], ...]


@lru_cache(maxsize=256)
def read_claims(text: str, language: str = "") -> tuple[Claim, ...]:
    """Read each claim of a claim set; text without numbers is one claim with number 1.

    ``language`` is that of the pair that the text belongs to, "" where it is not known. Words
    before the first number and ranges of cancelled claims are left out. There are no phrases in
    another language than English, whose articles alone are known.
    """
    is_english = is_read_as_english(language_of(text, language))
    numbered = [
        _read(claim.number, claim.body, claim.depends_on, is_english)
        for claim in parse_claims(text)
        if claim.number is not None and claim.number == claim.last_number
    ]
    return tuple(numbered) or (_read(1, text, dependencies(text), is_english),)


def _read(number: int, body: str, cited: Iterable[int], is_english: bool) -> Claim:
    phrases = _phrases(body.lower()) if is_english else ()
    return Claim(number, tuple(words(body)), tuple(sorted(cited)), tuple(phrases))


def terms(words: Sequence[str]) -> Counter[str]:
    """Return the content words with their counts: four letters or more, in the singular.

    Two neighbouring Chinese or Japanese characters are one term: no words are cut there.
    """
    found = Counter(word for word in map(singular, words) if is_term(word))
    found.update(
        one + two
        for one, two in pairwise(words)
        if _IS_CHARACTER.match(one) and _IS_CHARACTER.match(two)
    )
    return found


def is_term(word: str) -> bool:
    """Return whether a word in the singular says what a claim is about."""
    return len(word) > 3 and not word.isdigit() and word not in _COMMON


def _phrases(lowered: str) -> list[tuple[bool, tuple[str, ...]]]:
    found: list[tuple[bool, tuple[str, ...]]] = []
    tokens = _TOKEN.findall(lowered)
    for place, token in enumerate(tokens):
        if token not in _DEFINITE and token not in _INDEFINITE:
            continue
        start = place + 1
        if start < len(tokens) and tokens[start] in ("of", "first", "second"):
            start += 1
        words: list[str] = []
        for word in tokens[start : start + _MAX_PHRASE]:
            if word in _BREAK or not word[0].isalnum():
                break
            words.append(singular(word))
        if words and words[0] not in ("method", "claim"):
            found.append((token in _DEFINITE, tuple(words)))
    return found


def singular(word: str) -> str:
    """Return ``word`` without a plural s (a rough rule, enough to match "bolts" with "bolt")."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def ancestors(claims: tuple[Claim, ...]) -> list[int]:
    """Return for each claim the claims that it depends on, directly or not: bit i is claims[i].

    Citations of itself, of later or of missing claims lead nowhere.
    """
    above: list[int] = []
    reached_by: dict[int, int] = {}
    for place, claim in enumerate(claims):
        reached = 0
        for number in claim.cited:
            reached |= reached_by.get(number, 0)
        above.append(reached)
        reached_by[claim.number] = reached | 1 << place
    return above


def antecedents(claims: tuple[Claim, ...]) -> tuple[int, int]:
    """Return (definite phrases, those of them never introduced).

    "the X" counts as introduced if an earlier phrase of the same claim, or any phrase of a
    claim it depends on, was indefinite and contains the first words of X.
    """
    total = missing = 0
    # By what a phrase introduces: the claims that have such a phrase, as bits.
    introduced: dict[Words, int] = {}
    for place, (claim, above) in enumerate(zip(claims, ancestors(claims), strict=True)):
        known = above | 1 << place
        for definite, phrase in claim.phrases:
            if definite:
                total += 1
                missing += not any(introduced.get(key, 0) & known for key in _asked(phrase))
            else:
                for key in _introduced(phrase):
                    introduced[key] = introduced.get(key, 0) | 1 << place
    return total, missing


def _introduced(phrase: Words) -> Iterator[Words]:
    """Yield each word of a phrase, each two neighbours, and the last word with nothing behind."""
    yield from ((word,) for word in phrase)
    yield from zip(phrase, (*phrase[1:], ""), strict=True)


def _asked(phrase: Words) -> tuple[Words, ...]:
    """Return what may introduce "the X": its first two words, or the first as a phrase's last."""
    return (phrase,) if len(phrase) == 1 else (phrase[:2], (phrase[0], ""))
