"""Attention by PyTorch's fused operation: block by block on a CPU, padded with a mask anywhere."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from scoring.patclaimeval.packed.reach import Reach
from scoring.patclaimeval.packed.sequences import Spans

BLOCK: Final = 256
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
        for block in reach.blocks(q.shape[1], BLOCK):
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
    rows, real = spans.padded_rows()
    q, k, v = (part.transpose(1, 2) for part in qkv[rows].unbind(2))
    everyone = range(spans.longest)
    seen = reach.mask(everyone, everyone, qkv.device)[None, None] & real[:, None, None]
    # A query past the end sees key 0, or its empty row would turn to NaN and reach the gradient.
    seen = seen | (~real[:, None, :, None] & (torch.arange(spans.longest, device=qkv.device) == 0))
    found = scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=rate)
    return found.transpose(1, 2)[real]
