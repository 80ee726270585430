import pytest
import torch
from torch import Tensor

from patclaimeval.models.packed import attention
from patclaimeval.models.packed.attention import banded_attention, sequence_attention
from patclaimeval.models.packed.sequences import Reach, Spans
from tests.amounts import tries

REACHES = [Reach(), Reach(5), Reach(5, first=True), Reach(40, first=True)]
reaches = pytest.mark.parametrize("reach", REACHES, ids=str)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "BLOCK", 8)


def inputs(lengths: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Return queries, keys and values of two heads of four numbers."""
    draw = torch.Generator().manual_seed(0)
    found = torch.randn((sum(lengths), 3, 2, 4), generator=draw, dtype=torch.float64)
    return found.to(dtype).requires_grad_()


@reaches
def test_results_and_gradients_are_those_of_the_fused_operation(reach) -> None:
    lengths = (30, 1, 17)
    qkv = inputs(lengths, torch.float64)
    found, wanted = (
        attend(qkv, Spans.of(lengths), reach) for attend in (banded_attention, sequence_attention)
    )
    assert torch.allclose(found, wanted, atol=1e-12)
    towards = torch.randn_like(found)
    grads = [torch.autograd.grad((out * towards).sum(), qkv)[0] for out in (found, wanted)]
    assert torch.allclose(*grads, atol=1e-12)


@pytest.mark.parametrize(
    "is_whole",
    # Along one random direction, or, at a hundred times the cost, number by number.
    [False, pytest.param(True, marks=pytest.mark.exhaustive)],
    ids=["along a line", "number by number"],
)
@reaches
@pytest.mark.parametrize("rate", [0.0, 0.4])
def test_gradients_agree_with_differences(reach, rate, is_whole) -> None:
    def attend(qkv: Tensor) -> Tensor:
        torch.manual_seed(1)  # the same numbers drop out each time
        return banded_attention(qkv, Spans.of((13, 9)), reach, rate)

    assert torch.autograd.gradcheck(attend, inputs((13, 9), torch.float64), fast_mode=not is_whole)


def test_mean_over_what_drops_out_is_the_result_without() -> None:
    count = tries(4000)
    qkv = inputs((20,), torch.float32).detach()
    torch.manual_seed(0)
    with torch.no_grad():
        plain = banded_attention(qkv, Spans.of((20,)), Reach(5))
        drawn = [banded_attention(qkv, Spans.of((20,)), Reach(5), 0.3) for _ in range(count)]
    spread = torch.stack(drawn).std(0)
    assert spread.min() > 0.05
    assert ((torch.stack(drawn).mean(0) - plain).abs() < 5 * spread / count**0.5).all()


def test_bfloat16_is_off_by_its_own_rounding_alone() -> None:
    qkv = inputs((60,), torch.float32)
    half = qkv.detach().bfloat16().requires_grad_()
    spans, reach = Spans.of((60,)), Reach(12, first=True)
    found, wanted = banded_attention(half, spans, reach), banded_attention(qkv, spans, reach)
    assert float((found - wanted).detach().norm() / wanted.detach().norm()) < 0.01
    towards = torch.randn_like(wanted)
    (found.float() * towards).sum().backward()
    (wanted * towards).sum().backward()
    assert half.grad is not None
    assert qkv.grad is not None
    assert float((half.grad - qkv.grad).norm() / qkv.grad.norm()) < 0.02
