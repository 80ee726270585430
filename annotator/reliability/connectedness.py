"""Which annotators can be compared: they share items, or are linked by others who do."""

from __future__ import annotations

import numpy as np

from annotator.reliability.tables import Integers, Table


def components(table: Table) -> tuple[tuple[str, ...], ...]:
    """Group annotators who are linked by items that several of them rated.

    Input: a table. Output: groups of the annotators with at least one score, largest first, then by
    name; two annotators stand in one group when a chain of shared items leads from one to the
    other. Source: Searle, 1987, Linear models for unbalanced data (connected designs).
    """
    numbers = component_numbers(table)
    groups: dict[int, list[str]] = {}
    for column, number in enumerate(numbers.tolist()):
        if table.is_rated[:, column].any():
            groups.setdefault(number, []).append(table.annotators[column])
    return tuple(sorted((tuple(sorted(g)) for g in groups.values()), key=lambda g: (-len(g), g)))


def component_numbers(table: Table) -> Integers:
    """Number the groups of linked annotators. Output: J numbers, equal within a group."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rated = csr_array(table.is_rated.astype(np.int32))
    _, numbers = connected_components((rated.T @ rated).tocsr(), directed=False)
    return np.asarray(numbers, dtype=np.int64)


def is_connected(table: Table) -> bool:
    """Say whether all annotators with scores are linked. True also for one annotator or none."""
    return len(components(table)) <= 1


def connection_warning(table: Table) -> str:
    """Return the sentence that a page shows when annotators are not all linked, else ""."""
    count = len(components(table))
    if count <= 1:
        return ""
    return (
        f"The annotators fall into {count} groups that share no item with each other. Severities "
        "and adjusted scores can be compared within a group only; let annotators of different "
        "groups rate some of the same items."
    )
