"""Reads a claim set's text into claims, dependencies and noun phrases, by rules over its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_MARK = re.compile(r"(?:^|(?<=\s))(\d{1,3})\s*[.)]\s+(?=\S)")
_CITED = re.compile(
    r"\bclaims?\s+(?:any\s+(?:one\s+)?of\s+)?(\d+(?:\s*(?:,|-|to|or|and|through)\s*(?:claims?\s+)?\d+)*)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z0-9]+")
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
# Python refuses to read a number of more than 4,300 digits; no claim has one of 1,000.
_MOST_DIGITS = 1_000
Words = tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """One claim: its ``number``, lower-case ``words``, numbers ``cited``, and its noun phrases.

    ``definite`` holds (phrase, share of the claim read so far) of phrases after "the" or
    "said"; ``phrases`` holds every phrase in order as (is it definite, words).
    """

    number: int
    words: tuple[str, ...]
    cited: tuple[int, ...]
    phrases: tuple[tuple[bool, tuple[str, ...]], ...]


@lru_cache(maxsize=4096)
def read_claims(text: str) -> tuple[Claim, ...]:
    """Split a claim set at its numbers and read each claim.

    A number opens a claim only if it follows on the last one (by at most 3), so a citation such
    as "of claim 1." does not. Text without numbers is one claim with number 1.
    """
    marks: list[tuple[int, int, int]] = []
    last = 0
    opening = len(text) - len(text.lstrip())
    for found in _MARK.finditer(text):
        number = int(found.group(1))
        if last < number <= last + 3 and (marks or found.start() <= opening):
            marks.append((number, found.start(), found.end()))
            last = number
    if not marks:
        return (_read(1, text),)
    ends = [start for _, start, _ in marks[1:]] + [len(text)]
    return tuple(
        _read(number, text[start:end]) for (number, _, start), end in zip(marks, ends, strict=True)
    )


def _read(number: int, body: str) -> Claim:
    cited = {n for found in _CITED.finditer(body) for n in _numbers(found.group(1))}
    if re.search(r"\b(?:preceding|previous|foregoing) claims?\b", body, re.IGNORECASE):
        cited |= set(range(1, number))
    lowered = body.lower()
    return Claim(
        number, tuple(_WORD.findall(lowered)), tuple(sorted(cited)), tuple(_phrases(lowered))
    )


def _numbers(citation: str) -> set[int]:
    parts = [int(n[:_MOST_DIGITS]) for n in re.findall(r"\d+", citation)]
    if re.search(r"-|to|through", citation) and len(parts) == 2 and parts[1] - parts[0] < 100:
        return set(range(parts[0], parts[1] + 1))
    return set(parts)


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

    The numbers of the claims rise. Citations of itself, of later or of missing claims lead nowhere.
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
