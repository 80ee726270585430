"""Token sequences laid end to end, which keys a query may see, and dropout over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, chain
from typing import Final

import torch
from torch import Tensor
from torch.nn.functional import dropout

Tokens = tuple[Sequence[int], Sequence[int]]
"""One sequence: the ids of its tokens and, as long, the number of the text each stands in."""


_COLUMNS: Final = 8


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
        return cls(tuple(lengths), on_device(edges, device))

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

    @cached_property
    def firsts(self) -> Spans:
        """As many sequences of one row each: their first tokens alone."""
        numbers = torch.arange(len(self.lengths) + 1, dtype=torch.int32, device=self.bounds.device)
        return Spans((1,) * len(self.lengths), numbers)

    @cached_property
    def owners(self) -> Tensor:
        """The number of the sequence in which each row lies, shape [T]."""
        numbers = torch.arange(len(self.lengths), device=self.bounds.device)
        # Told the number of rows, a GPU need not be waited for.
        return numbers.repeat_interleave(self.bounds.diff(), output_size=sum(self.lengths))

    @cached_property
    def offsets(self) -> Tensor:
        """How far each row lies from its sequence's first, shape [T]."""
        rows = torch.arange(sum(self.lengths), device=self.bounds.device)
        return rows - self.starts[self.owners]

    def padded(self, states: Tensor) -> Tensor:
        """Return ``states`` [T, ...] as [n, width, ...], with zeros past a sequence's end."""
        shape = (len(self.lengths), self.width)
        empty = states.new_zeros(shape[0] * shape[1], *states.shape[1:])
        places = self.owners * self.width + self.offsets
        return empty.index_copy_(0, places, states).view(*shape, *states.shape[1:])

    def unpadded(self, states: Tensor) -> Tensor:
        """Return ``states`` [n, width, ...] as [T, ...]: what ``padded`` made of it, undone."""
        return states.flatten(0, 1)[self.owners * self.width + self.offsets]

    @property
    def width(self) -> int:
        """Columns of padded states: a GPU multiplies matrices of odd sizes slowly."""
        return -(-self.longest // _COLUMNS) * _COLUMNS

    @property
    def real(self) -> Tensor:
        """Which of [n, width] are rows."""
        return torch.arange(self.width, device=self.bounds.device) < self.bounds.diff()[:, None]


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
    spans = Spans.of([len(own) for own, _ in sequences], device)
    ids, kinds = (
        on_device(torch.tensor(list(chain.from_iterable(part))), device)
        for part in zip(*sequences, strict=True)
    )
    return Packed(ids, kinds, positions(ids, spans, padding), spans)


def positions(ids: Tensor, spans: Spans, padding: int | None) -> Tensor:
    """Return the position of each of ``ids`` [T] as ``pack`` counts them, same shape."""
    if padding is None:
        return spans.offsets
    real = (ids != padding).long()
    before = real.cumsum(0) - real
    return (before + 1 - before[spans.starts[spans.owners]]) * real + padding


def on_device(values: Tensor, device: torch.device | str) -> Tensor:
    """Return ``values`` on ``device``; from pinned memory, so that nobody waits for a GPU."""
    if torch.device(device).type != "cuda" or values.is_cuda:
        return values.to(device)
    return values.pin_memory().to(device, non_blocking=True)


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


_STEPS: Final = 1 << 16
_PER_DRAW: Final = 4
_INTEGERS: Final = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def drop(states: Tensor, rate: float, training: bool) -> Tensor:
    """Return ``states`` with a share ``rate`` of its numbers 0 and the others scaled up for it."""
    if not training or rate == 0.0:
        return states
    if states.device.type != "cpu":
        return dropout(states, rate)
    shape = tuple(states.shape)
    kept = torch.ge(_draw(shape), _bound(rate), out=torch.empty(shape, dtype=states.dtype))
    return states * kept.mul_(1 / (1 - rate))


def survivors(shape: tuple[int, ...], rate: float) -> Tensor:
    """Return which numbers stay: 16-bit integers of ``shape`` on the CPU, all bits set or none.

    Each is dropped with probability ``rate``, rounded to 1 / 65,536, by torch's generator.
    """
    bits = torch.ge(_draw(shape), _bound(rate), out=torch.empty(shape, dtype=torch.int16))
    return bits.neg_()


def clear_(states: Tensor, stay: Tensor) -> Tensor:
    """Set the numbers of ``states`` to 0, in place, that are not to ``stay``; see ``survivors``.

    Bits are masked: a product with zeros and ones would first have to be turned into floats.
    """
    whole = _INTEGERS[states.element_size()]
    states.view(whole).bitwise_and_(stay.to(whole))
    return states


def _draw(shape: tuple[int, ...]) -> Tensor:
    """Return 16-bit integers, each as likely as any other."""
    count = int(torch.Size(shape).numel())
    draws = torch.empty(-(-count // _PER_DRAW), dtype=torch.int64).random_(-(2**63), None)
    return draws.view(torch.int16)[:count].view(shape)


def _bound(rate: float) -> int:
    """Return below which of the 65,536 numbers, counted from -32,768, a draw drops out."""
    return round(rate * _STEPS) - _STEPS // 2
