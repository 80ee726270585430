"""Into which groups a report divides its items, and why not into others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from scoring.agreement.breakdowns import Grouping, group_by, group_by_length
from scoring.agreement.checks import contain_reference
from scoring.agreement.evidence import Columns, Evidence
from scoring.agreement.items import Integers, Item

WITH: Final = "with the reference itself"
WITHOUT: Final = "without the reference"
NO_COPIES: Final = "No item contains the reference itself."
ALL_COPIES: Final = "Every item contains the reference itself."


def groupings(
    items: Sequence[Item], positions: Integers, evidence: Evidence
) -> dict[str, Grouping]:
    """Divide n items by what is known of them, by length, and by whether they hold the reference.

    Input: the items; the places that they had when the evidence was gathered; the evidence.
    Output: groupings by name; one without groups says why.
    """
    found = {name: _known(columns, positions) for name, columns in evidence.groups.items()}
    found["length"] = group_by_length(_lengths(items))
    found["reference_in_items"] = _by_reference(items)
    return found


def _known(columns: Columns | str, positions: Integers) -> Grouping:
    if isinstance(columns, str):
        return Grouping({}, columns)
    kept = [np.asarray(column, dtype=object)[positions].tolist() for column in columns]
    return group_by(*kept)


def _lengths(items: Sequence[Item]) -> list[float]:
    """Count the words of B and C, each distinct text once. Output: their mean by item."""
    words: dict[str, int] = {}
    for item in items:
        for text in (item.b, item.c):
            if text not in words:
                words[text] = len(text.split())
    return [(words[item.b] + words[item.c]) / 2 for item in items]


def _by_reference(items: Sequence[Item]) -> Grouping:
    is_in = contain_reference(items)
    if is_in.all() or not is_in.any():
        return Grouping({}, ALL_COPIES if is_in.all() else NO_COPIES)
    return Grouping({WITH: np.flatnonzero(is_in), WITHOUT: np.flatnonzero(~is_in)})
