"""What a reader must know about the items before any figure: counts, copies, repeated rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.agreement.items import LABELS, Integers, Item, cluster_numbers, labels_of, number


def fold(text: str) -> str:
    """Fold white space: every run of it becomes one space, the ends are cut."""
    return " ".join(text.split())


def contains_reference(item: Item) -> bool:
    """Whether B or C is the reference's own text, white space folded."""
    return fold(item.reference) in (fold(item.b), fold(item.c))


def contain_reference(items: Sequence[Item]) -> NDArray[np.bool_]:
    """Say the same of n items at once, each distinct text folded once. Output: n truths."""
    reference, b, c = _numbered(items).folded
    return (reference == b) | (reference == c)


def item_checks(items: Sequence[Item]) -> dict[str, Any]:
    """Count what can mislead in a set of items. Time grows with n log n.

    Input: n items. Output: JSON-ready counts: items, references, candidates (distinct candidate
    texts of a reference), labels, and those of the functions below.
    """
    numbered = _numbered(items)
    counts = np.bincount(numbered.y + 1, minlength=len(LABELS))
    _, b, c = numbered.folded
    return {
        "items": len(items),
        "references": numbered.reference_count,
        "candidates": _candidates(numbered).shape[1],
        "labels": {str(label): count for label, count in zip(LABELS, counts.tolist(), strict=True)},
        "contain_reference": _reference_copies(numbered),
        "self_comparisons": int((b == c).sum()),
        "white_space_twins": _white_space_twins(numbered),
        "duplicates": _duplicates(numbered),
        "references_with_shared_text": _shared_references(numbered),
    }


@dataclass(frozen=True, slots=True)
class _Numbered:
    """n items with equal texts under equal numbers.

    reference_ids, y: n; texts: 3 x n, of the reference, B and C; folded: the same with white
    space folded; folded_of: the number of the folded text, by that of the text.
    """

    reference_ids: Integers
    reference_count: int
    y: Integers
    texts: Integers
    folded_of: Integers

    @property
    def folded(self) -> Integers:
        return self.folded_of[self.texts]


def _numbered(items: Sequence[Item]) -> _Numbered:
    texts = [text for side in ("reference", "b", "c") for text in map(attrgetter(side), items)]
    numbers, distinct = number(texts)
    reference_ids, reference_count = cluster_numbers(items)
    folded_of, _ = number([fold(text) for text in distinct])
    return _Numbered(
        reference_ids, reference_count, labels_of(items), numbers.reshape(3, -1), folded_of
    )


def _candidates(numbered: _Numbered) -> Integers:
    """Each (reference id, candidate text) once. Output: 2 x k numbers."""
    _, b, c = numbered.texts
    return _distinct(np.tile(numbered.reference_ids, 2), np.concatenate([b, c]))


def _distinct(first: Integers, second: Integers) -> Integers:
    """The different pairs of two arrays of n numbers >= 0. Output: 2 x k."""
    base = int(second.max(initial=0)) + 1
    return np.stack(np.divmod(np.unique(first * base + second), base))


def _reference_copies(numbered: _Numbered) -> dict[str, int]:
    """Items with the reference among B and C: byte for byte, or after folding white space only."""
    reference, b, c = numbered.texts
    identical = int(((reference == b) | (reference == c)).sum())
    reference, b, c = numbered.folded
    is_b, is_c = reference == b, reference == c
    copies = int((is_b | is_c).sum())
    y = numbered.y
    preferred = (y != 0) & (is_b.astype(np.int64) - is_c.astype(np.int64) == y)
    return {
        "items": copies,
        "byte_identical": identical,
        "white_space_only": copies - identical,
        "reference_preferred": int(preferred.sum()),
    }


def _white_space_twins(numbered: _Numbered) -> int:
    """Candidate texts of one reference that differ from another one in white space alone."""
    reference_ids, texts = _candidates(numbered)
    return len(texts) - _distinct(reference_ids, numbered.folded_of[texts]).shape[1]


def _duplicates(numbered: _Numbered) -> dict[str, int]:
    """Items that repeat an earlier comparison, sides swapped or not, and those that contradict it.

    Per-annotator datasets repeat comparisons by design; elsewhere a repeat counts twice.
    """
    _, b, c = numbered.texts
    keys = np.stack([numbered.reference_ids, np.minimum(b, c), np.maximum(b, c)])
    order = np.lexsort(keys)  # stable: repeats stay in the order given
    y = np.where(c < b, -numbered.y, numbered.y)[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (keys[:, order[1:]] != keys[:, order[:-1]]).any(axis=0)
    starts = np.flatnonzero(begins)
    group = np.cumsum(begins) - 1
    # An item contradicts an earlier one from the first label on that is not the first item's.
    differs = np.cumsum(y != y[starts][group])
    before = np.concatenate([[0], differs])[starts][group]
    return {
        "items": len(order) - len(starts),
        "contradicting": int((differs > before).sum()),
    }


def _shared_references(numbered: _Numbered) -> int:
    """Reference texts under several reference ids, which so count as several references."""
    texts, _ = _distinct(numbered.folded[0], numbered.reference_ids)
    return int((np.bincount(texts) > 1).sum())
