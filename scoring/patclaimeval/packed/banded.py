"""Attention for training on a CPU: written out block by block, so that dropout costs little."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import torch
from torch import Tensor

from scoring.patclaimeval.packed.dropout import clear_, survivors
from scoring.patclaimeval.packed.reach import Block, Reach
from scoring.patclaimeval.packed.sequences import Spans

BLOCK: Final = 128
"""Queries of a block: its scores of all heads then stay in the processor's cache."""


def banded_attention(qkv: Tensor, spans: Spans, reach: Reach, rate: float = 0.0) -> Tensor:
    """Attend within each sequence; shapes and meaning as ``dense.sequence_attention``.

    PyTorch's fused operation has no dropout on a CPU and computes all scores of a window's mask;
    here only a window's own are made, and made again for the gradient rather than kept.
    """
    found: Tensor = _Banded.apply(qkv, spans, reach, rate)
    return found


class _Banded(torch.autograd.Function):
    """Softmax(q kᵀ / sqrt(d) + bias), some of it dropped, times v; of [T, 3, heads, d]."""

    @staticmethod
    def forward(ctx: Any, qkv: Tensor, spans: Spans, reach: Reach, rate: float) -> Tensor:
        """Return [T, heads, d]; what dropped out is kept for the gradient."""
        found = qkv.new_empty(qkv.shape[0], *qkv.shape[2:])
        stay: list[Tensor] = []
        for rows, q, k, v in _sequences(qkv, spans):
            for block in reach.blocks(q.shape[1], BLOCK, whole=False):
                weights = _weights(q, k, block)
                if rate:
                    stay.append(survivors(tuple(weights.shape), rate))
                    clear_(weights, stay[-1])
                out = torch.bmm(weights, block.select(v))
                found[rows][block.rows.start : block.rows.stop] = out.transpose(0, 1)
        ctx.save_for_backward(qkv, *stay)
        ctx.settings = spans, reach, rate
        return found.mul_(1 / (1 - rate)) if rate else found

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradient of the queries, keys and values."""
        qkv, *stay = ctx.saved_tensors
        spans, reach, rate = ctx.settings
        masks = iter(stay)
        found = torch.empty_like(qkv)
        for rows, q, k, v in _sequences(qkv, spans):
            towards = (gradients[0][rows] / (1 - rate)).transpose(0, 1).contiguous()
            # Windows overlap: a key's parts are added up in 32 bits.
            total = torch.zeros((3, *q.shape), dtype=torch.promote_types(q.dtype, torch.float32))
            for block in reach.blocks(q.shape[1], BLOCK, whole=False):
                own = towards[:, block.rows.start : block.rows.stop]
                _add_gradient(total, (q, k, v), block, own, next(masks) if rate else None)
            found[rows] = total.permute(2, 0, 1, 3)
        return found, None, None, None


def _sequences(qkv: Tensor, spans: Spans) -> Iterator[tuple[slice, Tensor, Tensor, Tensor]]:
    """Yield each sequence's rows, queries, keys and values, the latter of [heads, length, d]."""
    for rows in spans.slices():
        q, k, v = qkv[rows].permute(1, 2, 0, 3).contiguous()
        yield rows, q, k, v


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
    total: Tensor,
    inputs: tuple[Tensor, Tensor, Tensor],
    block: Block,
    towards: Tensor,
    stay: Tensor | None,
) -> None:
    """Add to ``total`` [3, heads, length, d] what the block's outputs hand back."""
    q, k, v = inputs
    own, keys, values = q[:, block.rows.start : block.rows.stop], block.select(k), block.select(v)
    weights = _weights(q, k, block)
    used = weights if stay is None else clear_(weights.clone(), stay)
    _spread(total[2], block, torch.bmm(used.transpose(1, 2), towards))
    slope = torch.bmm(towards, values.transpose(1, 2))
    if stay is not None:
        clear_(slope, stay)
    slope = torch._softmax_backward_data(slope, weights, -1, weights.dtype)
    scale = q.shape[-1] ** -0.5
    total[0][:, block.rows.start : block.rows.stop] = torch.bmm(slope, keys) * scale
    _spread(total[1], block, torch.bmm(slope.transpose(1, 2), own) * scale)


def _spread(total: Tensor, block: Block, found: Tensor) -> None:
    """Add gradients of a block's keys (or values) where these lie in the sequence."""
    own = found
    if block.first:
        total[:, 0] += found[:, 0]
        own = found[:, 1:]
    total[:, block.keys.start : block.keys.stop] += own
