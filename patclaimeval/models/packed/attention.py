"""Attention over packed sequences: block by block, fused, or flash; chosen once for a device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from patclaimeval.models.packed.sequences import Block, Reach, Spans, clear_, survivors

BLOCK: Final = 128
"""Queries of a block: its scores of all heads then stay in the processor's cache."""


def banded_attention(qkv: Tensor, spans: Spans, reach: Reach, rate: float = 0.0) -> Tensor:
    """Attend within each sequence; shapes and meaning as ``dense.sequence_attention``.

    PyTorch's fused operation has no dropout on a CPU and computes all scores of a window's mask;
    here only a window's own are made.
    """
    found: Tensor = _Banded.apply(qkv, spans, reach, rate)
    return found


class _Banded(torch.autograd.Function):
    """Softmax(q kᵀ / sqrt(d) + bias), some of it dropped, times v; of [T, 3, heads, d].

    Kept for the gradient are the weights, of which none is negative: those that dropped out get a
    minus, so that one number tells both.
    """

    @staticmethod
    def forward(ctx: Any, qkv: Tensor, spans: Spans, reach: Reach, rate: float) -> Tensor:
        """Return [T, heads, d]."""
        found = qkv.new_empty(qkv.shape[0], *qkv.shape[2:])
        inputs = [qkv[rows].permute(1, 2, 0, 3).contiguous() for rows in spans.slices()]
        kept: list[Tensor] = []
        for rows, own in zip(spans.slices(), inputs, strict=True):
            q, k, v = own
            for block in reach.blocks(q.shape[1], BLOCK, whole=False):
                weights = used = _weights(q, k, block)
                if rate:
                    used = clear_(weights.clone(), survivors(tuple(weights.shape), rate))
                    weights = torch.add(weights.neg_(), used, alpha=2)
                kept.append(weights)
                out = torch.bmm(used, block.select(v))
                found[rows][block.rows.start : block.rows.stop] = out.transpose(0, 1)
        ctx.save_for_backward(*inputs, *kept)
        ctx.settings = spans, reach, rate
        return found.mul_(1 / (1 - rate)) if rate else found

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradient of the queries, keys and values."""
        spans, reach, rate = ctx.settings
        count = len(spans.lengths)
        inputs, kept = ctx.saved_tensors[:count], iter(ctx.saved_tensors[count:])
        heads, _, size = inputs[0].shape[1:]
        found = gradients[0].new_empty(sum(spans.lengths), 3, heads, size)
        for rows, own in zip(spans.slices(), inputs, strict=True):
            towards = (gradients[0][rows] / (1 - rate)).transpose(0, 1).contiguous()
            # Windows overlap: a key's parts are added up in 32 bits.
            total = torch.zeros(own.shape, dtype=torch.promote_types(own.dtype, torch.float32))
            for block in reach.blocks(own.shape[2], BLOCK, whole=False):
                _add_gradient(total, own, block, towards, next(kept))
            found[rows] = total.permute(2, 0, 1, 3)
        return found, None, None, None


def _weights(q: Tensor, k: Tensor, block: Block) -> Tensor:
    """Return the block's attention weights before dropout, shape [heads, rows, keys]."""
    own, keys = q[:, block.rows.start : block.rows.stop], block.select(k).transpose(1, 2)
    scale = q.shape[-1] ** -0.5
    bias = block.bias(q.dtype)
    if bias is None:
        return (torch.bmm(own, keys) * scale).softmax(-1)
    # Adding in the product's own pass: the sum is rounded once.
    return torch.baddbmm(bias.expand(len(q), -1, -1), own, keys, alpha=scale).softmax(-1)


def _add_gradient(
    total: Tensor, inputs: Tensor, block: Block, towards: Tensor, kept: Tensor
) -> None:
    """Add to ``total`` [3, heads, length, d] what the block's outputs hand back."""
    q, k, v = inputs
    own, place = towards[:, block.rows.start : block.rows.stop], block.rows
    _spread(total[2], block, torch.bmm(kept.relu().transpose(1, 2), own))
    # Where a weight dropped out, or was 0 all along, nothing flows back to it.
    slope = torch.bmm(own, block.select(v).transpose(1, 2))
    slope = torch.ops.aten.threshold_backward(slope, kept, 0)
    slope = torch._softmax_backward_data(slope, kept.abs(), -1, kept.dtype)
    scale = q.shape[-1] ** -0.5
    total[0][:, place.start : place.stop] = torch.bmm(slope, block.select(k)) * scale
    queries = q[:, place.start : place.stop]
    _spread(total[1], block, torch.bmm(slope.transpose(1, 2), queries) * scale)


def _spread(total: Tensor, block: Block, found: Tensor) -> None:
    """Add gradients of a block's keys (or values) where these lie in the sequence."""
    own = found
    if block.first:
        total[:, 0] += found[:, 0]
        own = found[:, 1:]
    total[:, block.keys.start : block.keys.stop] += own


DENSE_BLOCK: Final = 256
"""Queries that share one call where a window hides the rest."""


def sequence_attention(qkv: Tensor, spans: Spans, reach: Reach, rate: float = 0.0) -> Tensor:
    """Attend within each sequence, one at a time: what lies beside it cannot change its result.

    ``qkv`` [T, 3, heads, d] holds queries, keys and values; the result is [T, heads, d]. ``rate``
    is the share of attention weights that drop out.
    """
    found = []
    for rows in spans.slices():
        q, k, v = qkv[rows].unbind(1)
        q, k, v = (part.transpose(0, 1) for part in (q, k, v))
        for block in reach.blocks(q.shape[1], DENSE_BLOCK):
            own = scaled_dot_product_attention(
                q[None, :, block.rows.start : block.rows.stop],
                block.select(k)[None],
                block.select(v)[None],
                attn_mask=block.bias(qkv.dtype),
                dropout_p=rate,
            )
            found.append(own[0].transpose(0, 1))
    return torch.cat(found)


def padded_attention(qkv: Tensor, spans: Spans, reach: Reach, rate: float = 0.0) -> Tensor:
    """Do the same in one call for all sequences, padded to the longest, on any device."""
    q, k, v = (part.transpose(1, 2) for part in spans.padded(qkv).unbind(2))
    everyone = range(spans.width)
    real = spans.real
    seen = reach.mask(everyone, everyone, qkv.device)[None, None] & real[:, None, None]
    # A query past the end sees key 0, or its empty row would turn to NaN and reach the gradient.
    seen = seen | (~real[:, None, :, None] & (torch.arange(spans.width, device=qkv.device) == 0))
    found = scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=rate)
    return spans.unpadded(found.transpose(1, 2))


def flash_attention(qkv: Tensor, spans: Spans, reach: Reach, rate: float = 0.0) -> Tensor:
    """Attend within each sequence; shapes and meaning as ``dense.sequence_attention``.

    The kernel's window cannot hold the first token as well. A second call attends to that key
    alone, both are joined by their log-sum-exp, and the kernel's own backward passes, given the
    joint sums, stay exact.
    """
    found: Tensor = _Flash.apply(qkv, spans, reach, rate)
    return found


class _Flash(torch.autograd.Function):
    """The window by one call of the kernel, the first key by another; of [T, 3, heads, d]."""

    @staticmethod
    def forward(ctx: Any, qkv: Tensor, spans: Spans, reach: Reach, rate: float) -> Tensor:
        """Return [T, heads, d]."""
        q, k, v = qkv.unbind(1)
        out, sums, state = run_kernel(q, k, v, (spans, spans), reach.window, rate)
        ctx.settings = spans, reach.window, rate
        if not reach.first or reach.window is None or reach.window >= spans.longest - 1:
            ctx.save_for_backward(qkv, out, sums, *state)
            return out
        starts = spans.starts.long()
        alone, scores, second = run_kernel(
            q, k[starts], v[starts], (spans, spans.firsts), None, rate
        )
        scores = scores.masked_fill(spans.offsets <= reach.window, float("-inf"))
        # A sigmoid of the difference is the first key's share of both sums.
        share = torch.sigmoid(scores - sums).to(out.dtype).T[..., None]
        out = torch.lerp(out, alone, share)
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(qkv, out, torch.logaddexp(sums, scores), *state, *second)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradient of the queries, keys and values."""
        qkv, out, sums, *states = ctx.saved_tensors
        spans, window, rate = ctx.settings
        q, k, v = qkv.unbind(1)
        towards = gradients[0].contiguous()
        parts = run_kernel_backward(
            towards, (q, k, v), (out, sums), (spans, spans), window, rate, states[:2]
        )
        found = torch.stack(parts, dim=1)
        if states[2:]:
            starts = spans.starts.long()
            # An infinite sum leaves no weight to keys that the window held already.
            far = sums.masked_fill(spans.offsets <= window, float("inf"))
            dq, *rest = run_kernel_backward(
                towards, (q, k[starts], v[starts]), (out, far), (spans, spans.firsts), None, rate,
                states[2:],
            )  # fmt: skip
            found[:, 0] += dq
            found[:, 1:].index_add_(0, starts, torch.stack(rest, dim=1))
        return found, None, None, None


Saved = Sequence[Tensor]
"""The kernel's random state, by which its backward pass drops the same weights."""


def run_kernel(
    q: Tensor, k: Tensor, v: Tensor, spans: tuple[Spans, Spans], window: int | None, rate: float
) -> tuple[Tensor, Tensor, Saved]:
    """Return results [T, heads, d], log-sum-exp [heads, T] and the random state.

    ``spans``: of the queries, and of the keys and values.
    """
    own, keys = spans
    side = -1 if window is None else window
    out, sums, state, unused, _ = torch.ops.aten._flash_attention_forward(
        q, k, v, own.bounds, keys.bounds, own.longest, keys.longest, rate, False, False,
        window_size_left=side, window_size_right=side,
    )  # fmt: skip
    return out, sums, (state, unused)


def run_kernel_backward(
    towards: Tensor,
    inputs: tuple[Tensor, Tensor, Tensor],
    results: tuple[Tensor, Tensor],
    spans: tuple[Spans, Spans],
    window: int | None,
    rate: float,
    saved: Saved,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of ``inputs``, for given results and sums."""
    own, keys = spans
    side = -1 if window is None else window
    found: tuple[Tensor, Tensor, Tensor] = torch.ops.aten._flash_attention_backward(
        towards, *inputs, *results, own.bounds, keys.bounds, own.longest, keys.longest,
        rate, False, *saved, window_size_left=side, window_size_right=side,
    )  # fmt: skip
    return found


Attention = Callable[[Tensor, Spans, Reach, float], Tensor]
"""(qkv [T, 3, heads, d], spans, reach, dropout rate) -> [T, heads, d]."""

_TOLERANCE: Final = 0.02
"""How far results in bfloat16 may lie apart, relative to their size: some of its digits."""


@lru_cache(maxsize=16)
def attention_for(device: str, dtype: torch.dtype, training: bool) -> Attention:
    """Return the attention for a kind of device ('cpu', 'cuda'), float type and purpose.

    On CUDA the flash kernels are taken if they are there and give, on a small example, what the
    padded operation gives: they are reached through operators that PyTorch may still change.
    """
    if device == "cpu":
        return banded_attention if training else sequence_attention
    if dtype == torch.bfloat16 and agrees(flash_attention, padded_attention, device):
        return flash_attention
    return padded_attention


def agrees(one: Attention, other: Attention, device: str) -> bool:
    """Whether two operations run on ``device`` and give the same results and gradients."""
    found = []
    try:
        # The caller may be scoring; gradients are compared all the same.
        with torch.inference_mode(False), torch.enable_grad():
            spans, reach = Spans.of((70, 9), device), Reach(16, first=True)
            draw = torch.Generator().manual_seed(0)
            values = torch.randn((79, 3, 2, 64), generator=draw).to(device, torch.bfloat16)
            towards = torch.randn((79, 2, 64), generator=draw).to(device, torch.bfloat16)
            for attention in (one, other):
                qkv = values.clone().requires_grad_()
                out = attention(qkv, spans, reach, 0.0)
                found.append((out.detach(), *torch.autograd.grad(out, qkv, towards)))
    except (RuntimeError, AttributeError, TypeError, IndexError):
        return False
    return all(_close(mine, theirs) for mine, theirs in zip(*found, strict=True))


def _close(one: Tensor, other: Tensor) -> bool:
    error = (one.float() - other.float()).norm() / other.float().norm()
    return bool(error < _TOLERANCE)
