"""The fine-tuning loop: the encoder itself learns, by the paper's loss, keeping its best epoch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from scoring.patclaimeval.agreement import tau_b
from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Pair, Quadruplet, batches, distinct_pairs
from scoring.patclaimeval.errors import TrainingFailed
from scoring.patclaimeval.loss import margin_tolerance_loss
from scoring.patclaimeval.network import PairScorer

HEAD_LEARNING_RATE: Final = 1e-3
"""For a head that starts at random: at an encoder's rate it would not move within an epoch."""
GRADIENT_CLIP: Final = 1.0

Extra = Callable[[Sequence[Pair]], Tensor]
OnStep = Callable[[int, int, int, float, float | None], None]


@dataclass(frozen=True)
class Tuned:
    """What the loop did: epochs run, the kept epoch, and one row per epoch."""

    epochs_run: int
    best_epoch: int
    history: list[dict[str, Any]]


def finetune(
    network: PairScorer,
    extra: Extra,
    training: Sequence[Quadruplet],
    validation: Sequence[Quadruplet],
    settings: TrainingSettings,
    on_step: OnStep,
) -> Tuned:
    """Train ``network`` in place and leave it with the weights of its best epoch.

    Best is the highest tau-b of score differences on ``validation``, the earlier of equal ones;
    without a defined tau the last epoch is kept. ``extra`` gives features [n, k] beside the
    encoder's. ``on_step(epoch, step, steps, loss, tau)`` may raise to stop. Draws from torch's
    global generator (dropout): the caller seeds it.
    """
    assert settings.epochs is not None
    optimiser = torch.optim.AdamW(_groups(network, settings))
    best: tuple[float, int, dict[str, Tensor]] | None = None
    history: list[dict[str, Any]] = []
    tau: float | None = None
    plan = [list(_epoch(training, settings, epoch)) for epoch in range(settings.epochs)]
    steps, step = sum(map(len, plan)), 0
    for epoch, parts in enumerate(plan, start=1):
        network.train()
        losses = []
        for part in parts:
            step += 1
            losses.append(_step(network, extra, part, settings, optimiser, step))
            on_step(epoch, step, steps, losses[-1], tau)
        tau = validation_tau(network, extra, validation)
        history.append({"epoch": epoch, "loss": float(np.mean(losses)), "validation_tau": tau})
        on_step(epoch, step, steps, history[-1]["loss"], tau)
        if tau is not None and (best is None or tau > best[0]):
            best = tau, epoch, {k: v.detach().clone() for k, v in network.state_dict().items()}
    if best is not None:
        network.load_state_dict(best[2])
    network.eval()
    return Tuned(settings.epochs, best[1] if best else settings.epochs, history)


def score_differences(
    network: PairScorer, extra: Extra, items: Sequence[Quadruplet]
) -> NDArray[np.float64]:
    """Return s_B - s_C of each item, shape [n], encoding each distinct pair once."""
    network.eval()
    pairs = distinct_pairs(items)
    scores = {}
    with torch.inference_mode():
        for pair in pairs:
            scores[pair] = float(network([pair], extra([pair]))[0])
    return np.array([scores[item.pairs[0]] - scores[item.pairs[1]] for item in items])


def validation_tau(network: PairScorer, extra: Extra, items: Sequence[Quadruplet]) -> float | None:
    """Return tau-b of score differences with labels; None where undefined."""
    if not items:
        return None
    labels = np.array([item.y for item in items], dtype=np.float64)
    return tau_b(score_differences(network, extra, items), labels)


def _epoch(training: Sequence[Quadruplet], settings: TrainingSettings, epoch: int) -> Any:
    return batches(training, settings.batch_size, settings.batching, settings.seed, epoch)


def _groups(network: PairScorer, settings: TrainingSettings) -> list[dict[str, Any]]:
    assert settings.learning_rate is not None and settings.weight_decay is not None
    rate = settings.learning_rate
    # The paper gives one rate for everything; a head fitted by the probe needs no rate of its own.
    own_rate = settings.preset == "paper" or settings.method == "probe-then-finetune"
    common = {"weight_decay": settings.weight_decay}
    return [
        {"params": list(network.encoder.parameters()), "lr": rate, **common},
        {
            "params": list(network.head.parameters()),
            "lr": rate if own_rate else max(rate, HEAD_LEARNING_RATE),
            **common,
        },
    ]


def _step(
    network: PairScorer,
    extra: Extra,
    part: Sequence[Quadruplet],
    settings: TrainingSettings,
    optimiser: torch.optim.Optimizer,
    step: int,
) -> float:
    """Take one optimiser step and return the mean loss of the batch.

    In 'paper' batching gradients are added up quadruplet by quadruplet, which gives the batch's
    gradient with the memory of one; 'by-reference' encodes the batch's distinct pairs at once.
    """
    optimiser.zero_grad()
    total = 0.0
    chunks = [list(part)] if settings.batching == "by-reference" else [[item] for item in part]
    for chunk in chunks:
        pairs = distinct_pairs(chunk)
        place = {pair: i for i, pair in enumerate(pairs)}
        scores = network(pairs, extra(pairs))
        left, right = ([place[item.pairs[side]] for item in chunk] for side in (0, 1))
        labels = torch.tensor([float(item.y) for item in chunk], device=scores.device)
        losses = margin_tolerance_loss(
            scores[left], scores[right], labels, settings.margin, settings.tolerance
        )
        loss = losses.sum() / len(part)
        total += float(loss.detach())
        if not math.isfinite(total):
            raise TrainingFailed(f"The loss became {total} at step {step}; training stopped.")
        loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), GRADIENT_CLIP)
    optimiser.step()
    return total
