"""Which keys a query may see: all, or a window around it and, if so set, the first token."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor


@dataclass(frozen=True)
class Reach:
    """Query i sees key j if |i - j| <= ``window`` (None: always), or j = 0 and ``first``."""

    window: int | None = None
    first: bool = False

    def mask(self, rows: range, keys: range, device: torch.device | str = "cpu") -> Tensor:
        """Return who sees whom, shape [rows, keys], bool."""
        i = torch.arange(rows.start, rows.stop, device=device)[:, None]
        j = torch.arange(keys.start, keys.stop, device=device)[None]
        if self.window is None:
            return torch.ones((len(rows), len(keys)), dtype=torch.bool, device=device)
        seen = (i - j).abs() <= self.window
        return seen | (j == 0) if self.first else seen

    def blocks(self, length: int, size: int, whole: bool = True) -> Iterator[Block]:
        """Yield the queries of a sequence in blocks of ``size``, each with the keys it can see.

        With ``whole``, a sequence of which the window hides nothing is one block.
        """
        open_to_all = self.window is None or self.window >= length - 1
        if open_to_all and whole:
            size = length
        for start in range(0, length, size):
            rows = range(start, min(length, start + size))
            if self.window is None or open_to_all:
                yield Block(rows, range(length), Reach(), False)
                continue
            keys = range(max(0, start - self.window), min(length, rows.stop + self.window))
            yield Block(rows, keys, self, self.first and keys.start > 0)


@dataclass(frozen=True)
class Block:
    """Neighbouring queries and the keys that any of them sees; ``first``: key 0 comes before."""

    rows: range
    keys: range
    reach: Reach
    first: bool

    def select(self, states: Tensor) -> Tensor:
        """Return the block's keys (or values), shape [heads, k, d], of [heads, length, d]."""
        own = states[:, self.keys.start : self.keys.stop]
        return torch.cat([states[:, :1], own], dim=1) if self.first else own

    def bias(self, dtype: torch.dtype) -> Tensor | None:
        """Return what is added to the scores, shape [rows, k]: 0 or minus infinity; None: zeros."""
        if self.reach.window is None:
            return None
        low = self.rows.start - self.keys.start
        at_start = self.reach.first and self.keys.start == 0
        return _bias(self.reach, len(self.rows), low, len(self.keys), at_start, self.first, dtype)


@lru_cache(maxsize=64)
def _bias(
    reach: Reach, rows: int, low: int, keys: int, at_start: bool, first: bool, dtype: torch.dtype
) -> Tensor:
    """Return a block's bias by its shape alone: the blocks inside a sequence share theirs."""
    # A tensor made while inference mode is on could never be used for training afterwards.
    with torch.inference_mode(False):
        local = Reach(reach.window, at_start)  # elsewhere the block's own key 0 is no first token
        seen = local.mask(range(low, low + rows), range(keys))
        if first:
            seen = torch.cat([torch.ones((rows, 1), dtype=torch.bool), seen], dim=1)
        return torch.zeros(seen.shape, dtype=dtype).masked_fill_(~seen, float("-inf"))
