"""Which attention operation runs where: chosen once for a device, a precision and a purpose."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import torch
from torch import Tensor

from scoring.patclaimeval.packed.banded import banded_attention
from scoring.patclaimeval.packed.dense import padded_attention, sequence_attention
from scoring.patclaimeval.packed.reach import Reach
from scoring.patclaimeval.packed.sequences import Spans

Attention = Callable[[Tensor, Spans, Reach, float], Tensor]
"""(qkv [T, 3, heads, d], spans, reach, dropout rate) -> [T, heads, d]."""


@lru_cache(maxsize=16)
def attention_for(device: str, dtype: torch.dtype, training: bool) -> Attention:
    """Return the attention for a kind of device ('cpu', 'cuda'), float type and purpose."""
    if device != "cpu":
        return padded_attention
    return banded_attention if training else sequence_attention
