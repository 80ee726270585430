"""The optimiser of a fine-tuning: AdamW, its groups of parameters, their rates and decay."""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import nn

from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.network import PairScorer

HEAD_LEARNING_RATE: Final = 1e-3
"""For a head that starts at random: at an encoder's rate it would not move within an epoch."""


def make_optimiser(network: PairScorer, settings: TrainingSettings) -> torch.optim.AdamW:
    """Return AdamW over the network's parameters, each in exactly one group; fused on CUDA.

    Biases and the weights of normalisation layers do not decay, except under the preset 'paper',
    which gives one decay for everything.
    """
    assert settings.learning_rate is not None and settings.weight_decay is not None
    rate = settings.learning_rate
    # The paper gives one rate for everything; a head fitted by the probe needs no rate of its own.
    one_rate = settings.preset == "paper" or settings.method == "probe-then-finetune"
    head_rate = rate if one_rate else max(rate, HEAD_LEARNING_RATE)
    groups: list[dict[str, Any]] = []
    for part, part_rate in ((network.encoder, rate), (network.head, head_rate)):
        decaying, plain = _divided(part)
        if settings.preset == "paper":
            decaying, plain = [*decaying, *plain], []
        for parameters, decay in ((decaying, settings.weight_decay), (plain, 0.0)):
            if parameters:
                groups.append({"params": parameters, "lr": part_rate, "weight_decay": decay})
    return torch.optim.AdamW(groups, fused=settings.device.startswith("cuda"))


def _divided(part: nn.Module) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """Return the parameters that decay, and the biases and normalisation weights."""
    does_decay: dict[nn.Parameter, bool] = {}  # by parameter: a shared one is listed once
    for module in part.modules():
        is_norm = "norm" in type(module).__name__.lower()
        for name, parameter in module.named_parameters(recurse=False):
            does_decay.setdefault(parameter, not is_norm and not name.endswith("bias"))
    return (
        [parameter for parameter, decays in does_decay.items() if decays],
        [parameter for parameter, decays in does_decay.items() if not decays],
    )
