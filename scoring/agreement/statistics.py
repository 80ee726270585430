"""A computed number that may be undefined: then it is None and says why in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.agreement.items import Integers

NO_ITEMS = "There are no items to compare."
SAME_HUMAN_LABEL = "Every item carries the same human label, so there is no order to agree with."
SAME_PREDICTION = "The scorer does not tell any two items apart, so it gives no order to compare."
NO_DECISION = "People called every item a tie, so there is no preference to find again."
ALL_HUMAN_TIES = "People called every item a tie, so there is no order to agree with."
ALL_SCORER_TIES = "The scorer calls every item a tie, so it gives no order to compare."


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number, or None with a plain reason; never NaN."""

    value: float | None
    reason: str | None = None


def statistic(value: float, reason: str) -> Statistic:
    """Wrap a number; NaN becomes None with the reason. Input: any float. Output: a Statistic."""
    return Statistic(None, reason) if np.isnan(value) else Statistic(float(value))


def order_reason(table: Integers) -> str:
    """Say why an order over items is undefined, from the 3 x 3 table of labels."""
    if table.sum() == 0:
        return NO_ITEMS
    if np.count_nonzero(table.sum(axis=1)) < 2:
        return SAME_HUMAN_LABEL
    return SAME_PREDICTION


def slot_reason(table: Integers) -> str:
    """Say why tau over two-slot rankings is undefined, from the 3 x 3 table of labels."""
    if table.sum() == 0:
        return NO_ITEMS
    if table[[0, 2], :].sum() == 0:
        return ALL_HUMAN_TIES
    return ALL_SCORER_TIES


def share_reason(table: Integers) -> str:
    """Say why a share of items is undefined, from the 3 x 3 table of labels."""
    return NO_ITEMS if table.sum() == 0 else NO_DECISION
