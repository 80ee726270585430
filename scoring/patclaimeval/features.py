"""The probe's feature vectors: which numbers stand where, computing them, and caching them."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import normalize

from core.files import temporary_file
from scoring.patclaimeval.data import Pair
from scoring.patclaimeval.encoder import Encoder
from scoring.patclaimeval.surface import surface_features

PARTS = ("p", "r", "f", "p_low", "r_low", "p_lost", "r_lost")


def alignment_features(
    reference: Sequence[Tensor], candidate: Sequence[Tensor], layers: Sequence[int]
) -> dict[str, float]:
    """Return seven features for each layer from token states of shape [tokens, width].

    With c the cosine of every token pair: precision = mean over candidate tokens of the
    largest c, recall = the same over reference tokens, F their harmonic mean; "low" is the
    10 % quantile of those maxima and "lost" the share below 0.6. Source: greedy matching after
    Zhang et al., BERTScore, ICLR 2020, without idf weights. All in [-1, 1].
    """
    features: dict[str, float] = {}
    for layer, left, right in zip(layers, reference, candidate, strict=True):
        cosines = normalize(left.float(), dim=1) @ normalize(right.float(), dim=1).T
        recalls, precisions = cosines.amax(1), cosines.amax(0)
        recall, precision = recalls.mean(), precisions.mean()
        values = (
            precision,
            recall,
            2 * precision * recall / (precision + recall).clamp_min(1e-6),
            torch.quantile(precisions, 0.1),
            torch.quantile(recalls, 0.1),
            (precisions < 0.6).float().mean(),
            (recalls < 0.6).float().mean(),
        )
        for part, value in zip(PARTS, values, strict=True):
            features[f"align{layer}_{part}"] = float(value)
    return features


Vector = NDArray[np.float32]


class FeatureCache:
    """Vectors under a directory, by key; with no directory it keeps nothing.

    A key is the sha256 of everything that decides a vector, so an entry never goes stale.
    """

    def __init__(self, directory: Path | None) -> None:
        """Use ``directory`` (made when first written), or nothing if None."""
        self.directory = directory

    @staticmethod
    def key(*parts: str) -> str:
        """Return the sha256 of the parts, each with its length in front, in hex."""
        found = hashlib.sha256()
        for part in parts:
            data = part.encode()
            found.update(len(data).to_bytes(8, "big") + data)
        return found.hexdigest()

    def get(self, key: str, size: int) -> Vector | None:
        """Return the vector of ``size`` numbers under ``key``; None if absent or unreadable."""
        if self.directory is None:
            return None
        try:
            with np.load(self._path(key), allow_pickle=False) as stored:
                vector = np.asarray(stored["vector"])
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        good = vector.shape == (size,) and vector.dtype == np.float32 and np.isfinite(vector).all()
        return vector if good else None

    def put(self, key: str, vector: Vector) -> None:
        """Store ``vector`` under ``key``, whole or not at all."""
        if self.directory is None:
            return
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary_file(path.parent) as (stream, temporary):
            np.savez(stream, vector=vector)
            # Not flushed to disk: a damaged entry counts as none and is computed again.
            stream.close()
            temporary.replace(path)

    def _path(self, key: str) -> Path:
        assert self.directory is not None
        return self.directory / key[:2] / f"{key}.npz"


FEATURE_VERSION: Final = "2"
"""Raise it when a feature changes its meaning: cached vectors and old models then do not fit."""

_WORSE: Final = frozenset(
    re.findall(
        r"\w+",
        """order_loss log_length_size compression term_new term_lost term_new_mentions number_new
    log_claims_size phrase_new phrase_lost antecedent_missing_excess
    antecedent_missing_log_excess citation_unknown_excess citation_forward_excess
    vague_excess""",
    )
)
_OPEN: Final = frozenset(
    re.findall(
        r"\w+",
        """log_length log_claims definite_share_excess dependent_share_excess clause_words_excess
    clause_longest_excess word_variety_excess pair_variety_excess phrase_variety_excess
    wherein_excess""",
    )
)
_SURFACE: Final = tuple(surface_features("1. A part.", "1. A part."))

Matrix = NDArray[np.float32]
OnStep = Callable[[int, int], None]


def alignment_layers(layers: int) -> tuple[int, int]:
    """Return the two layers whose states are aligned: the middle and the last (3 and 6 of 6)."""
    return max(1, layers // 2), layers


def surface_matrix(pairs: Sequence[Pair]) -> Matrix:
    """Return the surface features alone, shape [n, number of surface features]."""
    rows = [list(surface_features(*pair).values()) for pair in pairs]
    return np.array(rows, dtype=np.float32).reshape(len(pairs), len(_SURFACE))


def surface_signs() -> NDArray[np.float32]:
    """Return for each surface feature the sign its weight may have; see ``PairFeatures.signs``."""
    return np.array([_sign(name) for name in _SURFACE], dtype=np.float32)


class PairFeatures:
    """Feature vectors of (reference, candidate) pairs from a frozen encoder.

    A vector is: surface features; alignment features of two layers; and |p - q|, where p and q
    are the mean last states of the two texts, each encoded by itself.
    """

    def __init__(self, encoder: Encoder, cache: FeatureCache) -> None:
        """Use ``encoder`` as it stands (it is not trained here) and ``cache`` for vectors."""
        self.encoder = encoder
        self.cache = cache
        self.layers = alignment_layers(encoder.layers)
        aligned = [f"align{layer}_{part}" for layer in self.layers for part in PARTS]
        self.oriented = (*_SURFACE, *aligned)
        self.size = len(self.oriented) + encoder.width

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each number of a vector."""
        return (*self.oriented, *(f"distance{i}" for i in range(self.encoder.width)))

    @property
    def signs(self) -> NDArray[np.float32]:
        """For each number 1 or -1 if more of it can only speak for or against, 0 if either."""
        known = [_sign(name) for name in self.oriented]
        return np.array(known + [0.0] * self.encoder.width, dtype=np.float32)

    def compute(self, pairs: Sequence[Pair], on_step: OnStep = lambda done, of: None) -> Matrix:
        """Return the vectors of the pairs, shape [n, size], from the cache where it has them.

        ``on_step(done, total)`` is called after each pair and may raise to stop.
        """
        rows: dict[Pair, NDArray[np.float32]] = {}
        order = sorted(set(pairs))  # one reference after the other: its states are kept meanwhile
        held: tuple[str, list[torch.Tensor]] = ("", [])
        for done, pair in enumerate(order, start=1):
            key = self.cache.key(FEATURE_VERSION, self.encoder.digest, *pair)
            row = self.cache.get(key, self.size)
            if row is None:
                if held[0] != pair[0]:
                    held = pair[0], self._states(pair[0])
                row = self._vector(pair, held[1])
                self.cache.put(key, row)
            rows[pair] = row
            on_step(done, len(order))
        if not pairs:
            return np.zeros((0, self.size), dtype=np.float32)
        return np.stack([rows[pair] for pair in pairs])

    def _vector(self, pair: Pair, reference: list[torch.Tensor]) -> NDArray[np.float32]:
        candidate = self._states(pair[1])
        aligned = alignment_features(reference, candidate, self.layers)
        named = surface_features(*pair) | aligned
        distance = (reference[-1].mean(0) - candidate[-1].mean(0)).abs().cpu().numpy()
        oriented = np.array([named[name] for name in self.oriented])
        return np.concatenate([oriented, distance]).astype(np.float32)

    def _states(self, text: str) -> list[torch.Tensor]:
        with torch.inference_mode():
            return self.encoder.token_states(text, self.layers)


def _sign(name: str) -> float:
    if name in _OPEN:
        return 0.0
    return -1.0 if name in _WORSE or name.endswith("_lost") else 1.0
