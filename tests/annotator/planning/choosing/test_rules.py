"""How many are drawn for the control share, and where they stand among the others."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from annotator.planning.choosing.rules import BLOCK, control_count, mixed

PERCENT = st.integers(10, 90)
COUNT = st.integers(0, 120)


@given(PERCENT, COUNT, st.integers(0, 2**32))
def test_the_share_holds_at_the_end_of_each_block_and_of_all(percent, total, seed) -> None:
    count = control_count(percent, total)
    control = [("control", n) for n in range(count)]
    chosen = [("chosen", n) for n in range(total - count)]
    found = mixed(control, chosen, percent, random.Random(seed))
    assert sorted(found) == sorted([*control, *chosen])
    # Each in its own order.
    assert [one for one in found if one[0] == "control"] == control
    assert [one for one in found if one[0] == "chosen"] == chosen
    for end in (*range(BLOCK, total, BLOCK), total):
        drawn = sum(kind == "control" for kind, _ in found[:end])
        assert 100 * drawn >= percent * end


@given(PERCENT, COUNT, COUNT, st.integers(0, 2**32))
def test_the_share_holds_of_what_went_before_and_what_comes_later(percent, old, new, seed) -> None:
    """Half of a first order is given out when more references come."""
    chance = random.Random(seed)
    first = control_count(percent, old)
    order = mixed([True] * first, [False] * (old - first), percent, chance)
    begun, left = order[: old // 2], order[old // 2 :]
    more = control_count(percent, old + new, first)
    control, chosen = sum(left) + more, len(left) - sum(left) + new - more
    rest = mixed([True] * control, [False] * chosen, percent, chance, (len(begun), sum(begun)))
    for end in (*range(BLOCK, len(rest), BLOCK), len(rest)):
        assert 100 * (sum(begun) + sum(rest[:end])) >= percent * (len(begun) + end)


def test_where_control_stands_within_a_block_is_drawn() -> None:
    """Nobody who counts the references that they are given knows which of them are control."""
    chance, seen = random.Random(3), Counter[int]()
    for _ in range(1000):
        found = mixed([True] * 9, [False] * 21, 30, chance)
        seen.update(place % BLOCK for place, is_control in enumerate(found) if is_control)
    assert all(780 < seen[place] < 1020 for place in range(BLOCK))
