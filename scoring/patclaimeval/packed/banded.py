"""Attention for training on a CPU: written out block by block, so that dropout costs little."""

from __future__ import annotations

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
