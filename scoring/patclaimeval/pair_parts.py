"""What the features of pairs add to their scores, from a cache: a web process may ask for it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from scoring.patclaimeval.data import Pair
from scoring.patclaimeval.explanation import Parts
from scoring.patclaimeval.pair_scores import PairCache, PairKey, cache_key, pair_key

PARTS_VERSION: Final = "1"
"""Raise it when the parts of unchanged models move: what was cached before is then not used."""


class PartsModel(Protocol):
    """What a model must be able to do: :class:`scoring.patclaimeval.scorer.LinearScorer` does."""

    def parts(self, pairs: Sequence[Pair]) -> Sequence[Parts]:
        """Return the parts of each pair, in the given order."""


class PartsCache(PairCache[str]):
    """Parts as JSON: names of features with numbers."""

    kind = "TEXT"

    @staticmethod
    def is_sound(value: object) -> bool:
        try:
            return isinstance(value, str) and isinstance(json.loads(value), dict)
        except ValueError:
            return False


class CachedParts:
    """The parts of one linear model; it is loaded by the first pair that the cache lacks."""

    def __init__(
        self, load: Callable[[], PartsModel], model_sha256: str, cache: PartsCache
    ) -> None:
        """``model_sha256``: digest of the model's manifest (64 hex digits)."""
        self._load = load
        self._sha256 = parts_key(model_sha256)
        self._cache = cache

    def known(self, pairs: Sequence[Pair]) -> list[Parts] | None:
        """Return the parts of all pairs if the cache has every one; None otherwise."""
        keys = [pair_key(pair) for pair in pairs]
        found = self._cache.get(self._sha256, list(dict.fromkeys(keys)))
        return [json.loads(found[key]) for key in keys] if set(keys) <= set(found) else None

    def find(self, pairs: Sequence[Pair], check: Callable[[], None] = lambda: None) -> list[Parts]:
        """Return the parts of each pair, in the given order; raises what loading raises.

        ``check`` is called after each pair that the cache lacks, and may raise to stop.
        """
        texts: dict[PairKey, Pair] = {pair_key(pair): pair for pair in pairs}
        found = self._cache.get(self._sha256, [*texts])
        lacking = [key for key in texts if key not in found]
        if lacking:
            model = self._load()
            fresh = {}
            for key in lacking:
                (fresh[key],) = map(json.dumps, model.parts([texts[key]]))
                check()
            self._cache.put(self._sha256, fresh)
            found |= fresh
        return [json.loads(found[pair_key(pair)]) for pair in pairs]


def parts_key(model_sha256: str) -> str:
    """Return what the cache knows a model by, 64 hex digits."""
    return hashlib.sha256(f"parts {PARTS_VERSION} {cache_key(model_sha256)}".encode()).hexdigest()
