import pytest
import torch

from patclaimeval.models.packed.sequences import clear_, drop, survivors


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 0.9])
def test_share_that_drops_out_is_the_rate(rate) -> None:
    torch.manual_seed(0)
    survived = -survivors((500, 999), rate)
    assert float(survived.float().mean()) == pytest.approx(1 - rate, abs=0.003)
    # No place of the four that one draw fills is favoured.
    flat = survived.flatten()[: 4 * 124_000].view(-1, 4).float().mean(0)
    assert flat.tolist() == pytest.approx([1 - rate] * 4, abs=0.005)


def test_survivors_are_scaled_and_gradients_follow_them() -> None:
    torch.manual_seed(0)
    states = torch.ones(1000, requires_grad=True)
    found = drop(states, 0.2, training=True)
    found.sum().backward()
    assert set(found.tolist()) == {0.0, 1.25}
    assert states.grad is not None
    assert torch.equal(states.grad, found.detach())


def test_nothing_drops_out_while_not_training() -> None:
    states = torch.ones(10)
    assert drop(states, 0.5, training=False) is states
    assert drop(states, 0.0, training=True) is states


def test_seed_repeats_what_drops_out() -> None:
    found = []
    for _ in range(2):
        torch.manual_seed(7)
        found.append(survivors((100,), 0.5))
    assert torch.equal(*found)
    assert not torch.equal(found[0], survivors((100,), 0.5))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_survivors_keep_their_bits_and_others_are_zero(dtype) -> None:
    states = torch.randn(40, 50, dtype=dtype)
    stay = survivors((40, 50), 0.3)
    wanted = torch.where(stay == -1, states, torch.zeros_like(states))
    assert set(stay.flatten().tolist()) == {0, -1}
    assert torch.equal(clear_(states.clone(), stay), wanted)
