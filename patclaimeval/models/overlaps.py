"""The n-gram metrics on the items of a training: a model that does not lead has learnt no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from patclaimeval.claims.languages import pair_language
from patclaimeval.metrics.base import Metric, Missing, Pair
from patclaimeval.metrics.ngram import NGRAM
from patclaimeval.metrics.rouge import rouge_l, rouge_n, rouge_tokens
from patclaimeval.models.data import Quadruplet, distinct_pairs

ROUGE: Final[dict[str, Callable[[list[str], list[str]], float]]] = {
    "rouge-1": lambda left, right: rouge_n(left, right, 1)[2],
    "rouge-2": lambda left, right: rouge_n(left, right, 2)[2],
    "rouge-l": lambda left, right: rouge_l(left, right)[2],
}
"""F-measures of two token lists, in [0, 1], which need no library."""
MOST_KNOWN: Final = 8192
"""Pairs whose scores stay known while the process runs: five criteria ask for the same ones."""


def overlap_differences(items: Sequence[Quadruplet]) -> dict[str, NDArray[np.float64]]:
    """Return s(A, B) - s(A, C) of n items by n-gram metric, in the order of NGRAM, shape [n] each.

    A metric whose library is not installed, or that cannot score one of the pairs, is left out.
    """
    pairs = distinct_pairs(items)
    found = {}
    for name in NGRAM:
        try:
            scores = {pair: _score(name, *pair) for pair in pairs}
        except ModuleNotFoundError:
            continue
        known = {pair: one for pair, one in scores.items() if not isinstance(one, Missing)}
        if len(known) == len(pairs):
            both = [[known[pair] for pair in item.pairs] for item in items]
            left, right = np.array(both, dtype=np.float64).reshape(-1, 2).T
            found[name] = left - right
    return found


@lru_cache(maxsize=len(NGRAM) * MOST_KNOWN)
def _score(name: str, reference: str, candidate: str) -> float | Missing:
    if measure := ROUGE.get(name):
        language = pair_language(reference, candidate) or ""
        return measure(_tokens(reference, language), _tokens(candidate, language))
    (score,) = _metric(name).score([Pair(reference, candidate)])
    return score


@lru_cache(maxsize=MOST_KNOWN)
def _tokens(text: str, language: str) -> list[str]:
    return rouge_tokens(text, language)


@lru_cache
def _metric(name: str) -> Metric:
    return NGRAM[name].make()
