"""What the room compares: quadruplets as items, and a scorer's numbers for their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import repeat
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

LABELS = (-1, 0, 1)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class AgreementError(ValueError):
    """The question cannot be answered from what was given; the message is for a person."""


@dataclass(frozen=True, slots=True)
class Item:
    """One quadruplet (A, B, C, y): y = 1 when people prefer B, -1 when C, 0 for a tie.

    id: what a reader may find it by again; never text of a claim.
    """

    reference_id: str
    reference: str
    b: str
    c: str
    y: int
    id: str = ""

    def __post_init__(self) -> None:
        """Refuse a label outside -1, 0, 1."""
        if self.y not in LABELS:
            raise AgreementError(f"y must be -1, 0 or 1, and is {self.y!r}.")


@dataclass(frozen=True, slots=True)
class ScorerScores:
    """What one scorer gave: a number for (reference, candidate) texts of the items.

    A text may be missing, or its number not finite; `reasons` may say why. Such items are left
    out before anything is computed (see dropping.py).
    """

    name: str
    version: str
    scores: Mapping[tuple[str, str], float]
    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)


def distinct_texts(items: Iterable[Item]) -> list[tuple[str, str]]:
    """List each (reference, candidate) of the items once, in order of first appearance.

    Input: any number of items. Output: the texts a scorer has to score, each a pair of strings.
    """
    return list(
        dict.fromkeys((item.reference, text) for item in items for text in (item.b, item.c))
    )


def scores_of(items: Sequence[Item], scorer: ScorerScores) -> tuple[Floats, Floats]:
    """Look up score(B) and score(C) of n items. Output: twice n numbers, NaN = no score."""
    references = list(map(attrgetter("reference"), items))
    b, c = (
        np.fromiter(
            map(scorer.scores.get, zip(references, texts, strict=True), repeat(np.nan)),
            dtype=np.float64,
            count=len(items),
        )
        for texts in (map(attrgetter("b"), items), map(attrgetter("c"), items))
    )
    return b, c


def subtract(b: Floats, c: Floats) -> Floats:
    """Subtract n scores of C from those of B. Output: n numbers, not finite where one is not."""
    with np.errstate(invalid="ignore", over="ignore"):
        return b - c


def score_differences(items: Sequence[Item], scorer: ScorerScores) -> Floats:
    """Compute score(B) - score(C) for n items. Output: n finite numbers.

    Raises AgreementError when a text was not scored or its score is not a finite number.
    """
    b, c = scores_of(items, scorer)
    differences = subtract(b, c)
    failed = np.flatnonzero(~np.isfinite(differences))
    if len(failed):
        first = int(failed[0])
        raise AgreementError(_refusal(items[first], scorer, float(b[first]), float(c[first])))
    return differences


def _refusal(item: Item, scorer: ScorerScores, b: float, c: float) -> str:
    candidate, score = (item.c, c) if np.isfinite(b) else (item.b, b)
    found = f"the score {score}" if (item.reference, candidate) in scorer.scores else "no score"
    # Named by digest: a message may reach a log, and claim text must not.
    digest = sha256(candidate.encode()).hexdigest()[:16]
    return (
        f"The scorer {scorer.name} gave {found} for the candidate whose text has the sha256 "
        f"{digest}...; every candidate needs a finite number, not too far from the others."
    )


def labels_of(items: Sequence[Item]) -> Integers:
    """Return the human labels y of n items. Output: n whole numbers, each -1, 0 or 1."""
    return np.fromiter(map(attrgetter("y"), items), dtype=np.int64, count=len(items))


def cluster_numbers(items: Sequence[Item]) -> tuple[Integers, int]:
    """Number the items' references by first appearance. Output: n numbers 0 to R - 1, and R."""
    numbers, names = number(list(map(attrgetter("reference_id"), items)))
    return numbers, len(names)


def number(values: Sequence[str]) -> tuple[Integers, list[str]]:
    """Number n strings by first appearance. Output: n numbers 0 to k - 1, and the k strings."""
    numbers = {value: place for place, value in enumerate(dict.fromkeys(values))}
    found = np.fromiter(map(numbers.__getitem__, values), dtype=np.int64, count=len(values))
    return found, list(numbers)
