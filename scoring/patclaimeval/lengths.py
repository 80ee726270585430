"""The lengths of pairs in tokens, and what becomes of pairs over an encoder's limit: never cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from scoring.patclaimeval.data import Pair, Quadruplet, distinct_pairs
from scoring.patclaimeval.encoder import Encoder

MEASURED_AT_ONCE = 64
"""Pairs measured between two chances to stop."""


def too_long(encoder: Encoder, pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    """Return (position, tokens) of each pair that does not fit ``encoder.limit``."""
    known = {pair: encoder.token_count(*pair) for pair in dict.fromkeys(pairs)}
    return [(i, known[pair]) for i, pair in enumerate(pairs) if known[pair] > encoder.limit]


def refusal(named: Sequence[str], limit: int) -> str:
    """Return the sentence that refuses pairs over the limit, with the first ten by name."""
    return f"Nothing is cut: these pairs are longer than {limit} tokens: {_first_ten(named)}."


def measure(
    encoder: Encoder, items: Sequence[Quadruplet], on_step: Callable[[int, int], None]
) -> dict[Pair, int]:
    """Return the tokens of each distinct pair; ``on_step(done, total)`` may raise to stop."""
    pairs = distinct_pairs(items)
    known: dict[Pair, int] = {}
    for done, pair in enumerate(pairs):
        if done % MEASURED_AT_ONCE == 0:
            on_step(done, len(pairs))
        known[pair] = encoder.token_count(*pair)
    return known


def over_limit(
    items: Sequence[Quadruplet], tokens: Mapping[Pair, int], limit: int
) -> tuple[list[Quadruplet], list[str], list[str]]:
    """Divide items by whether both their pairs fit ``limit`` tokens.

    Returns the items that fit, the names of the pairs that do not (each once, with its tokens),
    and the names of the items that do not.
    """
    fitting: list[Quadruplet] = []
    pairs: dict[Pair, str] = {}
    left_out: list[str] = []
    for number, item in enumerate(items, start=1):
        sides = zip("BC", item.pairs, strict=True)
        long = [(side, pair) for side, pair in sides if tokens[pair] > limit]
        for side, pair in long:
            words = f"reference {item.reference_id}, candidate {side} of item {number}"
            pairs.setdefault(pair, f"{words} ({tokens[pair]} tokens)")
        if long:
            left_out.append(f"reference {item.reference_id}, item {number}")
        else:
            fitting.append(item)
    return fitting, list(pairs.values()), left_out


def left_out_warning(named: Sequence[str], limit: int) -> str:
    """Return the sentence about items left out, with the first ten by name."""
    count = "1 item was" if len(named) == 1 else f"{len(named)} items were"
    return (
        f"{count} left out because a pair is longer than {limit} tokens (nothing is cut): "
        f"{_first_ten(named)}."
    )


def _first_ten(named: Sequence[str]) -> str:
    more = f" and {len(named) - 10} more" if len(named) > 10 else ""
    return ", ".join(named[:10]) + more
