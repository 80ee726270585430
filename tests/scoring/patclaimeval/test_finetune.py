"""Tests of the fine-tuning step: both ways of batching give the gradient of the batch's loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Pair, Quadruplet
from scoring.patclaimeval.encoder import load_encoder
from scoring.patclaimeval.finetune import _step, score_differences
from scoring.patclaimeval.loss import margin_tolerance_loss
from scoring.patclaimeval.network import LinearHead, PairScorer

Items = list[Quadruplet]


def nothing(pairs: Sequence[Pair]) -> torch.Tensor:
    """No extra features."""
    return torch.zeros((len(pairs), 0))


@pytest.mark.parametrize("batching", ["paper", "by-reference"])
def test_step_follows_the_gradient_of_the_mean_loss(
    batching: str, tiny_bert: Path, quadruplets: Items
) -> None:
    torch.manual_seed(0)
    head = LinearHead(32, clip=1e6)
    torch.nn.init.normal_(head.weight)
    network = PairScorer(load_encoder(str(tiny_bert), max_tokens=200), head, "mean")
    part = quadruplets[:3]
    scores = [network(list(item.pairs), nothing(item.pairs)) for item in part]
    b, c = torch.stack([s[0] for s in scores]), torch.stack([s[1] for s in scores])
    labels = torch.tensor([item.y for item in part])
    expected = margin_tolerance_loss(b, c, labels, 0.2, 0.05).mean()
    wanted = torch.autograd.grad(expected, head.weight)[0]
    settings = TrainingSettings("overall_quality", method="finetune", batching=batching).resolved()
    optimiser = torch.optim.SGD(network.parameters(), lr=0.0)
    loss = _step(network, nothing, part, settings, optimiser, 1)
    assert loss == pytest.approx(float(expected.detach()), abs=1e-6)
    assert head.weight.grad is not None
    # The step clips the gradient's length, so only its direction is to be compared.
    cosine = torch.cosine_similarity(head.weight.grad, wanted, dim=0)
    assert float(cosine) == pytest.approx(1.0, abs=1e-5)


def test_swapped_items_give_opposite_differences(tiny_bert: Path, quadruplets: Items) -> None:
    network = PairScorer(load_encoder(str(tiny_bert), max_tokens=200), LinearHead(32), "cls")
    torch.nn.init.normal_(network.head.weight)
    swapped = [replace(item, b=item.c, c=item.b, y=-item.y) for item in quadruplets]
    straight = score_differences(network, nothing, quadruplets)
    assert straight == pytest.approx(-score_differences(network, nothing, swapped))
    assert abs(straight).max() > 0
