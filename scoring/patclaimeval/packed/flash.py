"""Attention on CUDA by PyTorch's flash kernels, which know packed sequences and windows."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from scoring.patclaimeval.packed.reach import Reach
from scoring.patclaimeval.packed.sequences import Spans

Saved = tuple[Tensor, Tensor]


def flash_attention(qkv: Tensor, spans: Spans, reach: Reach, rate: float = 0.0) -> Tensor:
    """Attend within each sequence; shapes and meaning as ``dense.sequence_attention``.

    The kernel's window cannot hold the first token as well. For queries away from it that key is
    added by log-sum-exp, and the kernel's own backward pass, given the joint sums, stays exact.
    """
    found: Tensor = _Flash.apply(qkv, spans, reach, rate)
    return found


class _Flash(torch.autograd.Function):
    """The window by the kernel, and the first key beside it; of [T, 3, heads, d]."""

    @staticmethod
    def forward(ctx: Any, qkv: Tensor, spans: Spans, reach: Reach, rate: float) -> Tensor:
        """Return [T, heads, d]."""
        q, k, v = qkv.unbind(1)
        out, sums, saved = run_kernel(q, k, v, spans, reach, rate)
        far = _away_from_first(spans, reach)
        ctx.settings = spans, reach, rate
        if far is None:
            ctx.save_for_backward(qkv, out, sums, *saved)
            return out
        rows, starts = far
        scale = q.shape[-1] ** -0.5
        scores = (q[rows].float() * k[starts].float()).sum(-1) * scale
        old = sums[:, rows].T
        joint = torch.logaddexp(old, scores)
        stay = _stay(joint, rate)
        share = (scores - joint).exp() * stay
        both = out[rows] * (old - joint).exp()[..., None] + share[..., None] * v[starts]
        out = out.index_copy(0, rows, both.to(out.dtype))
        sums = sums.index_copy(1, rows, joint.T.contiguous())
        ctx.save_for_backward(qkv, out, sums, *saved, rows, starts, scores, stay)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradient of the queries, keys and values."""
        qkv, out, sums, state, unused, *far = ctx.saved_tensors
        spans, reach, rate = ctx.settings
        q, k, v = qkv.unbind(1)
        towards = gradients[0].contiguous()
        parts = run_kernel_backward(
            towards, (q, k, v), (out, sums), spans, reach, rate, (state, unused)
        )
        dq, dk, dv = (part.float() for part in parts)
        if far:
            rows, starts, scores, stay = far
            own = towards[rows].float()
            weights = (scores - sums[:, rows].T).exp()
            held = (own * out[rows]).sum(-1)
            slope = weights * ((own * v[starts]).sum(-1) * stay - held) * q.shape[-1] ** -0.5
            dq.index_add_(0, rows, slope[..., None] * k[starts])
            dk.index_add_(0, starts, slope[..., None] * q[rows])
            dv.index_add_(0, starts, (weights * stay)[..., None] * own)
        return torch.stack([dq, dk, dv], dim=1).to(qkv.dtype), None, None, None


def run_kernel(
    q: Tensor, k: Tensor, v: Tensor, spans: Spans, reach: Reach, rate: float
) -> tuple[Tensor, Tensor, Saved]:
    """Return the window's results [T, heads, d], log-sum-exp [heads, T] and the random state."""
    out, sums, state, unused, _ = torch.ops.aten._flash_attention_forward(
        q, k, v, spans.bounds, spans.bounds, spans.longest, spans.longest, rate, False, False,
        window_size_left=_side(reach), window_size_right=_side(reach),
    )  # fmt: skip
    return out, sums, (state, unused)


def run_kernel_backward(
    towards: Tensor,
    inputs: tuple[Tensor, Tensor, Tensor],
    results: tuple[Tensor, Tensor],
    spans: Spans,
    reach: Reach,
    rate: float,
    saved: Saved,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of ``inputs`` within the window, for given results and sums."""
    found: tuple[Tensor, Tensor, Tensor] = torch.ops.aten._flash_attention_backward(
        towards, *inputs, *results, spans.bounds, spans.bounds, spans.longest, spans.longest,
        rate, False, *saved, window_size_left=_side(reach), window_size_right=_side(reach),
    )  # fmt: skip
    return found


def _side(reach: Reach) -> int:
    return -1 if reach.window is None else reach.window


def _away_from_first(spans: Spans, reach: Reach) -> tuple[Tensor, Tensor] | None:
    """Return the rows whose window leaves their first token out, and its row for each."""
    if not reach.first or reach.window is None or reach.window >= spans.longest - 1:
        return None
    rows, starts, edge = [], [], 0
    for length in spans.lengths:
        rows.append(torch.arange(edge + min(length, reach.window + 1), edge + length))
        starts.append(torch.full_like(rows[-1], edge))
        edge += length
    device = spans.bounds.device
    return torch.cat(rows).to(device), torch.cat(starts).to(device)


def _stay(like: Tensor, rate: float) -> Tensor:
    """Return what first keys' weights are multiplied by: 0 where they drop out."""
    if not rate:
        return torch.ones_like(like)
    return torch.empty_like(like).bernoulli_(1 - rate).div_(1 - rate)
