"""What the room compares: quadruplets as items, and a scorer's numbers for their texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

LABELS = (-1, 0, 1)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class AgreementError(ValueError):
    """The question cannot be answered from what was given; the message is for a person."""


@dataclass(frozen=True, slots=True)
class Item:
    """One quadruplet (A, B, C, y): y = 1 when people prefer B, -1 when C, 0 for a tie."""

    reference_id: str
    reference: str
    b: str
    c: str
    y: int

    def __post_init__(self) -> None:
        """Refuse a label outside -1, 0, 1."""
        if self.y not in LABELS:
            raise AgreementError(f"y must be -1, 0 or 1, and is {self.y!r}.")


@dataclass(frozen=True, slots=True)
class ScorerScores:
    """What one scorer gave: a finite number for every (reference, candidate) text of the items."""

    name: str
    version: str
    scores: Mapping[tuple[str, str], float]


def distinct_texts(items: Iterable[Item]) -> list[tuple[str, str]]:
    """List each (reference, candidate) of the items once, in order of first appearance.

    Input: any number of items. Output: the texts a scorer has to score, each a pair of strings.
    """
    return list(
        dict.fromkeys((item.reference, text) for item in items for text in (item.b, item.c))
    )


def score_differences(items: Sequence[Item], scorer: ScorerScores) -> Floats:
    """Compute score(B) - score(C) for n items. Output: n finite numbers.

    Raises AgreementError when a text was not scored or its score is not a finite number.
    """
    values = [
        _score_of(scorer, item.reference, item.b) - _score_of(scorer, item.reference, item.c)
        for item in items
    ]
    return np.asarray(values, dtype=np.float64)


def _score_of(scorer: ScorerScores, reference: str, candidate: str) -> float:
    score = scorer.scores.get((reference, candidate))
    if score is None or not math.isfinite(score):
        found = "no score" if score is None else f"the score {score}"
        # Named by digest: a message may reach a log, and claim text must not.
        digest = sha256(candidate.encode()).hexdigest()[:16]
        raise AgreementError(
            f"The scorer {scorer.name} gave {found} for the candidate whose text has the sha256 "
            f"{digest}...; every candidate needs a finite number."
        )
    return float(score)


def labels_of(items: Sequence[Item]) -> Integers:
    """Return the human labels y of n items. Output: n whole numbers, each -1, 0 or 1."""
    return np.asarray([item.y for item in items], dtype=np.int64)


def cluster_numbers(items: Sequence[Item]) -> tuple[Integers, int]:
    """Number the items' references. Output: n numbers from 0 to R - 1, and R."""
    numbers: dict[str, int] = {}
    indices = [numbers.setdefault(item.reference_id, len(numbers)) for item in items]
    return np.asarray(indices, dtype=np.int64), len(numbers)
