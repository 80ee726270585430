"""Where two scorers say the same of an item and where not: their labels against each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.agreement.classification import predicted_labels
from scoring.agreement.items import Floats
from scoring.agreement.tables import confusion


def label_table(first: Floats, second: Floats, tie_threshold: float) -> list[list[int]]:
    """Count n items by the labels that two scorers give them.

    Input: n score differences of each, the tie threshold >= 0. Output: 3 x 3 counts that sum to n;
    rows the first scorer's labels -1, 0, 1, columns the second's.
    """
    one, other = (predicted_labels(values, tie_threshold) for values in (first, second))
    table: list[list[int]] = confusion(other, one).tolist()
    return table


def with_label_tables(
    compared: Mapping[str, Any], differences: Mapping[str, Floats], tie_threshold: float
) -> dict[str, Any]:
    """Add `labels`, the table of label_table(), to every pair of comparisons.compare_scorers().

    Input: its output; n score differences by name for all who stand in a pair; the tie threshold.
    """
    families = [
        {
            **family,
            "pairs": [
                pair
                | {
                    "labels": label_table(
                        differences[pair["first"]], differences[pair["second"]], tie_threshold
                    )
                }
                for pair in family["pairs"]
            ],
        }
        for family in compared["families"]
    ]
    return {**compared, "families": families}
