"""Refuses pairs that are longer than an encoder takes: nothing is ever cut."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.patclaimeval.data import Pair
from scoring.patclaimeval.encoder import Encoder


def too_long(encoder: Encoder, pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    """Return (position, tokens) of each pair that does not fit ``encoder.limit``."""
    known = {pair: encoder.token_count(*pair) for pair in dict.fromkeys(pairs)}
    return [(i, known[pair]) for i, pair in enumerate(pairs) if known[pair] > encoder.limit]


def refusal(named: Sequence[str], limit: int) -> str:
    """Return the sentence that refuses pairs over the limit, with the first ten by name."""
    more = f" and {len(named) - 10} more" if len(named) > 10 else ""
    shown = ", ".join(named[:10])
    return f"Nothing is cut: these pairs are longer than {limit} tokens: {shown}{more}."
