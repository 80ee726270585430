"""How long claim texts are: words and claims counted, and the figures that describe the counts.

Standard library only.
"""

import math
import re
from array import array
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from annotator.claims.markers import find_markers

COUNTED_BY: Final = (
    "words: runs of letters and digits, and each character of a script without spaces; claim "
    "numbers count, punctuation does not (the Longformer tokenizer of published figures cuts words "
    "into pieces, so that it counts more)"
)
# Kana, ideographs, Thai, Lao, Burmese, Khmer: no spaces between their words.
_UNSPACED: Final = (
    r"\u0e01-\u0e30\u0e40-\u0e46\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf"
    r"\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
REFERENCE: Final = 1
CANDIDATE: Final = 2
MOST_PARSED: Final = 512
SAMPLED: Final = 128
_ASCII_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_WORD: Final = re.compile(rf"[^\W_{_UNSPACED}]+|[{_UNSPACED}]")


def count_words(text: str) -> int:
    """Count the words of a text as COUNTED_BY says. Input: any text. Output: a count from 0."""
    return len((_ASCII_WORD if text.isascii() else _WORD).findall(text))


def count_claims(text: str) -> int:
    """Count the claims of a claim set, cancelled ones left out.

    Input: any text. Output: a count from 0; a text without numbers is one claim.
    """
    return sum(not mark.is_cancelled for mark in find_markers(text)) or min(1, len(text))


def summary(counts: Counter[int]) -> dict[str, Any]:
    """Describe whole numbers by how often each occurs.

    Input: times by number. Output: `n`, `min`, `max`, `mean`, `median` (of two middle ones their
    mean) and `sd` (over n - 1, as published figures are; None of one number); all but n None
    where there is nothing.
    """
    n = counts.total()
    if not n:
        return {"n": 0} | dict.fromkeys(("min", "max", "mean", "median", "sd"))
    mean = sum(number * times for number, times in counts.items()) / n
    squares = math.fsum(times * (number - mean) ** 2 for number, times in counts.items())
    middle = (_at(counts, (n - 1) // 2) + _at(counts, n // 2)) / 2
    return {
        "n": n,
        "min": min(counts),
        "max": max(counts),
        "mean": mean,
        "median": middle,
        "sd": math.sqrt(squares / (n - 1)) if n > 1 else None,
    }


class LengthCounts:
    """Lengths of distinct texts by what they stand as, fed text by text, no text held.

    Words are counted in every text. Claims take ten times as long to find: above MOST_PARSED
    texts they are counted in SAMPLED or more of those with the least keys, which are digests.
    """

    def __init__(self) -> None:
        self._words = array("L")
        self._roles = bytearray()
        self._claims: dict[int, int] = {}
        self._keys: dict[int, int] = {}
        self._limit = 1 << 64
        self._most = MOST_PARSED

    def has(self, number: int, role: int) -> bool:
        """Say whether a text was counted in this role."""
        return number < len(self._roles) and self._roles[number] & role > 0

    def add(self, number: int, key: int, role: int, text: str) -> None:
        """Count a text: its number (the next free one where it is new), its key, its role."""
        if number < len(self._roles):
            self._roles[number] |= role
            return
        self._words.append(count_words(text))
        self._roles.append(role)
        if key < self._limit:
            self._claims[number], self._keys[number] = count_claims(text), key
            if len(self._claims) > self._most:
                self._thin_out()

    def words(self) -> dict[str, Any]:
        """Describe the words of a text, of a reference and of a candidate."""
        counts = self._by_role(dict(enumerate(self._words)))
        return {name: summary(found) for name, found in counts.items()} | {"counted_by": COUNTED_BY}

    def claims(self) -> dict[str, Any]:
        """Describe the claims in a text, a reference, a candidate; `of` counts all texts."""
        counts = self._by_role(self._claims)
        everything = self._by_role(dict.fromkeys(range(len(self._roles)), 1))
        return {
            name: summary(found) | {"of": everything[name].total()}
            for name, found in counts.items()
        }

    def _by_role(self, values: Mapping[int, int]) -> dict[str, Counter[int]]:
        roles = self._roles
        return {
            "claims": Counter(values.values()),
            **{
                name: Counter(value for n, value in values.items() if roles[n] & role)
                for name, role in (("reference", REFERENCE), ("candidate", CANDIDATE))
            },
        }

    def _thin_out(self) -> None:
        self._most = 2 * SAMPLED
        self._limit = sorted(self._keys.values())[SAMPLED]
        for number in [n for n, key in self._keys.items() if key >= self._limit]:
            del self._claims[number], self._keys[number]


def _at(counts: Counter[int], place: int) -> int:
    """Return the number that stands at a place, from 0, when all are put in order."""
    passed = 0
    for number in sorted(counts):
        passed += counts[number]
        if passed > place:
            return number
    raise IndexError(place)
