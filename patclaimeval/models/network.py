"""The networks, a linear head with a sigmoid alone or on an encoder, and their margin loss."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from patclaimeval.models.data import Pair
from patclaimeval.models.encoder import Encoder
from patclaimeval.models.features import feature_vector
from patclaimeval.models.ridge import CLIP


def margin_tolerance_loss(
    score_b: Tensor, score_c: Tensor, labels: Tensor, margin: float, tolerance: float
) -> Tensor:
    """Return the loss of each item.

    Inputs: ``score_b``, ``score_c`` scores of shape [n] in (0, 1); ``labels`` shape [n] with
    values 1 (B better), -1 (C better), 0 (equal); ``margin`` m > 0 and ``tolerance`` n >= 0 in
    score units. Output: shape [n], each in [0, 1 + m].
    Formula, with d = s_B - s_C:  y != 0: max(0, m - y d);  y = 0: max(0, |d| - n).
    Source: Jiang, Scherz and Goetz, "Towards Better Evaluation for Generated Patent Claims",
    ACL 2025, section 4. Swapping B and C and the sign of y changes nothing.
    """
    difference = score_b - score_c
    decided = (margin - labels * difference).clamp_min(0)
    tied = (difference.abs() - tolerance).clamp_min(0)
    return decided.where(labels != 0, tied)


GPU_TOKENS = 262_144
"""Tokens that run at once on a GPU while nothing is trained."""


class LinearHead(nn.Module):
    """s = sigmoid(w·z + b) with z = clip((h - centre) * scale) for feature vectors h."""

    centre: Tensor
    scale: Tensor

    def __init__(self, size: int, *, clip: float = CLIP) -> None:
        """Make a head for vectors of ``size`` numbers: weights 0, no standardisation yet."""
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(size))
        self.bias = nn.Parameter(torch.zeros(()))
        self.clip = clip
        self.register_buffer("centre", torch.zeros(size))
        self.register_buffer("scale", torch.ones(size))

    def standardise(self, vectors: Tensor) -> Tensor:
        """Return the vectors, shape [..., size], as the weights see them."""
        return ((vectors - self.centre) * self.scale).clamp(-self.clip, self.clip)

    def forward(self, vectors: Tensor) -> Tensor:
        """Return scores in (0, 1), shape [...], for vectors of shape [..., size]."""
        return torch.sigmoid(self.standardise(vectors) @ self.weight + self.bias)


def features_of(pair: Pair) -> Tensor:
    """Return the probe's features of a pair as a head takes them, shape [size]."""
    return torch.tensor(feature_vector(*pair), dtype=torch.float32)


class PairScorer(nn.Module):
    """The paper's network: encode [P;Q], pool, and apply the head; ``extra`` numbers may join."""

    def __init__(self, encoder: Encoder, head: LinearHead, pooling: str) -> None:
        """Join an encoder with a head of its width plus the number of extra features."""
        super().__init__()
        self.encoder = encoder
        self.head = head
        self.pooling = pooling

    def forward(self, pairs: Sequence[Pair], extra: Tensor) -> Tensor:
        """Return scores in (0, 1), shape [n], of n pairs with extra features of shape [n, k].

        While training the pairs run together: their number is the caller's decision on memory.
        Otherwise each runs by itself, so that no score depends on the company, except on a GPU,
        which would stand idle: there they share a budget of tokens.
        """
        alone = self.head.weight.device.type == "cpu"
        budget = None if self.training else 0 if alone else GPU_TOKENS
        pooled = self.encoder.pooled_pairs(pairs, self.pooling, token_budget=budget)
        return self.head(torch.cat([extra.to(pooled.device), pooled], dim=1))
