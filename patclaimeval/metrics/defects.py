"""Formal defects of a candidate, as a score that reads no reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from patclaimeval.claims.antecedents import count_antecedents
from patclaimeval.claims.languages import is_read_as_english
from patclaimeval.claims.parsing import VAGUE_WORDS, parse_claims
from patclaimeval.claims.tree import build_tree
from patclaimeval.metrics.base import NOTHING, Missing, Needs, Pair, Score
from patclaimeval.metrics.languages import score_by_language

NO_CLAIMS: Final = "The candidate has no claim to look for defects in."


@dataclass(frozen=True, slots=True)
class Defects:
    """How free of formal defects a candidate is; the reference is not read.

    Formula: 1 / (1 + d / n) for n claims, with d the definite terms without basis, the faults
    of claim numbers and citations, and the vague words. A candidate without words is Missing.
    Source: our own; the counts are those that the pages show beside a claim set.
    """

    name: str = "defects"
    version: str = "2, antecedents on every path, numbers and citations, vague words"
    low: float = 0.0
    high: float | None = 1.0
    needs: Needs = NOTHING

    def reading(self, language: str) -> str | None:
        return "" if is_read_as_english(language) else None

    def score(self, pairs: Sequence[Pair]) -> list[Score]:
        """Score n pairs. Output: n numbers in (0, 1], or Missing for a text without words."""
        return score_by_language(self, pairs, lambda language, some: _scores(some))


def _scores(pairs: Sequence[Pair]) -> list[Score]:
    known: dict[str, Score] = {}
    for pair in pairs:
        if pair.candidate not in known:
            known[pair.candidate] = _score(pair.candidate)
    return [known[pair.candidate] for pair in pairs]


def _score(text: str) -> Score:
    claims = [claim for claim in parse_claims(text) if any(map(str.isalpha, claim.text))]
    if not claims:
        return Missing(NO_CLAIMS)
    return 1 / (1 + count_defects(text) / len(claims))


def count_defects(text: str) -> int:
    """Count the formal defects of a claim set; see `Defects`. Output: a whole number >= 0."""
    faults = build_tree(parse_claims(text)).faults
    return count_antecedents(text)[1] + len(faults) + len(VAGUE_WORDS.findall(text))
