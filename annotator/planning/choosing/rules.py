"""How the control share is drawn, and how it is mixed among what is chosen. Pure."""

import random
from collections.abc import Sequence
from typing import Final, TypeVar

T = TypeVar("T")
BLOCK: Final = 10
"""The share holds after so many references; within them control stands at random places, so that
nobody who counts knows which of them it is."""


def control_count(percent: int, total: int, drawn: int = 0) -> int:
    """Return how many are to be drawn so that the share holds of `total`, `drawn` being there.

    Input: a share in per cent, 0 to 100; counts from 0. Output: ceil(share of the total) less
    what is drawn, at least 0.
    """
    return max(-(-percent * total // 100) - drawn, 0)


def mixed(
    control: Sequence[T],
    chosen: Sequence[T],
    percent: int,
    chance: random.Random,
    before: tuple[int, int] = (0, 0),
) -> list[T]:
    """Return control and chosen in one order, each in its own.

    Input: two sequences; a share in per cent, 0 to 100; `before`: how many references were given
    out already, and how many of them were control. Output: all of both. Of all that is given out
    up to the end of each block, `before` included, at least the share is control, as long as there
    is control enough; what is left of either comes last. Places within a block are drawn.
    """
    given, of_control = before
    found: list[T] = []
    left, rest = list(control), list(chosen)
    while left or rest:
        size = min(BLOCK, len(left) + len(rest))
        wanted = control_count(percent, given + size, of_control)
        count = min(max(wanted, size - len(rest)), size, len(left))
        places = [True] * count + [False] * (size - count)
        chance.shuffle(places)
        found += [(left if is_control else rest).pop(0) for is_control in places]
        given, of_control = given + size, of_control + count
    return found
