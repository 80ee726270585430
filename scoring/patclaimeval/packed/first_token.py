"""Longformer's global attention: the first token sees every key, through weights of its own."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from scoring.patclaimeval.packed.dropout import drop
from scoring.patclaimeval.packed.sequences import Spans


def first_token_attention(
    states: Tensor, spans: Spans, attention: nn.Module, heads: int, rate: float
) -> Tensor:
    """Return what each sequence's first token attends to, shape [n, width], of states [T, width].

    With one query a sequence, q·(K x + b) is (Kᵀq)·x + q·b and the sum of weights times (V x + b)
    is V times the weighted sum of x: the two projections of every token are never made. In 32-bit
    floats whatever the states are in. ``rate`` is the share of weights that drop out.
    """
    rows, real = spans.padded_rows()
    x = states[rows].float()
    query, key, value = (getattr(attention, f"{name}_global") for name in ("query", "key", "value"))
    width = x.shape[-1]
    size = width // heads
    q = (query(x[:, 0]) / size**0.5).view(-1, heads, size)
    towards = torch.einsum("nhd,hdw->nhw", q, key.weight.view(heads, size, width))
    shift = torch.einsum("nhd,hd->nh", q, key.bias.view(heads, size))
    scores = towards @ x.transpose(1, 2) + shift[..., None]
    weights = scores.masked_fill(~real[:, None], float("-inf")).softmax(-1)
    weights = drop(weights, rate, rate > 0)
    gathered = torch.einsum("nhw,hdw->nhd", weights @ x, value.weight.view(heads, size, width))
    gathered = gathered + weights.sum(-1)[..., None] * value.bias.view(heads, size)
    return gathered.reshape(-1, width).to(states.dtype)
