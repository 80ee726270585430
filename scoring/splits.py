"""Splits into train, validation and test by groups of texts, so that no claim text is on two sides.

Why by reference: a random split by item lets about 97 % of the test labels follow from training
labels by transitivity (measured on the published test items). Knows no Django.
"""

import random
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from annotator.formats.digests import text_sha256

TRAIN: Final = "train"
VALIDATION: Final = "validation"
TEST: Final = "test"
SPLIT_NAMES: Final = (TRAIN, VALIDATION, TEST)
# What is kept together where ratings are frozen, in the words of a refusal.
GROUPED_BY: Final = {
    "reference": "references",
    "family": "patent families",
    "ipc": "IPC subclasses",
    "time": "references",
}
KEY_DIGITS: Final = 16


class SplitError(ValueError):
    """The items cannot be split as asked; the message is for a person."""


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """How rows are split: by a key of GROUPED_BY, "item", or "file" for what the file says.

    Shares are in 0..0.9, that of validation counted on what is not test; any seed.
    """

    by: str = "reference"
    test_share: float = 0.15
    validation_share: float = 0.1
    seed: int = 0


class TextGroups:
    """Distinct texts as numbers from 0, and which of them must stay on one side.

    A text is known by the first 8 bytes of its SHA-256, never held: two of a million different
    texts share them with a chance of about 3 in 100 million, and would then only be kept together.
    """

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._keys = array("Q")
        self._parents = array("L")

    def __len__(self) -> int:
        return len(self._keys)

    def number(self, text: str) -> int:
        """Return the number of a text; the next free one where it is new."""
        key = int(text_sha256(text)[:KEY_DIGITS], 16)
        number = self._numbers.setdefault(key, len(self._keys))
        if number == len(self._keys):
            self._keys.append(key)
            self._parents.append(number)
        return number

    def tie(self, one: int, other: int) -> None:
        """Have two texts, and all that are tied to either, stay on one side."""
        if self._parents[one] == self._parents[other]:
            return
        one, other = self._root(one), self._root(other)
        if self._keys[other] < self._keys[one]:
            one, other = other, one
        self._parents[other] = one

    def name(self, number: int) -> int:
        """Return the name of a text's group: the least key in it, whatever the order of ties."""
        return self._keys[self._root(number)]

    def key(self, number: int) -> int:
        """Return the first 8 bytes of the text's SHA-256 as a whole number."""
        return self._keys[number]

    def _root(self, number: int) -> int:
        parents = self._parents
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number


def deal_groups(
    names: Iterable[int], plan: SplitPlan, latest: Mapping[int, float] | None = None
) -> dict[int, str]:
    """Assign whole groups to splits.

    Input: names of groups, in any order, repeats allowed; a plan; for a split by time, when each
    group was rated last. Output: split by name, a pure function of seed and names: drawn, or by
    time the newest for test, the next for validation. A share above 0 gets at least one group.
    Raises SplitError when there are fewer groups than splits asked for.
    """
    order = sorted(set(names))
    wanted = _wanted(plan)
    if len(order) < wanted:
        raise SplitError(
            f"A group split is impossible: {len(order)} independent {GROUPED_BY[plan.by]} cannot "
            f"fill {wanted} splits. Add references, or set a share to 0."
        )
    if latest is None:
        random.Random(plan.seed).shuffle(order)
    else:
        order.sort(key=lambda name: -latest[name])
    return dict(zip(order, _deal(len(order), plan), strict=True))


def deal_items(ids: Iterable[str], plan: SplitPlan) -> dict[str, str]:
    """Assign single items to splits at random, as the published benchmark does; this leaks.

    Input: ids of items; a plan with shares of the items. Output: split by id. Raises SplitError
    when there are fewer items than splits asked for.
    """
    order = sorted(ids)
    wanted = _wanted(plan)
    if len(order) < wanted:
        raise SplitError(f"{len(order)} items cannot fill {wanted} splits.")
    random.Random(plan.seed).shuffle(order)
    return dict(zip(order, _deal(len(order), plan), strict=True))


def shared_texts(texts: Sequence[Iterable[int]], splits: Iterable[int], count: int) -> int:
    """Count the distinct claim texts that stand in more than one split; 0 proves no leak.

    Input: columns of text numbers below `count`, one entry a row; each row's split as a number
    below 7. Output: a count from 0.
    """
    sides = bytearray(count)
    for split, *numbers in zip(splits, *texts, strict=True):
        for number in numbers:
            sides[number] |= 1 << split
    return sum(found & (found - 1) > 0 for found in sides)


def _wanted(plan: SplitPlan) -> int:
    shares = (plan.test_share, plan.validation_share)
    if not all(0 <= share <= 0.9 for share in shares):
        raise SplitError("A share must lie between 0 and 0.9.")
    return 1 + sum(share > 0 for share in shares)


def _deal(total: int, plan: SplitPlan) -> list[str]:
    test = _count(total, plan.test_share, total - 1 - (plan.validation_share > 0))
    validation = _count(total - test, plan.validation_share, total - test - 1)
    return [TEST] * test + [VALIDATION] * validation + [TRAIN] * (total - test - validation)


def _count(total: int, share: float, most: int) -> int:
    return min(max(1, round(total * share)), most) if share > 0 else 0
