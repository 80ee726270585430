"""SARI: how well a revision keeps, deletes and adds, judged by the granted claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from patclaimeval.claims.languages import is_spaceless
from patclaimeval.metrics.base import DRAFT, Missing, Needs, Pair, Score, library_version
from patclaimeval.metrics.languages import score_by_language, texts_of
from patclaimeval.metrics.rouge import f_measure
from patclaimeval.metrics.tokens import tokenizer_name, tokenizer_version, tokens_of

Ngram = tuple[str, ...]

LONGEST: Final = 4
NO_DRAFT: Final = "SARI compares with the claims before revision, and no draft is known here."


@dataclass(frozen=True, slots=True)
class Sari:
    """SARI of one candidate against its draft and one reference, over 1- to 4-grams.

    Formula: see `sari`. Lower-cased 13a tokens; Chinese is cut by sacrebleu's 'zh' tokens, Japanese
    by characters. A pair without a draft is Missing.
    Source: Xu et al., TACL 2016; the authors' script, in which 0/0 counts as 0.
    """

    name: str = "sari"
    low: float = 0.0
    high: float | None = 1.0
    needs: Needs = DRAFT

    @property
    def version(self) -> str:
        return f"1, {library_version('sacrebleu')} 13a tokens lower-cased, 1- to 4-grams, 0/0 = 0"

    def reading(self, language: str) -> str | None:
        name = tokenizer_name(language)
        return name and tokenizer_version(name) if is_spaceless(language) else ""

    def score(self, pairs: Sequence[Pair]) -> list[Score]:
        """Score n pairs. Output: n shares in [0, 1], or Missing where the draft is not known."""
        return score_by_language(self, pairs, self._score)

    def _score(self, language: str, pairs: Sequence[Pair]) -> list[Score]:
        tokens = {text: tokens_of(text.lower(), language) for text in texts_of(pairs)}
        return [
            Missing(NO_DRAFT)
            if pair.draft is None
            else sari(tokens[pair.draft], tokens[pair.candidate], [tokens[pair.reference]])
            for pair in pairs
        ]


def sari(
    draft: Sequence[str], candidate: Sequence[str], references: Sequence[Sequence[str]]
) -> float:
    """Mean over n = 1..4 of (F of kept + precision of deleted + F of added n-grams) / 3.

    Input: tokens of the draft, of the candidate, and of r >= 1 references. Output: a share in
    [0, 1]. Source: Xu et al., TACL 2016, section 4; kept and deleted n-grams count as often as
    they stand, added ones once.
    """
    parts = [_parts(draft, candidate, references, size) for size in range(1, LONGEST + 1)]
    return sum(map(sum, parts)) / (3 * LONGEST)


def _parts(
    draft: Sequence[str], candidate: Sequence[str], references: Sequence[Sequence[str]], size: int
) -> tuple[float, float, float]:
    """Return the F of kept, the precision of deleted and the F of added n-grams of one size."""
    wanted = sum((_ngrams(reference, size) for reference in references), Counter[Ngram]())
    # As many copies as there are references, so that each reference has its say on each n-gram.
    copies = len(references)
    before = Counter({ngram: count * copies for ngram, count in _ngrams(draft, size).items()})
    after = Counter({ngram: count * copies for ngram, count in _ngrams(candidate, size).items()})
    kept, deleted = before & after, before - after
    kept_rightly = kept & wanted
    precision = _mean_share(kept_rightly, kept)
    recall = _mean_share(kept_rightly, before & wanted)
    keep = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    added, to_add = after.keys() - before.keys(), wanted.keys() - before.keys()
    add = f_measure(len(added & to_add), len(added), len(to_add))[2]
    return keep, _mean_share(deleted - wanted, deleted), add


def _ngrams(tokens: Sequence[str], size: int) -> Counter[Ngram]:
    return Counter(zip(*(tokens[start:] for start in range(size)), strict=False))


def _mean_share(part: Counter[Ngram], whole: Counter[Ngram]) -> float:
    """Mean over the n-grams of `whole` of the share that stands in `part`; 0 for an empty whole."""
    return sum(part[ngram] / count for ngram, count in whole.items()) / len(whole) if whole else 0.0
