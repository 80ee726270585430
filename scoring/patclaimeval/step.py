"""One optimiser step: forward, loss, backward, clip, update, without waiting for the device."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import torch
from torch import Tensor

from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Pair, Quadruplet, distinct_pairs
from scoring.patclaimeval.errors import TrainingFailed
from scoring.patclaimeval.loss import margin_tolerance_loss
from scoring.patclaimeval.network import PairScorer

GRADIENT_CLIP: Final = 1.0

Extra = Callable[[Sequence[Pair]], Tensor]


def take_step(
    network: PairScorer,
    extra: Extra,
    chunks: Sequence[Sequence[Quadruplet]],
    settings: TrainingSettings,
    optimiser: torch.optim.Optimizer,
) -> Tensor:
    """Take one step on a batch; return its mean loss and its gradient's length, shape [2].

    ``chunks`` are the parts of the batch that are encoded at once: gradients add up over them,
    so that they are the batch's, in the memory of one part. Each distinct pair of a part is
    encoded once. The result stays on the device: reading it is what would wait.
    """
    optimiser.zero_grad(set_to_none=True)
    size = sum(map(len, chunks))
    total: Tensor | None = None
    for chunk in chunks:
        loss = batch_losses(network, extra, chunk, settings).sum() / size
        loss.backward()
        total = loss.detach() if total is None else total + loss.detach()
    assert total is not None
    length = torch.nn.utils.clip_grad_norm_(network.parameters(), GRADIENT_CLIP)
    optimiser.step()
    return torch.stack([total, length.to(total.device)])


def batch_losses(
    network: PairScorer, extra: Extra, items: Sequence[Quadruplet], settings: TrainingSettings
) -> Tensor:
    """Return the loss of each item, shape [n]; a pair that stands in several is encoded once."""
    pairs = distinct_pairs(items)
    place = {pair: i for i, pair in enumerate(pairs)}
    scores = network(pairs, extra(pairs))
    sides = torch.tensor([[place[item.pairs[side]] for item in items] for side in (0, 1)])
    labels = torch.tensor([float(item.y) for item in items])
    left, right = sides.to(scores.device, non_blocking=True)
    return margin_tolerance_loss(
        scores[left],
        scores[right],
        labels.to(scores.device, non_blocking=True),
        settings.margin,
        settings.tolerance,
    )


def read_steps(results: Sequence[Tensor], last_step: int) -> list[float]:
    """Return the losses of the steps up to ``last_step``, of what ``take_step`` gave for them.

    Raises ``TrainingFailed`` naming the first step whose loss or gradient is not finite.
    """
    if not results:
        return []
    rows = torch.stack(list(results)).tolist()
    for step, (loss, length) in enumerate(rows, start=last_step - len(rows) + 1):
        for name, value in (("loss", loss), ("gradient", length)):
            if not math.isfinite(value):
                raise TrainingFailed(f"The {name} became {value} at step {step}; training stopped.")
    return [loss for loss, _ in rows]
