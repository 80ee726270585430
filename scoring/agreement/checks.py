"""What a reader must know about the items before any figure: counts, copies, repeated rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from scoring.agreement.items import LABELS, Item


def fold(text: str) -> str:
    """Fold white space: every run of it becomes one space, the ends are cut."""
    return " ".join(text.split())


def contains_reference(item: Item) -> bool:
    """Whether B or C is the reference's own text, white space folded."""
    return fold(item.reference) in (fold(item.b), fold(item.c))


def item_checks(items: Sequence[Item]) -> dict[str, Any]:
    """Count what can mislead in a set of items.

    Input: n items. Output: JSON-ready counts: items, references, candidates (distinct candidate
    texts of a reference), labels, and those of the functions below.
    """
    labels = Counter(item.y for item in items)
    return {
        "items": len(items),
        "references": len({item.reference_id for item in items}),
        "candidates": len({(i.reference_id, text) for i in items for text in (i.b, i.c)}),
        "labels": {str(label): labels[label] for label in LABELS},
        "contain_reference": _reference_copies(items),
        "self_comparisons": sum(fold(item.b) == fold(item.c) for item in items),
        "white_space_twins": _white_space_twins(items),
        "duplicates": _duplicates(items),
        "references_with_shared_text": _shared_references(items),
    }


def _reference_copies(items: Sequence[Item]) -> dict[str, int]:
    """Items with the reference among B and C: byte for byte, or after folding white space only."""
    copies = [item for item in items if contains_reference(item)]
    identical = sum(item.reference in (item.b, item.c) for item in copies)
    return {
        "items": len(copies),
        "byte_identical": identical,
        "white_space_only": len(copies) - identical,
        "reference_preferred": sum(_reference_preferred(item) for item in copies),
    }


def _reference_preferred(item: Item) -> bool:
    reference = fold(item.reference)
    is_b, is_c = fold(item.b) == reference, fold(item.c) == reference
    return int(is_b) - int(is_c) == item.y != 0


def _white_space_twins(items: Sequence[Item]) -> int:
    """Candidate texts of one reference that differ from another one in white space alone."""
    versions: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for item in items:
        for text in (item.b, item.c):
            versions[item.reference_id, fold(text)].add(text)
    return sum(len(texts) - 1 for texts in versions.values())


def _duplicates(items: Sequence[Item]) -> dict[str, int]:
    """Items that repeat an earlier comparison, sides swapped or not, and those that contradict it.

    Per-annotator datasets repeat comparisons by design; elsewhere a repeat counts twice.
    """
    seen: defaultdict[tuple[str, ...], set[int]] = defaultdict(set)
    repeated = contradicting = 0
    for item in items:
        swapped = item.c < item.b
        first, second = (item.c, item.b) if swapped else (item.b, item.c)
        earlier = seen[item.reference_id, first, second]
        y = -item.y if swapped else item.y
        repeated += bool(earlier)
        contradicting += bool(earlier - {y})
        earlier.add(y)
    return {"items": repeated, "contradicting": contradicting}


def _shared_references(items: Sequence[Item]) -> int:
    """Reference texts under several reference ids, which so count as several references."""
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for item in items:
        ids[fold(item.reference)].add(item.reference_id)
    return sum(len(names) > 1 for names in ids.values())
