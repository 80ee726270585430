"""METEOR with exact and stem matches, by nltk's algorithm and without WordNet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from patclaimeval.claims.languages import is_read_as_english, is_spaceless
from patclaimeval.metrics.base import NOTHING, Needs, Pair, Score, library_version
from patclaimeval.metrics.languages import score_by_language, texts_of
from patclaimeval.metrics.tokens import tokenizer_name, tokenizer_version, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
# By language; rules of suffixes that nltk brings without data.
SNOWBALL: Final = {"de": "german", "fr": "french"}


class NoSynonyms:
    """Stands where nltk wants WordNet and knows no synonym, so that no data file is needed."""

    def synsets(self, word: str) -> list[object]:
        return []


class RememberingStemmer:
    """The stemmer of a language with a cache, because claims repeat their words."""

    def __init__(self, language: str) -> None:
        from nltk.stem.porter import PorterStemmer
        from nltk.stem.snowball import SnowballStemmer

        self.stem: Callable[[str], str]
        if is_read_as_english(language):
            self.stem = lru_cache(maxsize=2**16)(PorterStemmer().stem)
        elif language in SNOWBALL:
            self.stem = lru_cache(maxsize=2**16)(SnowballStemmer(SNOWBALL[language]).stem)
        else:
            self.stem = str


@dataclass(frozen=True, slots=True)
class Meteor:
    """METEOR with alpha .9, beta 3, gamma .5 on lower-cased 13a tokens.

    Formula: F x (1 - gamma x (chunks / matches)^beta) with F = PR / (alpha P + (1 - alpha) R);
    matches are equal words, then words with the same Porter stem; a chunk is a run of matches
    adjacent in both texts. Words with the same meaning but another stem do not match: WordNet
    moves single scores by at most .015 on the published test items and changes no label.
    German and French words are stemmed by Snowball's rules, those of other languages not at all;
    Chinese is cut by sacrebleu's 'zh' tokens, Japanese by characters.
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

    def reading(self, language: str) -> str | None:
        name = tokenizer_name(language)
        if is_read_as_english(language) or name is None:
            return None if name is None else ""
        cut = tokenizer_version(name) if is_spaceless(language) else "13a tokens"
        stems = f"Snowball {SNOWBALL[language]} stems" if language in SNOWBALL else "no stems"
        return f"{cut} lower-cased, {stems}"

    def score(self, pairs: Sequence[Pair]) -> list[Score]:
        """Score n pairs. Output: n numbers in [0, 1]; 0 when no word matches."""
        return score_by_language(self, pairs, self._score)

    def _score(self, language: str, pairs: Sequence[Pair]) -> list[float]:
        from nltk.translate.meteor_score import single_meteor_score

        stemmer, synonyms = RememberingStemmer(language), NoSynonyms()
        tokens = {text: tokens_of(text, language) for text in texts_of(pairs)}
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
