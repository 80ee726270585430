"""In which order references teach a linear model most, from the features of their pairs alone.

The default model's weights are ridge estimates. What it is unsure of in a comparison with group
differences x is the variance x' (D'D + K I)^-1 x, D being the differences that it has labels of.
Labels and scores have no part in it: an order that follows from it tells nothing of either.
Source: sequential D-optimal design, Fedorov, "Theory of Optimal Experiments", 1972; with a prior,
Chaloner and Verdinelli, Statistical Science 10(3), 1995.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Matrix = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a reference teaches: how many comparisons, and the mean of x x' over them, [g, g]."""

    comparisons: int
    mean: Matrix


def lesson_of(scores: Matrix) -> Lesson:
    """Return what a reference teaches whose n candidates have these group scores, shape [n, g].

    Every two candidates are one comparison. With fewer than two it teaches nothing.
    """
    n = len(scores)
    if n < 2:
        return Lesson(0, np.zeros((scores.shape[1],) * 2))
    # Over all pairs, x x' sums up to n times the squares around the mean.
    around = scores - scores.mean(axis=0)
    return Lesson(n * (n - 1) // 2, 2 / (n - 1) * (around.T @ around))


def teaching_order(
    lessons: Sequence[Lesson], rated: Sequence[Lesson], strength: float
) -> list[int]:
    """Return the places of ``lessons``, what teaches most first.

    Input: what references teach that wait, and that are rated or being rated; the strength K of
    the model's prior, > 0. Output: each place once; first the reference whose comparisons the model
    is least sure of in the mean, knowing what is rated; then again, as if that one were rated, too.
    Of equal ones the earlier comes first. The same inputs give the same order.
    """
    if not lessons:
        return []
    known = strength * np.eye(len(lessons[0].mean))
    for one in rated:
        known = known + one.comparisons * one.mean
    means = np.stack([one.mean for one in lessons])
    is_left = np.ones(len(lessons), dtype=bool)
    order: list[int] = []
    while is_left.any():
        unsure = np.einsum("rij,ij->r", means, np.linalg.inv(known))
        best = int(np.argmax(np.where(is_left, unsure, -1.0)))
        order.append(best)
        is_left[best] = False
        known = known + lessons[best].comparisons * lessons[best].mean
    return order
