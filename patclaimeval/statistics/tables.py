"""Scores of items by annotators as tables, pairs of scores, and measured numbers as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


class ReliabilityError(ValueError):
    """The question cannot be answered from what was given; the message is for a person."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Scores of I items by J annotators for one criterion.

    `values` is I x J, NaN where an annotator did not rate an item; `clusters` names the reference
    of each item; `items` and `annotators` name rows and columns. Raises ReliabilityError when
    lengths differ, names repeat or a value is infinite.
    """

    values: Floats
    clusters: tuple[str, ...]
    items: tuple[str, ...]
    annotators: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse a table whose names do not fit its values."""
        if self.values.shape != (len(self.items), len(self.annotators)):
            raise ReliabilityError("There must be one row an item and one column an annotator.")
        if len(self.clusters) != len(self.items):
            raise ReliabilityError("Each item needs exactly one reference.")
        if len(set(self.items)) < len(self.items):
            raise ReliabilityError("An item stands in the table twice.")
        if len(set(self.annotators)) < len(self.annotators):
            raise ReliabilityError("An annotator stands in the table twice.")
        if np.isinf(self.values).any():
            raise ReliabilityError("Every score must be a finite number.")

    @property
    def is_rated(self) -> Booleans:
        """Return where there is a score. Output: I x J of booleans."""
        return ~np.isnan(self.values)

    @property
    def counts(self) -> Integers:
        """Count the scores of each item. Output: I whole numbers from 0 to J."""
        return self.is_rated.sum(axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """All P unordered pairs of scores on one item: row, both columns, both scores, scores there."""

    item: Integers
    left: Integers
    right: Integers
    first: Floats
    second: Floats
    count: Integers


def table_of(rows: Iterable[tuple[str, str, str, float]]) -> Table:
    """Build a table from ratings.

    Input: (item, reference, annotator, score) in any order, one row a rating; scores are finite.
    Output: a table whose items and annotators are sorted by name, so that the order of the rows
    changes nothing. Raises ReliabilityError when an annotator rates an item twice, when an item
    has two references, or when a score is no finite number.
    """
    scores: dict[tuple[str, str], float] = {}
    references: dict[str, str] = {}
    for item, reference, annotator, score in rows:
        if (item, annotator) in scores:
            raise ReliabilityError("An annotator has two ratings of one item.")
        if references.setdefault(item, reference) != reference:
            raise ReliabilityError("An item belongs to two references.")
        if not np.isfinite(score):
            raise ReliabilityError("Every score must be a finite number.")
        scores[item, annotator] = float(score)
    items, annotators = sorted(references), sorted({annotator for _, annotator in scores})
    row, column = ({name: i for i, name in enumerate(names)} for names in (items, annotators))
    values = np.full((len(items), len(annotators)), np.nan)
    for (item, annotator), score in scores.items():
        values[row[item], column[annotator]] = score
    return Table(values, tuple(references[i] for i in items), tuple(items), tuple(annotators))


def shared_items(table: Table, least: int = 2) -> Table:
    """Return the items with at least `least` scores, as a table with the same annotators."""
    left = np.flatnonzero(table.counts >= least)
    return Table(
        table.values[left],
        tuple(table.clusters[i] for i in left),
        tuple(table.items[i] for i in left),
        table.annotators,
    )


def rating_pairs(table: Table) -> Pairs:
    """List the unordered pairs of scores on each item; items with one score give none.

    Input: a table; an item with m scores gives m (m - 1) / 2 pairs. Output: P pairs, in which
    `left` < `right` are columns and `count` is m >= 2.
    """
    counts = table.counts
    widest = int(counts.max(initial=0))
    # Scores pushed to the left: an item with 3 of 40 annotators takes 3 columns, not 40.
    columns = np.argsort(~table.is_rated, axis=1, kind="stable")[:, :widest]
    packed = np.take_along_axis(table.values, columns, axis=1)
    parts = []
    for a in range(widest):
        for b in range(a + 1, widest):
            rows = np.flatnonzero(counts > b)
            ends = (columns[rows, a], columns[rows, b], packed[rows, a], packed[rows, b])
            parts.append((rows, *ends, counts[rows]))
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return Pairs(nothing, nothing, nothing, np.zeros(0), np.zeros(0), nothing)
    return Pairs(*(np.concatenate(column) for column in zip(*parts, strict=True)))


@dataclass(frozen=True, slots=True)
class Sentinel:
    """One annotator's scores by criterion of an untouched candidate and of its damaged twin."""

    annotator: str
    cluster: str
    criterion: str
    untouched: Mapping[str, float]
    damaged: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Repeat:
    """One annotator's score of an item at first and, unaware, again; with the item's reference."""

    annotator: str
    cluster: str
    first: float
    second: float


NO_OVERLAP = "No item was rated by two annotators, so there is nothing to compare."
ONE_ANNOTATOR = "There are ratings of one annotator only, so there is nobody to compare with."
NO_RATINGS = "There are no ratings yet."
ALL_SAME = "Every rating is the same, so agreement cannot be told from chance."
NOT_COMPUTED = "This figure could not be computed from these scores."


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and how sure it is.

    `value` is None where it is undefined and `low`, `high` where no 95 % interval can be given;
    `reason` is then why, in a sentence, else it is "". `n` counts what the figure rests on (items,
    unless its function states otherwise), `clusters` their references. `interval` names the method:
    "bootstrap", "jackknife-t", or "" without an interval.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    reason: str = ""
    interval: str = ""


def undefined(reason: str, n: int = 0, clusters: int = 0) -> Estimate:
    """Return an estimate without a value. Input: a plain sentence and what there was to use."""
    return Estimate(None, None, None, n, clusters, reason)


Plain = dict[str, object]


def plain_estimate(key: str, found: Estimate, unit: float = 1.0) -> Plain:
    """Return an estimate as it is stored.

    Input: what the figure is called; the estimate; how many units of its scores make one point (1
    for a criterion, 11 for an overall numerator; 1 for a figure without unit). Output: key, value,
    low, high (numbers in points or None), n, clusters, reason, interval.
    """
    return {
        "key": key,
        "value": scaled(found.value, unit),
        "low": scaled(found.low, unit),
        "high": scaled(found.high, unit),
        "n": found.n,
        "clusters": found.clusters,
        "reason": found.reason,
        "interval": found.interval,
    }


def scaled(value: float | None, unit: float) -> float | None:
    """Convert a number of units to points; None stays None. Input: units > 0 a point.

    NaN and infinity become None, because a stored report is JSON, which has neither.
    """
    return None if value is None or not math.isfinite(value) else value / unit
