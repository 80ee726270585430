"""The items of a report with what each scorer gave them: chosen, put in order, packed as bytes."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from patclaimeval.agreement.items import Floats, Integers, subtract
from patclaimeval.agreement.preferences import preferences

Truths = NDArray[np.bool_]

RIGHT, WRONG = "right", "wrong"
SAME, DIFFER, FIRST, SECOND = "same", "differ", "first", "second"
SORTS: Final = ("error", "one-right", "difference", "label", "reference", "number")


@dataclass(frozen=True, slots=True)
class ItemTable:
    """The n items that every scorer of a report was measured on, in the order of its figures.

    rows: n numbers, which of the rows given each item was. y: n labels. references: n numbers from
    0. pairs: 2 x n numbers of (reference, candidate) texts, of B and of C. points: the rating of
    each such pair, NaN where none is known. predicted: by scorer and baseline n labels.
    differences: by scorer, n numbers; scores: 2 x n, of B and C, or of one that `compares` its
    verdicts on both orders; without: tau-b without each reference. groups: by grouping, the places
    of the items of each group.
    """

    tie_threshold: float
    rows: Integers
    y: Integers
    references: Integers
    pairs: Integers
    points: Floats
    predicted: Mapping[str, Integers]
    differences: Mapping[str, Floats]
    scores: Mapping[str, Floats]
    without: Mapping[str, Floats]
    compares: frozenset[str]
    groups: Mapping[str, Mapping[str, Integers]]

    def __len__(self) -> int:
        """Count the items."""
        return len(self.y)

    def errors(self, name: str) -> Floats:
        """Return how far off a scorer is. Output: n numbers >= 0, in the unit of its scores.

        Formula: by how much score(B) - score(C) would have to move until the scorer agrees with
        people; 0 where it does, and for a baseline without scores.
        """
        d, t = self.differences.get(name), self.tie_threshold
        if d is None:
            return np.zeros(len(self))
        off = np.where(self.y == 0, np.abs(d) - t, t - self.y * d)
        return np.where(self.predicted[name] == self.y, 0.0, np.maximum(off, 0.0))

    def same_in_both_orders(self, name: str) -> Truths:
        """Return whether a scorer that compares prefers the same candidate in both orders."""
        first, second = self.scores[name]
        agrees: Truths = np.sign(first) == -np.sign(second)
        return agrees


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which items, in which order; an empty text and None stand for all.

    scorer, second: names of the table's predictions. outcome: whether the scorer is right; both:
    whether the two say the same, differ, or which alone is right. error: at least so far off.
    group: a grouping and one of its groups. reference, candidate: numbers of the table.
    orders: whether a scorer that compares gives the same or another answer in the other order.
    """

    scorer: str = ""
    second: str = ""
    label: int | None = None
    prediction: int | None = None
    second_prediction: int | None = None
    outcome: str = ""
    both: str = ""
    error: float | None = None
    group: tuple[str, str] | None = None
    reference: int | None = None
    candidate: int | None = None
    orders: str = ""
    sort: str = "number"
    is_descending: bool = False


def choose(table: ItemTable, wanted: Wanted) -> Integers:
    """Return the places of the items that are wanted, in the order that is wanted.

    Input: a table of n items; a wish whose names the table knows. Output: k <= n places from 0.
    Items that the order does not tell apart stay in the order of the table.
    """
    places = np.flatnonzero(_is_wanted(table, wanted))
    keys = _sort_key(table, wanted)[places]
    order = np.argsort(-keys if wanted.is_descending else keys, kind="stable")
    return places[order]


def _is_wanted(table: ItemTable, wanted: Wanted) -> Truths:
    found = np.ones(len(table), dtype=bool)
    first, second = (table.predicted.get(name) for name in (wanted.scorer, wanted.second))
    for given, asked in (
        (table.y, wanted.label),
        (first, wanted.prediction),
        (second, wanted.second_prediction),
        (table.references, wanted.reference),
    ):
        if asked is not None and given is not None:
            found &= given == asked
    if wanted.candidate is not None:
        found &= (table.pairs == wanted.candidate).any(axis=0)
    if wanted.group is not None:
        grouping, group = wanted.group
        is_in = np.zeros(len(table), dtype=bool)
        is_in[table.groups[grouping][group]] = True
        found &= is_in
    if first is not None:
        found &= _fits_first(table, wanted, first)
    if first is not None and second is not None and wanted.both:
        found &= _stands(table.y, first, second, wanted.both)
    return found


def _fits_first(table: ItemTable, wanted: Wanted, first: Integers) -> Truths:
    found = np.ones(len(table), dtype=bool)
    if wanted.outcome:
        found &= (first == table.y) == (wanted.outcome == RIGHT)
    if wanted.error is not None:
        found &= table.errors(wanted.scorer) >= wanted.error
    if wanted.orders and wanted.scorer in table.compares:
        found &= table.same_in_both_orders(wanted.scorer) == (wanted.orders == SAME)
    return found


def _stands(y: Integers, first: Integers, second: Integers, both: str) -> Truths:
    """Return of n items whether two scorers stand to each other as is asked."""
    is_same: Truths = first == second
    return {
        SAME: is_same,
        DIFFER: ~is_same,
        FIRST: (first == y) & ~is_same,
        SECOND: (second == y) & ~is_same,
    }[both]


def _sort_key(table: ItemTable, wanted: Wanted) -> Floats:
    if wanted.sort == "one-right" and wanted.second:
        first, second = table.predicted[wanted.scorer], table.predicted[wanted.second]
        one_right = (first == table.y) != (second == table.y)
        return np.where(one_right, 0.0, np.where(first == second, 2.0, 1.0))
    if wanted.sort == "error" and wanted.scorer:
        return table.errors(wanted.scorer)
    if wanted.sort == "difference" and wanted.scorer in table.differences:
        return table.differences[wanted.scorer]
    columns = {"label": table.y, "reference": table.references}
    return columns.get(wanted.sort, table.rows).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Pull:
    """A reference that moves a scorer's tau-b: its number, its items, tau-b without it."""

    reference: int
    items: int
    tau_b: float
    change: float


def strongest_pulls(table: ItemTable, name: str, tau_b: float, most: int = 5) -> list[Pull]:
    """Return the references without which a scorer's tau-b would move most, the farthest first.

    Input: the table; a scorer; its tau-b on all items. Output: at most `most`; none where tau-b
    is not defined without any of them.
    """
    without = table.without.get(name, np.empty(0))
    change = without - tau_b
    known = np.flatnonzero(np.isfinite(change))
    order = known[np.argsort(-np.abs(change[known]), kind="stable")][:most]
    counts = np.bincount(table.references, minlength=len(without))
    return [
        Pull(at, int(counts[at]), float(without[at]), float(change[at])) for at in order.tolist()
    ]


_BY_NAME: Final = ("predicted", "scores", "without")
_PLAIN: Final = ("rows", "y", "references", "pairs", "points")
_SMALL: Final = {"y": np.int8, "predicted": np.int8}


def pack(table: ItemTable) -> bytes:
    """Write a table as bytes: an archive of arrays without a pickle. The same table, the same.

    A score stands once a candidate, and differences are taken anew: 100,000 items of 12 scorers
    are some 5 MB.
    """
    heads: dict[str, Any] = {"layout": 1, "tie_threshold": table.tie_threshold}
    arrays = {name: _narrow(name, getattr(table, name)) for name in _PLAIN}
    parts = {name: getattr(table, name) for name in _BY_NAME}
    parts["scores"] = {name: _by_pair(table, name) for name in table.scores}
    for part, of_part in parts.items():
        heads[part] = list(of_part)
        arrays |= {f"{part}-{at}": _narrow(part, one) for at, one in enumerate(of_part.values())}
    heads["compares"] = sorted(table.compares)
    heads["groups"] = {key: list(groups) for key, groups in table.groups.items()}
    for key, groups in table.groups.items():
        arrays |= {f"of-{key}-{at}": _narrow("", one) for at, one in enumerate(groups.values())}
    arrays["heads"] = np.frombuffer(json.dumps(heads).encode(), dtype=np.uint8)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type] # it takes any names
    return file.getvalue()


def unpack(content: bytes) -> ItemTable:
    """Read what `pack` wrote."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        heads = json.loads(arrays["heads"].tobytes())
        predicted, stored, without = (
            {name: arrays[f"{part}-{at}"] for at, name in enumerate(heads[part])}
            for part in _BY_NAME
        )
        plain: dict[str, Any] = {name: arrays[name] for name in _PLAIN}
        groups = {
            key: {name: arrays[f"of-{key}-{at}"] for at, name in enumerate(names)}
            for key, names in heads["groups"].items()
        }
    compares = frozenset(heads["compares"])
    scores = {
        name: one if name in compares else one[plain["pairs"]] for name, one in stored.items()
    }
    return ItemTable(
        tie_threshold=heads["tie_threshold"],
        predicted=predicted,
        differences={
            name: (preferences if name in compares else subtract)(*one)
            for name, one in scores.items()
        },
        scores=scores,
        without=without,
        compares=compares,
        groups=groups,
        **plain,
    )


def _by_pair(table: ItemTable, name: str) -> Floats:
    """Return a scorer's number of each (reference, candidate) pair; verdicts as they are."""
    if name in table.compares:
        return table.scores[name]
    found = np.full(len(table.points), np.nan)
    found[table.pairs] = table.scores[name]
    return found


def _narrow(name: str, array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind == "f":
        return array
    return array.astype(_SMALL.get(name, np.int32))
