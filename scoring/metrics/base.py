"""The interface that every metric keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Pair:
    """One reference claim set and one candidate claim set, as plain texts."""

    reference: str
    candidate: str


class Metric(Protocol):
    """Anything that turns pairs into numbers, where a higher number is a better candidate.

    name: the scorer's name in commands and reports.
    version: what computed it: the library with its version, and every choice that moves a number.
    low, high: the range of a score; `high` is None where there is no upper bound.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float | None: ...

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Score n pairs. Output: n numbers within [low, high], in the order of the pairs."""
        ...


def library_version(distribution: str) -> str:
    """Name an installed library with its version, as 'sacrebleu 2.6.0', without importing it."""
    return f"{distribution} {version(distribution)}"
