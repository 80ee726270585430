"""Four scorers that read no meaning, so that a report shows what a number is worth."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from patclaimeval.claims.languages import count_words, has_no_blanks, is_spaceless
from patclaimeval.claims.parsing import parse_claims
from patclaimeval.metrics.base import NOTHING, Needs, Pair

CLAIM_NUMBER = re.compile(r"(?:^|(?<=\s))(\d{1,3})\s?[.)]\s")
REFERRING_WORD = re.compile(r"\b(?:claims?|and|or|to|of)\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Identity:
    """1 when the candidate is the reference's own text (white space folded), else 0."""

    name: str = "identity"
    version: str = "1, white space folded"
    low: float = 0.0
    high: float | None = 1.0
    needs: Needs = NOTHING

    def reading(self, language: str) -> str:
        return ""

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Score n pairs. Output: n numbers, each 0 or 1."""
        return [float(pair.reference.split() == pair.candidate.split()) for pair in pairs]


@dataclass(frozen=True, slots=True)
class Length:
    """Number of words in the candidate, of characters where no blanks divide words.

    The reference is not read.
    """

    name: str = "length"
    version: str = "1, words between white space"
    low: float = 0.0
    high: float | None = None
    needs: Needs = NOTHING

    def reading(self, language: str) -> str:
        return "characters" if is_spaceless(language) else ""

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Score n pairs. Output: n whole numbers >= 0."""
        return [float(count_words(pair.candidate)) for pair in pairs]


@dataclass(frozen=True, slots=True)
class ClaimCount:
    """Number of numbered claims in the candidate; the reference is not read."""

    name: str = "claim-count"
    version: str = "1, numbers in sequence"
    low: float = 0.0
    high: float | None = None
    needs: Needs = NOTHING

    def reading(self, language: str) -> str:
        return "claims as they are cut" if is_spaceless(language) else ""

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Score n pairs. Output: n whole numbers >= 0."""
        return [float(count_claims(pair.candidate)) for pair in pairs]


@dataclass(frozen=True, slots=True)
class Random:
    """A number drawn from the seed and both texts, so that it is the same on every run."""

    seed: int = 0
    name: str = "random"
    low: float = 0.0
    high: float | None = 1.0
    needs: Needs = NOTHING

    @property
    def version(self) -> str:
        return f"1, sha256 of seed {self.seed} and texts"

    def reading(self, language: str) -> str:
        return ""

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Score n pairs. Output: n numbers in [0, 1), uniform over texts."""
        texts = (f"{self.seed}\0{pair.reference}\0{pair.candidate}" for pair in pairs)
        digests = (hashlib.sha256(text.encode()).digest() for text in texts)
        # 53 bits fill a float exactly, so that the draw stays below 1.
        return [(int.from_bytes(digest[:8], "big") >> 11) / 2**53 for digest in digests]


def count_claims(text: str) -> int:
    """Count claims by their numbers, each one more than the last, as in '1. A ... 2. The ...'.

    Input: the text of a claim set, with or without line breaks. Output: a whole number >= 0;
    an unnumbered text that is not empty is one claim. A number after 'claim', 'and', 'or', 'to'
    or 'of' is a reference to a claim and begins none. Text in a script without blanks, which has
    none around its numbers, is cut by `parse_claims`.
    """
    if has_no_blanks(text):
        numbered = sum(claim.number is not None for claim in parse_claims(text))
        return numbered or int(bool(text.strip()))
    expected: int | None = None
    count = 0
    for match in CLAIM_NUMBER.finditer(text):
        number = int(match.group(1))
        refers = REFERRING_WORD.search(text, max(0, match.start() - 10), match.start())
        if refers or (expected is not None and number != expected):
            continue
        expected = number + 1
        count += 1
    return count or int(bool(text.strip()))
