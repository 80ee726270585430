"""ROUGE-1, ROUGE-2 and ROUGE-L F-measures by the rules of the rouge-score package."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from rapidfuzz.distance import LCSseq

from patclaimeval.claims.languages import RULE, is_read_as_english, is_spaceless, language_of, words
from patclaimeval.metrics.base import NOTHING, Needs, Pair, Score
from patclaimeval.metrics.languages import score_by_language, texts_of


@dataclass(frozen=True, slots=True)
class Rouge:
    """ROUGE F-measure over n-grams (variant '1' or '2') or the longest common subsequence ('l').

    Formula: F = 2PR / (P + R), where P and R are the shared n-grams (each counted at most as
    often as it stands in both), or the length of the longest common subsequence of tokens,
    divided by the candidate's and the reference's own number; 0 when nothing is shared.
    Tokens are rouge-score's: lower-cased runs of letters a-z and digits, no stemming. In a language
    other than English they are lower-cased runs of any letters and digits; in Chinese and Japanese
    each character is one.
    Source: Lin, 2004; the rouge-score package.
    """

    variant: Literal["1", "2", "l"]
    low: float = 0.0
    high: float | None = 1.0
    needs: Needs = NOTHING

    @property
    def name(self) -> str:
        return f"rouge-{self.variant}"

    @property
    def version(self) -> str:
        # Scores by the rouge-score package, which we used before, are equal and keep counting.
        return "rouge_score 0.1.2, F-measure, no stemmer"

    def reading(self, language: str) -> str | None:
        if is_read_as_english(language):
            return ""
        if not is_spaceless(language):
            return f"words of any letters {RULE}"
        return f"characters {RULE}" if language in ("zh", "ja") else None

    def score(self, pairs: Sequence[Pair]) -> list[Score]:
        """Score n pairs. Output: n shares in [0, 1]."""
        return score_by_language(self, pairs, self._score)

    def _score(self, language: str, pairs: Sequence[Pair]) -> list[float]:
        cut = _english_words if is_read_as_english(language) else words
        tokens = {text: cut(text) for text in texts_of(pairs)}
        measure = rouge_l if self.variant == "l" else partial(rouge_n, order=int(self.variant))
        return [measure(tokens[pair.reference], tokens[pair.candidate])[2] for pair in pairs]


def rouge_tokens(text: str, language: str = "") -> list[str]:
    """Return the tokens of a text as `Rouge` cuts it, in the language of its pair.

    Lower-case runs of letters a-z and digits, as the rouge-score package has them; in other
    languages runs of any letters, or characters.
    """
    if is_read_as_english(language_of(text, language)):
        return _english_words(text)
    return words(text)


def _english_words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


Scores = tuple[float, float, float]


def f_measure(hits: float, candidate: float, reference: float) -> Scores:
    """Return precision hits/candidate, recall hits/reference and F = 2PR/(P+R); 0 for 0/0."""
    precision = hits / candidate if candidate else 0.0
    recall = hits / reference if reference else 0.0
    both = precision + recall
    return precision, recall, (2 * precision * recall / both if both else 0.0)


def rouge_n(reference: Sequence[str], candidate: Sequence[str], order: int) -> Scores:
    """Return ROUGE-N of two token sequences: clipped common n-grams over n-grams (Lin 2004)."""
    left, right = (
        Counter(zip(*(tokens[i:] for i in range(order)), strict=False))
        for tokens in (reference, candidate)
    )
    return f_measure((left & right).total(), right.total(), left.total())


def rouge_l(reference: Sequence[str], candidate: Sequence[str]) -> Scores:
    """Return ROUGE-L of two token sequences from the longest common subsequence (Lin 2004)."""
    return f_measure(LCSseq.similarity(reference, candidate), len(candidate), len(reference))
