"""Alignment features: how well the tokens of two texts find one another in a frozen encoder."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import normalize

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
