"""BLEU of one candidate against one reference, by sacrebleu."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from patclaimeval.claims.languages import is_spaceless
from patclaimeval.metrics.base import NOTHING, Needs, Pair, Score, library_version
from patclaimeval.metrics.languages import score_by_language
from patclaimeval.metrics.tokens import tokenizer_name, tokenizer_version


@dataclass(frozen=True, slots=True)
class Bleu:
    """BLEU up to n-grams of `order` tokens (1 to 4).

    Formula: brevity penalty x exp(mean over k = 1..order of ln p_k), where p_k is the share of
    the candidate's k-grams found in the reference, each counted at most as often as it stands
    there; brevity penalty = min(1, exp(1 - reference tokens / candidate tokens)).
    13a tokens, case kept, no smoothing: with no shared k-gram of some length the score is 0.
    Chinese is cut by sacrebleu's 'zh' tokens, Japanese by characters.
    Source: Papineni et al., ACL 2002; Post, WMT 2018 (sacrebleu).
    """

    order: int
    low: float = 0.0
    high: float | None = 1.0
    needs: Needs = NOTHING

    @property
    def name(self) -> str:
        return f"bleu-{self.order}"

    @property
    def version(self) -> str:
        library = library_version("sacrebleu")
        return f"{library}, 13a tokens, case kept, order {self.order}, no smoothing"

    def reading(self, language: str) -> str | None:
        name = tokenizer_name(language)
        return name and tokenizer_version(name) if is_spaceless(language) else ""

    def score(self, pairs: Sequence[Pair]) -> list[Score]:
        """Score n pairs. Output: n shares in [0, 1] (sacrebleu's 0..100 divided by 100)."""
        return score_by_language(self, pairs, self._score)

    def _score(self, language: str, pairs: Sequence[Pair]) -> list[float]:
        from sacrebleu.metrics.bleu import BLEU

        # A corpus of one segment is sentence BLEU without sacrebleu's advice to shorten the
        # order for short texts, which would be another recipe.
        name = tokenizer_name(language)
        bleu = BLEU(max_ngram_order=self.order, smooth_method="none", tokenize=name, force=True)
        return [
            # Rounding in exp(log) can pass 100 by a few units in the last place.
            min(1.0, bleu.corpus_score([pair.candidate], [[pair.reference]]).score / 100)
            for pair in pairs
        ]
