"""The margin and tolerance loss over pairs of scores."""

from __future__ import annotations

from torch import Tensor


def margin_tolerance_loss(
    score_b: Tensor, score_c: Tensor, labels: Tensor, margin: float, tolerance: float
) -> Tensor:
    """Return the loss of each item.

    Inputs: ``score_b``, ``score_c`` scores of shape [n] in (0, 1); ``labels`` shape [n] with
    values 1 (B better), -1 (C better), 0 (equal); ``margin`` m > 0 and ``tolerance`` n >= 0 in
    score units. Output: shape [n], each in [0, 1 + m].
    Formula, with d = s_B - s_C:  y != 0: max(0, m - y d);  y = 0: max(0, |d| - n).
    Source: Jiang, Scherz and Goetz, "Towards Better Evaluation for Generated Patent Claims",
    ACL 2025, section 4. Swapping B and C and the sign of y changes nothing.
    """
    difference = score_b - score_c
    decided = (margin - labels * difference).clamp_min(0)
    tied = (difference.abs() - tolerance).clamp_min(0)
    return decided.where(labels != 0, tied)
