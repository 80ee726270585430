"""Splits into train, validation and test: by reference, so that no claim text is on two sides.

Why by reference: a random split by item lets about 97 % of the test labels follow from training
labels by transitivity (measured on the published test items). Standard library only.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

TRAIN: Final = "train"
VALIDATION: Final = "validation"
TEST: Final = "test"
SPLIT_NAMES: Final = (TRAIN, VALIDATION, TEST)


class SplitError(ValueError):
    """The items cannot be split as asked; the message is for a person."""


@dataclass(frozen=True, slots=True)
class SplitItem:
    """What a split looks at: the item's id and the texts that must stay on one side."""

    id: str
    reference: str
    b: str
    c: str


def split_by_reference(
    items: Sequence[SplitItem], *, test_share: float, validation_share: float, seed: int
) -> dict[str, str]:
    """Assign whole references to splits.

    Input: items; shares in 0..0.9 of the references, validation counted on what is not test; any
    seed. Output: split by item id, a pure function of the seed and the texts, whatever the order
    of the items. References that share a candidate text go together. A share above 0 gets at
    least one group. Raises SplitError when there are fewer groups than splits asked for.
    """
    _check_shares(test_share, validation_share)
    groups = _groups(items)
    wanted = 1 + (test_share > 0) + (validation_share > 0)
    if len(groups) < wanted:
        raise SplitError(
            f"A group split is impossible: {len(groups)} independent references cannot fill "
            f"{wanted} splits. Add references, or set a share to 0."
        )
    order = sorted(groups)
    random.Random(seed).shuffle(order)
    of_group = _deal(order, test_share, validation_share)
    return {item.id: of_group[name] for name, members in groups.items() for item in members}


def split_by_item(
    items: Sequence[SplitItem], *, test_share: float, validation_share: float, seed: int
) -> dict[str, str]:
    """Assign single items to splits at random, as the published benchmark does; this leaks.

    Input and output as split_by_reference, with shares of the items. Raises SplitError when there
    are fewer items than splits asked for.
    """
    _check_shares(test_share, validation_share)
    order = sorted(item.id for item in items)
    wanted = 1 + (test_share > 0) + (validation_share > 0)
    if len(order) < wanted:
        raise SplitError(f"{len(order)} items cannot fill {wanted} splits.")
    random.Random(seed).shuffle(order)
    return _deal(order, test_share, validation_share)


def shared_texts(items: Sequence[SplitItem], splits: Mapping[str, str]) -> int:
    """Count the distinct claim texts that stand in more than one split; 0 proves no leak."""
    sides: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for text in (item.reference, item.b, item.c):
            sides[_key(text)].add(splits[item.id])
    return sum(len(found) > 1 for found in sides.values())


def _check_shares(test_share: float, validation_share: float) -> None:
    if not (0 <= test_share <= 0.9 and 0 <= validation_share <= 0.9):
        raise SplitError("A share must lie between 0 and 0.9.")


def _deal(order: Sequence[str], test_share: float, validation_share: float) -> dict[str, str]:
    total = len(order)
    test = _count(total, test_share, total - 1 - (validation_share > 0))
    validation = _count(total - test, validation_share, total - test - 1)
    names = [TEST] * test + [VALIDATION] * validation + [TRAIN] * (total - test - validation)
    return dict(zip(order, names, strict=True))


def _count(total: int, share: float, most: int) -> int:
    return min(max(1, round(total * share)), most) if share > 0 else 0


def _key(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _groups(items: Sequence[SplitItem]) -> dict[str, list[SplitItem]]:
    """Join items that share any text, directly or through others; named by their least digest."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    keyed = [(item, [_key(text) for text in (item.reference, item.b, item.c)]) for item in items]
    for _, keys in keyed:
        for other in keys[1:]:
            one, two = sorted((root(keys[0]), root(other)))
            parent[two] = one
    groups: dict[str, list[SplitItem]] = defaultdict(list)
    for item, keys in keyed:
        groups[root(keys[0])].append(item)
    return dict(groups)
