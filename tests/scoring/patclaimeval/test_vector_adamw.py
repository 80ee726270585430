"""Tests of AdamW for one vector."""

from __future__ import annotations

import pytest
import torch

from scoring.patclaimeval.probe import VectorAdamW


@pytest.mark.parametrize("decay", [0.0, 1.0, 48.0])
def test_each_step_gives_the_bits_of_torchs_own(decay: float) -> None:
    random = torch.Generator().manual_seed(0)
    start = torch.randn(461, generator=random)
    ours, theirs = start.clone(), start.clone().requires_grad_()
    optimiser = torch.optim.AdamW([theirs], lr=0.01, weight_decay=decay, foreach=False)
    own = VectorAdamW(ours, 0.01, decay)
    for step in range(300):
        gradient = torch.randn(461, generator=random) * 10.0 ** (step % 7 - 5)
        theirs.grad = gradient.clone()
        optimiser.step()
        own.step(gradient)
        assert torch.equal(ours, theirs), step


def test_the_first_step_is_as_counted_by_hand() -> None:
    weight = torch.tensor([1.0, -2.0])
    VectorAdamW(weight, 0.1, 2.0).step(torch.tensor([0.5, -3.0]))
    # Both moments are those of the gradient itself: the weight goes on by the rate, after a fifth.
    assert weight.tolist() == pytest.approx([0.8 - 0.1, -1.6 + 0.1], abs=1e-6)
