import pytest
import torch
from torch import Tensor

from patclaimeval.models.packed import attention
from patclaimeval.models.packed.attention import (
    agrees,
    attention_for,
    banded_attention,
    flash_attention,
    padded_attention,
    sequence_attention,
)
from patclaimeval.models.packed.sequences import Reach, Spans

LENGTHS = (30, 4, 17)


def plain_forward(
    q: Tensor, k: Tensor, v: Tensor, spans: tuple[Spans, Spans], window: int | None, rate: float
) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor]]:
    """Do what the kernel documents: attention within the window, and its log-sum-exp."""
    scores = _scores(q, k, spans, window)
    weights = scores.softmax(-1)
    stay = _stay(weights, rate)
    out = torch.einsum("hij,jhd->ihd", weights * stay, v.float())
    return out.to(q.dtype), scores.logsumexp(-1), (stay, torch.zeros(1))


def plain_backward(
    towards: Tensor,
    inputs: tuple[Tensor, Tensor, Tensor],
    results: tuple[Tensor, Tensor],
    spans: tuple[Spans, Spans],
    window: int | None,
    rate: float,
    saved: tuple[Tensor, Tensor],
) -> tuple[Tensor, Tensor, Tensor]:
    """Do the kernel's backward pass, which reads weights off the sums that it is given."""
    q, k, v = (part.float() for part in inputs)
    out, sums = results
    stay, _ = saved
    weights = (_scores(q, k, spans, window) - sums[..., None]).exp()
    held = (towards.float() * out.float()).sum(-1).T[..., None]
    slope = weights * (torch.einsum("ihd,jhd->hij", towards.float(), v) * stay - held)
    slope = slope * q.shape[-1] ** -0.5
    dq = torch.einsum("hij,jhd->ihd", slope, k)
    dk = torch.einsum("hij,ihd->jhd", slope, q)
    return dq, dk, torch.einsum("hij,ihd->jhd", weights * stay, towards.float())


def _stay(weights: Tensor, rate: float) -> Tensor:
    return torch.empty_like(weights).bernoulli_(1 - rate) / (1 - rate)


def _scores(q: Tensor, k: Tensor, spans: tuple[Spans, Spans], window: int | None) -> Tensor:
    own, keys = spans
    seen = own.owners[:, None] == keys.owners
    if window is not None:
        seen &= (own.offsets[:, None] - keys.offsets).abs() <= window
    scores = torch.einsum("ihd,jhd->hij", q.float(), k.float()) * q.shape[-1] ** -0.5
    return scores.masked_fill(~seen, float("-inf"))


@pytest.fixture
def _written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "run_kernel", plain_forward)
    monkeypatch.setattr(attention, "run_kernel_backward", plain_backward)


@pytest.mark.usefixtures("_written_out")
@pytest.mark.parametrize("reach", [Reach(), Reach(5), Reach(5, first=True), Reach(40, first=True)])
def test_results_and_gradients_are_those_of_the_fused_operation(reach) -> None:
    draw = torch.Generator().manual_seed(0)
    qkv = torch.randn((sum(LENGTHS), 3, 2, 8), generator=draw).requires_grad_()
    towards = torch.randn((sum(LENGTHS), 2, 8), generator=draw)
    spans = Spans.of(LENGTHS)
    found, wanted = (
        attend(qkv, spans, reach, 0.0) for attend in (flash_attention, sequence_attention)
    )
    assert torch.allclose(found, wanted, atol=1e-5)
    grads = [torch.autograd.grad(out, qkv, towards)[0] for out in (found, wanted)]
    assert torch.allclose(*grads, atol=1e-5)


@pytest.mark.usefixtures("_written_out")
def test_dropped_keys_leave_the_gradient_of_what_was_computed() -> None:
    draw = torch.Generator().manual_seed(0)
    qkv = torch.randn((17, 3, 1, 4), generator=draw).requires_grad_()
    towards = torch.randn((17, 1, 4), generator=draw)

    def result(values: Tensor) -> Tensor:
        torch.manual_seed(3)
        return (flash_attention(values, Spans.of((17,)), Reach(3, first=True), 0.5) * towards).sum()

    (slope,) = torch.autograd.grad(result(qkv), qkv)
    step = torch.randn(qkv.shape, generator=draw)
    with torch.no_grad():
        found = (result(qkv + 1e-2 * step) - result(qkv - 1e-2 * step)) / 2e-2
    assert float(found) == pytest.approx(float((slope * step).sum()), rel=1e-2)


def test_device_without_the_kernel_is_given_the_padded_operation() -> None:
    assert not agrees(flash_attention, padded_attention, "cpu")
    assert agrees(banded_attention, padded_attention, "cpu")
    with torch.inference_mode():
        assert agrees(banded_attention, padded_attention, "cpu")


@pytest.mark.usefixtures("_written_out")
def test_kernel_is_taken_only_if_it_agrees(monkeypatch) -> None:
    assert agrees(flash_attention, padded_attention, "cpu")
    monkeypatch.setattr(
        attention,
        "run_kernel",
        lambda q, k, v, spans, window, rate: plain_forward(q, k, v, spans, 3, rate),
    )
    assert not agrees(flash_attention, padded_attention, "cpu")


def test_choice_is_by_device_precision_and_purpose(monkeypatch) -> None:
    assert attention_for("cpu", torch.bfloat16, True) is banded_attention
    assert attention_for("cpu", torch.float32, False) is sequence_attention
    for works, wanted in ((True, flash_attention), (False, padded_attention)):
        attention_for.cache_clear()
        monkeypatch.setattr(attention, "agrees", lambda *given, works=works: works)
        assert attention_for("cuda", torch.bfloat16, True) is wanted
        assert attention_for("cuda", torch.float32, True) is padded_attention
    attention_for.cache_clear()
