"""Token sequences laid end to end: their ids, kinds and where each begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

Tokens = tuple[Sequence[int], Sequence[int]]
"""One sequence: the ids of its tokens and, as long, the number of the text each stands in."""


@dataclass(frozen=True)
class Spans:
    """Where n sequences lie in T rows; ``bounds`` [n + 1] (int32, on a device) are their edges."""

    lengths: tuple[int, ...]
    bounds: Tensor

    @classmethod
    def of(cls, lengths: Sequence[int], device: torch.device | str = "cpu") -> Spans:
        """Return the spans of sequences of the given lengths, each at least 1."""
        if not lengths or min(lengths) < 1:
            raise ValueError("there is no sequence without tokens")
        edges = torch.tensor([0, *accumulate(lengths)], dtype=torch.int32)
        return cls(tuple(lengths), edges.to(device, non_blocking=True))

    @property
    def longest(self) -> int:
        """Tokens of the longest sequence."""
        return max(self.lengths)

    @property
    def starts(self) -> Tensor:
        """The row of each sequence's first token, shape [n]."""
        return self.bounds[:-1]

    def slices(self) -> Iterator[slice]:
        """Yield the rows of one sequence after the other."""
        start = 0
        for length in self.lengths:
            yield slice(start, start + length)
            start += length

    def padded_rows(self) -> tuple[Tensor, Tensor]:
        """Return row numbers [n, longest] and which of them are rows at all, same shape (bool).

        Places past a sequence's end name its first row, so that they can be looked up.
        """
        offsets = torch.arange(self.longest, device=self.bounds.device)
        real = offsets < self.bounds.diff()[:, None]
        return torch.where(real, self.starts[:, None] + offsets, self.starts[:, None]), real


@dataclass(frozen=True)
class Packed:
    """Sequences laid end to end: ids, kinds and positions, each of shape [T]."""

    ids: Tensor
    kinds: Tensor
    positions: Tensor
    spans: Spans


def pack(
    sequences: Sequence[Tokens], device: torch.device | str = "cpu", padding: int | None = None
) -> Packed:
    """Lay ``sequences`` end to end on ``device``.

    Positions count from 0. With ``padding``, the id of the padding token, they are counted as
    RoBERTa does: from ``padding`` + 1, past tokens of that id, which stand at ``padding``.
    """
    ids = [torch.tensor(own, dtype=torch.long) for own, _ in sequences]
    positions = [_positions(own, padding) for own in ids]
    kinds = [torch.tensor(own, dtype=torch.long) for _, own in sequences]
    spans = Spans.of([len(own) for own in ids], device)
    return Packed(_flat(ids, device), _flat(kinds, device), _flat(positions, device), spans)


def by_budget(lengths: Sequence[int], budget: int | None) -> Iterator[list[int]]:
    """Yield groups of positions in order, each of at most ``budget`` tokens or of one sequence.

    ``budget`` None: one group of all.
    """
    group: list[int] = []
    held = 0
    for place, length in enumerate(lengths):
        if group and budget is not None and held + length > budget:
            yield group
            group, held = [], 0
        group.append(place)
        held += length
    if group:
        yield group


def _flat(parts: Sequence[Tensor], device: torch.device | str) -> Tensor:
    return torch.cat(list(parts)).to(device, non_blocking=True)


def _positions(ids: Tensor, padding: int | None) -> Tensor:
    if padding is None:
        return torch.arange(len(ids))
    real = ids != padding
    return real.cumsum(0) * real + padding
