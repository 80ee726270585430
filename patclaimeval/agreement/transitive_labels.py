"""Which labels of held-out comparisons follow from training labels by transitivity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Comparison:
    """One label: in `group` (a reference and whose labels) `b` against `c`, y in -1, 0, 1."""

    group: Hashable
    b: Hashable
    c: Hashable
    y: int


def implied_labels(known: Iterable[Comparison], asked: Sequence[Comparison]) -> int:
    """Count the asked labels that follow from the known ones.

    Input: known labels and asked ones, compared within a group only. Output: how many of the asked
    are the one answer that a chain of known comparisons gives: at least as good at each step, and
    better at one step or more for y = 1, equal at every step for y = 0. Where known labels
    contradict each other, chains give several answers, and nothing follows.
    Time grows with the cube of the candidates of a group. Source: transitivity of weak orders.
    """
    by_group: defaultdict[Hashable, list[Comparison]] = defaultdict(list)
    for row in known:
        by_group[row.group].append(row)
    wanted: defaultdict[Hashable, list[Comparison]] = defaultdict(list)
    for row in asked:
        wanted[row.group].append(row)
    return sum(_implied(by_group[group], rows) for group, rows in wanted.items())


def _implied(known: Sequence[Comparison], asked: Sequence[Comparison]) -> int:
    numbers: dict[Hashable, int] = {}
    for row in known:
        for name in (row.b, row.c):
            numbers.setdefault(name, len(numbers))
    reached, strictly = _chains(known, numbers)
    count = 0
    for row in asked:
        b, c = numbers.get(row.b), numbers.get(row.c)
        if b is None or c is None or b == c:
            continue
        answers = {
            sign for sign, first, second in ((1, b, c), (-1, c, b)) if strictly[first, second]
        }
        if not answers and reached[b, c] and reached[c, b]:
            answers = {0}
        count += answers == {row.y}
    return count


def _chains(
    known: Sequence[Comparison], numbers: dict[Hashable, int]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which candidate is reached from which by "at least as good", and by "better"."""
    size = len(numbers)
    reached = np.eye(size, dtype=bool)
    strictly = np.zeros((size, size), dtype=bool)
    for row in known:
        b, c = numbers[row.b], numbers[row.c]
        if row.y >= 0:
            reached[b, c] = True
        if row.y <= 0:
            reached[c, b] = True
        if row.y:
            strictly[(b, c) if row.y > 0 else (c, b)] = True
    for middle in range(size):
        reached |= np.outer(reached[:, middle], reached[middle])
    # A chain is strict when one of its steps is: any way there, one better step, any way on.
    better = reached.astype(np.float64) @ strictly.astype(np.float64) @ reached.astype(np.float64)
    return reached, better > 0
