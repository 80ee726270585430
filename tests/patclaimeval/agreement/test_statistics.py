"""An undefined number is None with the reason that fits the labels."""

import numpy as np
import pytest

from patclaimeval.agreement import classification as words


def table(**cells: int) -> np.ndarray:
    names = [f"{human}_{predicted}" for human in "cto" for predicted in "cto"]
    return np.array([cells.get(name, 0) for name in names]).reshape(3, 3)


def test_nan_becomes_none_with_its_reason() -> None:
    assert words.statistic(float("nan"), "why") == words.Statistic(None, "why")
    assert words.statistic(0.25, "why") == words.Statistic(0.25)


@pytest.mark.parametrize(
    ("reason", "cells", "expected"),
    [
        (words.order_reason, {}, words.NO_ITEMS),
        (words.order_reason, {"o_c": 2, "o_o": 3}, words.SAME_HUMAN_LABEL),
        (words.order_reason, {"c_o": 2, "o_o": 3}, words.SAME_PREDICTION),
        (words.slot_reason, {}, words.NO_ITEMS),
        (words.slot_reason, {"t_o": 4}, words.ALL_HUMAN_TIES),
        (words.slot_reason, {"o_t": 4, "t_t": 1}, words.ALL_SCORER_TIES),
        (words.share_reason, {}, words.NO_ITEMS),
        (words.share_reason, {"t_t": 4}, words.NO_DECISION),
    ],
)
def test_the_reason_for_an_undefined_figure_names_the_constant_side(reason, cells, expected):
    assert reason(table(**cells)) == expected
