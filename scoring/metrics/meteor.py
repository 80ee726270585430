"""METEOR with exact and stem matches, by nltk's algorithm and without WordNet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from scoring.metrics.base import NOTHING, Needs, Pair, library_version
from scoring.metrics.tokens import tokens_13a

if TYPE_CHECKING:
    from collections.abc import Callable

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5


class NoSynonyms:
    """Stands where nltk wants WordNet and knows no synonym, so that no data file is needed."""

    def synsets(self, word: str) -> list[object]:
        return []


class RememberingStemmer:
    """The Porter stemmer with a cache, because claims repeat their words."""

    def __init__(self) -> None:
        from nltk.stem.porter import PorterStemmer

        self.stem: Callable[[str], str] = lru_cache(maxsize=2**16)(PorterStemmer().stem)


@dataclass(frozen=True, slots=True)
class Meteor:
    """METEOR with alpha .9, beta 3, gamma .5 on lower-cased 13a tokens.

    Formula: F x (1 - gamma x (chunks / matches)^beta) with F = PR / (alpha P + (1 - alpha) R);
    matches are equal words, then words with the same Porter stem; a chunk is a run of matches
    adjacent in both texts. Words with the same meaning but another stem do not match: WordNet
    moves single scores by at most .015 on the published test items and changes no label.
    Source: Banerjee and Lavie, 2005; Lavie and Agarwal, 2007; nltk's single_meteor_score.
    """

    name: str = "meteor"
    low: float = 0.0
    high: float | None = 1.0
    needs: Needs = NOTHING

    @property
    def version(self) -> str:
        library = library_version("nltk")
        return f"{library}, 13a tokens lower-cased, exact and stem matches, no WordNet"

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Score n pairs. Output: n numbers in [0, 1]; 0 when no word matches."""
        from nltk.translate.meteor_score import single_meteor_score

        stemmer, synonyms = RememberingStemmer(), NoSynonyms()
        texts = {text for pair in pairs for text in (pair.reference, pair.candidate)}
        tokens = {text: tokens_13a(text) for text in texts}
        return [
            float(
                single_meteor_score(
                    tokens[pair.reference],
                    tokens[pair.candidate],
                    preprocess=str.lower,
                    stemmer=stemmer,
                    wordnet=synonyms,
                    alpha=ALPHA,
                    beta=BETA,
                    gamma=GAMMA,
                )
            )
            for pair in pairs
        ]
