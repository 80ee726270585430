"""Counts how much of a split was seen in training: its references, and its candidates."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from scoring.agreement.checks import fold
from scoring.splits import SPLIT_NAMES, TRAIN


class Row(Protocol):
    """A quadruplet with its split, as far as it is counted here."""

    @property
    def reference(self) -> str: ...
    @property
    def b(self) -> str: ...
    @property
    def c(self) -> str: ...
    @property
    def split(self) -> str: ...


def seen_in_training(rows: Sequence[Row]) -> dict[str, Any]:
    """Count distinct texts of each split, and those that a training quadruplet holds too.

    Input: the labelled rows of one criterion. Output by split: `items`; `references` and
    `candidates`, each {"of": distinct texts, "seen": those that stand in training in any role,
    white space folded}. In training itself all are seen.
    """
    known = {text for row in rows if row.split == TRAIN for text in _texts(row)}
    return {
        split: _counts([row for row in rows if row.split == split], known) for split in SPLIT_NAMES
    }


def _counts(rows: Sequence[Row], known: set[str]) -> dict[str, Any]:
    references = {fold(row.reference) for row in rows}
    candidates = {fold(text) for row in rows for text in (row.b, row.c)}
    return {
        "items": len(rows),
        "references": {"of": len(references), "seen": len(references & known)},
        "candidates": {"of": len(candidates), "seen": len(candidates & known)},
    }


def _texts(row: Row) -> Iterable[str]:
    return map(fold, (row.reference, row.b, row.c))
