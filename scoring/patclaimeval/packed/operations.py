"""Which attention operation runs where: chosen once for a device, a precision and a purpose."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

import torch
from torch import Tensor

from scoring.patclaimeval.packed.banded import banded_attention
from scoring.patclaimeval.packed.dense import padded_attention, sequence_attention
from scoring.patclaimeval.packed.flash import flash_attention
from scoring.patclaimeval.packed.reach import Reach
from scoring.patclaimeval.packed.sequences import Spans

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
