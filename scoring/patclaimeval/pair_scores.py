"""Scores many pairs with one model: from the cache, each distinct pair once, longest first."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

from scoring.patclaimeval.data import Pair
from scoring.patclaimeval.score_cache import PairKey, ScoreCache, pair_key

TOKEN_BUDGET: Final = 16_384
"""Tokens handed to the model at once, unless a single pair has more."""

PAIRS_A_WRITE: Final = 512
"""So many fresh scores go to the cache in one transaction."""


class PairModel(Protocol):
    """What a model must be able to do: :class:`scoring.patclaimeval.score.Scorer` does."""

    @property
    def limit(self) -> int:
        """The longest pair in tokens."""

    def token_counts(self, pairs: Sequence[Pair]) -> list[int]:
        """Return the length of each pair in tokens."""

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Return s(Q|P) in (0, 1) of each pair, in the given order."""


@dataclass(frozen=True, slots=True)
class PairScore:
    """s(Q|P) in (0, 1), or None with the ``reason`` why the pair is refused."""

    value: float | None
    reason: str = ""


class CachedScorer:
    """One model with its cache; the model is loaded by the first pair that the cache lacks."""

    def __init__(
        self,
        load: Callable[[], PairModel],
        model_sha256: str,
        cache: ScoreCache,
        token_budget: int = TOKEN_BUDGET,
    ) -> None:
        """``model_sha256``: digest of the model's manifest (64 hex digits), the cache's key."""
        self._load = load
        self._sha256 = model_sha256
        self._cache = cache
        self._budget = token_budget

    @cached_property
    def _model(self) -> PairModel:
        return self._load()

    def known(self, pairs: Sequence[Pair]) -> list[PairScore] | None:
        """Return the scores of all pairs if the cache has every one; None otherwise.

        The model is not loaded: a web process may ask.
        """
        keys = [pair_key(pair) for pair in pairs]
        found = self._cache.get(self._sha256, list(dict.fromkeys(keys)))
        return [PairScore(found[key]) for key in keys] if set(keys) <= set(found) else None

    def score(
        self, pairs: Sequence[Pair], on_scored: Callable[[int], None] = lambda count: None
    ) -> list[PairScore]:
        """Return a score, or the refusal, of each pair (reference, candidate), in their order.

        A pair over the model's limit is refused by itself; nothing is cut. ``on_scored`` hears
        after each batch how many further of the given pairs are done, and may raise to stop:
        what was scored by then is in the cache. Raises what loading the model raises.
        """
        keys = [pair_key(pair) for pair in pairs]
        texts = dict(zip(keys, pairs, strict=True))
        found = {
            key: PairScore(value) for key, value in self._cache.get(self._sha256, [*texts]).items()
        }
        on_scored(sum(key in found for key in keys))
        times = {key: 0 for key in texts if key not in found}
        for key in keys:
            if key in times:
                times[key] += 1
        # Closed here, so that what was scored is written before anybody hears of an exception.
        with closing(self._fresh({key: texts[key] for key in times})) as batches:
            for fresh in batches:
                found |= fresh
                on_scored(sum(times[key] for key in fresh))
        return [found[key] for key in keys]

    def _fresh(self, texts: dict[PairKey, Pair]) -> Generator[dict[PairKey, PairScore]]:
        """Yield the scores of distinct pairs batch by batch, and write them to the cache."""
        if not texts:
            return
        limit = self._model.limit
        tokens = dict(zip(texts, self._model.token_counts([*texts.values()]), strict=True))
        yield {
            key: PairScore(None, _too_long(count, limit))
            for key, count in tokens.items()
            if count > limit
        }
        waiting: dict[PairKey, float] = {}
        try:
            for batch in _batches({k: n for k, n in tokens.items() if n <= limit}, self._budget):
                values = self._model.score([texts[key] for key in batch])
                scored = dict(zip(batch, values, strict=True))
                waiting |= scored
                if len(waiting) >= PAIRS_A_WRITE:
                    self._cache.put(self._sha256, waiting)
                    waiting = {}
                yield {key: PairScore(value) for key, value in scored.items()}
        finally:
            self._cache.put(self._sha256, waiting)


def _batches(tokens: dict[PairKey, int], budget: int) -> Iterator[list[PairKey]]:
    """Yield keys with at most ``budget`` tokens together, or one key; the longest come first.

    What does not fit into memory then shows at once, and not after hours.
    """
    batch: list[PairKey] = []
    size = 0
    for key in sorted(tokens, key=lambda key: -tokens[key]):
        if batch and size + tokens[key] > budget:
            yield batch
            batch, size = [], 0
        batch.append(key)
        size += tokens[key]
    if batch:
        yield batch


def _too_long(tokens: int, limit: int) -> str:
    return f"The pair has {tokens} tokens and the model takes {limit}; nothing is cut."
