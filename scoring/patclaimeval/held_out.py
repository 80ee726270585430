"""Scores held-out items with a network that is being trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from scoring.patclaimeval.agreement import tau_b
from scoring.patclaimeval.data import Pair, Quadruplet, distinct_pairs
from scoring.patclaimeval.network import PairScorer
from scoring.patclaimeval.step import Extra

Parts = Callable[[Sequence[Pair]], Sequence[Sequence[Pair]]]


def one_by_one(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Return each pair as a part of its own."""
    return [[pair] for pair in pairs]


def score_differences(
    network: PairScorer,
    extra: Extra,
    items: Sequence[Quadruplet],
    parts: Parts = one_by_one,
    check: Callable[[], None] = lambda: None,
) -> NDArray[np.float64]:
    """Return s_B - s_C of each item, shape [n], encoding each distinct pair once.

    ``parts`` divides the pairs into those encoded at once; ``check`` is called before each part
    and may raise to stop.
    """
    network.eval()
    scores: dict[Pair, float] = {}
    for part in parts(distinct_pairs(items)):
        check()
        with torch.inference_mode():
            found = network(part, extra(part)).tolist()
        scores.update(zip(part, found, strict=True))
    return np.array([scores[item.pairs[0]] - scores[item.pairs[1]] for item in items])


def validation_tau(
    network: PairScorer,
    extra: Extra,
    items: Sequence[Quadruplet],
    parts: Parts = one_by_one,
    check: Callable[[], None] = lambda: None,
) -> float | None:
    """Return tau-b of score differences with labels; None where undefined."""
    if not items:
        return None
    labels = np.array([item.y for item in items], dtype=np.float64)
    return tau_b(score_differences(network, extra, items, parts, check), labels)
