"""An undefined number is None with the reason that fits the labels."""

import numpy as np

from scoring.agreement import classification as words


def table(**cells: int) -> np.ndarray:
    names = [f"{human}_{predicted}" for human in "cto" for predicted in "cto"]
    return np.array([cells.get(name, 0) for name in names]).reshape(3, 3)


def test_nan_becomes_none_with_its_reason() -> None:
    assert words.statistic(float("nan"), "why") == words.Statistic(None, "why")
    assert words.statistic(0.25, "why") == words.Statistic(0.25)


def test_the_reason_for_an_undefined_order_names_the_constant_side() -> None:
    assert words.order_reason(table()) == words.NO_ITEMS
    assert words.order_reason(table(o_c=2, o_o=3)) == words.SAME_HUMAN_LABEL
    assert words.order_reason(table(c_o=2, o_o=3)) == words.SAME_PREDICTION


def test_the_reason_for_undefined_slots_names_the_side_with_ties_only() -> None:
    assert words.slot_reason(table()) == words.NO_ITEMS
    assert words.slot_reason(table(t_o=4)) == words.ALL_HUMAN_TIES
    assert words.slot_reason(table(o_t=4, t_t=1)) == words.ALL_SCORER_TIES


def test_a_share_is_undefined_without_items_or_without_preferences() -> None:
    assert words.share_reason(table()) == words.NO_ITEMS
    assert words.share_reason(table(t_t=4)) == words.NO_DECISION
