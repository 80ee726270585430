"""Verdicts of a scorer that compares two candidates in both orders, as preferences of B over C."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

METHOD: Final = (
    "Of a scorer that compares two candidates: the share of items for which it prefers the same "
    "one, or neither, whichever of the two comes first. Its difference is the mean of both orders, "
    "and 0 where one order prefers B and the other C. Its scatter has a point an item."
)


def preferences(b_first: Floats, c_first: Floats) -> Floats:
    """Return n preferences of B over C, each in [-1, 1]; NaN where a verdict is NaN.

    Input: n verdicts in [-1, 1] with B before C, and n with C before B; above 0 where the candidate
    that came first is the better one.
    Formula: (v(B, C) - v(C, B)) / 2, and 0 where both prefer the one that came first, or both the
    one that came second. Swapping B and C turns the sign, bit for bit.
    """
    return np.where(b_first * c_first > 0, 0.0, (b_first - c_first) / 2)


def order_consistency(b_first: Floats, c_first: Floats) -> dict[str, Any]:
    """Count on how many of n >= 1 items both orders agree.

    Input: as for `preferences`, all finite. Output: JSON-ready: value, the share in [0, 1] of the
    items with sign v(B, C) = -sign v(C, B), and n.
    """
    agrees = np.sign(b_first) == -np.sign(c_first)
    return {"value": float(agrees.mean()), "n": len(agrees)}
