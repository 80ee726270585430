"""Groups of items, and how well scorers agree with people on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from patclaimeval.agreement.ceiling import Columns, Evidence
from patclaimeval.agreement.figures import Sample, no_figure, part_of, tau_b_figure
from patclaimeval.agreement.items import Floats, Integers, Item, contain_reference
from patclaimeval.claims.languages import count_words

LEAST_ITEMS: Final = 10
LEAST_REFERENCES: Final = 2
MOST_GROUPS: Final = 40
NOT_KNOWN: Final = "not known"
TOO_SMALL: Final = (
    f"Too few items: a figure needs {LEAST_ITEMS} items of {LEAST_REFERENCES} references."
)
NO_GROUPS: Final = "Nothing is known by which these items could be divided."
ONE_GROUP: Final = "All items are in one group, so this would only repeat the figures of all."
METHOD: Final = (
    "tau-b of score differences on the items of each group, interval clustered by reference. A "
    "comparison of two systems stands in the groups of both. Lengths count words, or characters "
    "where no blanks divide words. Many groups, many figures: the largest of them is large by luck "
    "too."
)


@dataclass(frozen=True, slots=True)
class Grouping:
    """Groups of items by name, each with the places of its items, in the order to be shown.

    An item may stand in several groups or in none. `reason`: why there are no groups, or why some
    are left out.
    """

    groups: Mapping[str, Integers]
    reason: str = ""


def break_down(
    sample: Sample, differences: Mapping[str, Floats], groupings: Mapping[str, Grouping]
) -> dict[str, Any]:
    """Measure each scorer on each group of items.

    Input: the sample of n items; by scorer n finite differences score(B) - score(C); groupings.
    Output: JSON-ready, by grouping: reason ("" or why there is none), and groups, each with its
    name (group), n, references, and by scorer tau-b as value, low, high, or a reason.
    Formula: see correlation.tau_b.
    """
    return {
        name: {
            "reason": grouping.reason,
            "groups": [
                _group(sample, differences, group, places)
                for group, places in grouping.groups.items()
            ],
        }
        for name, grouping in groupings.items()
    }


def group_by(*labels: Sequence[str]) -> Grouping:
    """Group items by name; with two names an item (its B's and its C's), it stands in both.

    Input: one or more lists of n names, "" where it is not known. Output: groups by name, "not
    known" last; the 40 largest where there are more; none where all items have one name.
    """
    columns = [np.asarray(column, dtype=np.str_) for column in labels]
    names, counts = np.unique(np.concatenate(columns), return_counts=True)
    if not names[names != ""].size:
        return Grouping({}, NO_GROUPS)
    if len(names) == 1:
        return Grouping({}, ONE_GROUP)
    largest = names[np.argsort(-counts, kind="stable")][:MOST_GROUPS].tolist()
    largest.sort(key=lambda name: (not name, name))
    reason = "" if len(names) <= MOST_GROUPS else f"The {MOST_GROUPS} largest of {len(names)}."
    is_in = {name: np.any([column == name for column in columns], axis=0) for name in largest}
    groups = {name or NOT_KNOWN: np.flatnonzero(found) for name, found in is_in.items()}
    return Grouping(groups, reason)


def group_by_length(lengths: Sequence[float] | Floats) -> Grouping:
    """Divide items into thirds by length. Input: n lengths in words (the mean of B and C).

    Output: three groups, each named by its lengths, of as nearly one size as equal lengths allow;
    none where the lengths do not fall into three.
    """
    length = np.asarray(lengths, dtype=np.float64)
    if not len(length):
        return Grouping({}, NO_GROUPS)
    low, high = np.quantile(length, [1 / 3, 2 / 3], method="inverted_cdf").tolist()
    thirds = (length <= low, (length > low) & (length <= high), length > high)
    if not all(third.any() for third in thirds):
        return Grouping({}, "The lengths are too much alike to be divided into three.")
    names = (
        f"shortest third, up to {low:g} words",
        f"middle third, up to {high:g} words",
        f"longest third, over {high:g} words",
    )
    return Grouping(dict(zip(names, map(np.flatnonzero, thirds), strict=True)))


def _group(
    sample: Sample, differences: Mapping[str, Floats], group: str, places: Integers
) -> dict[str, Any]:
    references = len(np.unique(sample.clusters[places]))
    base = {"group": group, "n": len(places), "references": references}
    if len(places) < LEAST_ITEMS or references < LEAST_REFERENCES:
        return base | {"scorers": {name: no_figure(TOO_SMALL) for name in differences}}
    part, _ = part_of(sample, places)
    return base | {
        "scorers": {name: tau_b_figure(part, given[places]) for name, given in differences.items()}
    }


WITH: Final = "with the reference itself"
WITHOUT: Final = "without the reference"
NO_COPIES: Final = "No item contains the reference itself."
ALL_COPIES: Final = "Every item contains the reference itself."


def groupings(
    items: Sequence[Item], positions: Integers, evidence: Evidence
) -> dict[str, Grouping]:
    """Divide n items by what is known of them, by length, and by whether they hold the reference.

    Input: the items; the places that they had when the evidence was gathered; the evidence.
    Output: groupings by name; one without groups has a reason.
    """
    found = {name: _known(columns, positions) for name, columns in evidence.groups.items()}
    found["length"] = group_by_length(_lengths(items))
    found["reference_in_items"] = _by_reference(items)
    return found


def _known(columns: Columns | str, positions: Integers) -> Grouping:
    if isinstance(columns, str):
        return Grouping({}, columns)
    columns_left = [np.asarray(column, dtype=object)[positions].tolist() for column in columns]
    return group_by(*columns_left)


def _lengths(items: Sequence[Item]) -> list[float]:
    """Count the words of B and C, each distinct text once. Output: their mean by item.

    Where no blanks divide words, characters are counted.
    """
    counts: dict[str, int] = {}
    for item in items:
        for text in (item.b, item.c):
            if text not in counts:
                counts[text] = count_words(text)
    return [(counts[item.b] + counts[item.c]) / 2 for item in items]


def _by_reference(items: Sequence[Item]) -> Grouping:
    is_in = contain_reference(items)
    if is_in.all() or not is_in.any():
        return Grouping({}, ALL_COPIES if is_in.all() else NO_COPIES)
    return Grouping({WITH: np.flatnonzero(is_in), WITHOUT: np.flatnonzero(~is_in)})
