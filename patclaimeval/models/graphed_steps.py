"""Training steps replayed as CUDA graphs: a GPU need not wait for two thousand launches a step.

A graph repeats one step with tensors of the same shapes at the same places. Batches differ in
length, so they are filled up to rounded sizes with sequences that nothing reads; each size has a
graph of its own. A size's first step is taken launch by launch, and is its warm-up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from patclaimeval.models.packed.forward import PackedForward
from patclaimeval.models.packed.sequences import Packed, Spans, Tokens, on_device, positions

ROWS: Final = 512
"""Tokens of a batch are rounded up to this many: some 3 % of a batch of the paper's."""
LONGEST: Final = 1024
SEQUENCES: Final = 8
MOST_ROWS: Final = 16_384
"""Above this the GPU is at work all the time anyway."""

Loss = Callable[..., Tensor]
"""(vectors [n or more, width], further tensors) -> mean loss of the batch, a scalar.

Vectors are first tokens' states and what stands beside them; those past n fill up."""


def _rounded(number: int, step: int) -> int:
    return -(-number // step) * step


@dataclass(frozen=True)
class Size:
    """The shapes of a step: sequences, tokens in all, and the most that one of them has."""

    sequences: int
    rows: int
    longest: int

    @classmethod
    def holding(cls, lengths: Sequence[int]) -> Size:
        """Return the smallest rounded size with more sequences than ``lengths``, to fill up."""
        sequences = _rounded(len(lengths), SEQUENCES) + 1
        rows = _rounded(sum(lengths) + sequences - len(lengths), ROWS)
        return cls(sequences, rows, _rounded(max(lengths), LONGEST))

    @property
    def can_be_recorded(self) -> bool:
        """Whether a graph is worth its memory, and the lengths that ``spans`` needs exist."""
        return self.longest + self.sequences <= self.rows <= MOST_ROWS

    def spans(self, bounds: Tensor) -> Spans:
        """Return spans of this size, wherever ``bounds`` [sequences + 1] come to lie."""
        # Of the lengths only their number, sum and maximum are read while a graph is made.
        share, more = divmod(self.rows - self.longest, self.sequences - 1)
        others = [share + (place < more) for place in range(self.sequences - 1)]
        return Spans((self.longest, *others), bounds)

    def fill(self, sequences: Sequence[Tokens], padding: int | None) -> tuple[Tensor, ...]:
        """Return ids [rows], kinds [rows] and bounds [sequences + 1], filled up.

        What fills them up are sequences of one token, and a last one of what is left.
        """
        ids, kinds = (
            torch.full((self.rows,), padding or 0),
            torch.zeros(self.rows, dtype=torch.long),
        )
        edges = [0, *accumulate(len(own) for own, _ in sequences)]
        for part, values in zip((ids, kinds), zip(*sequences, strict=True), strict=True):
            part[: edges[-1]] = torch.tensor(list(chain.from_iterable(values)))
        added = range(edges[-1] + 1, edges[-1] + self.sequences - len(sequences))
        return ids, kinds, torch.tensor([*edges, *added, self.rows], dtype=torch.int32)


@dataclass(frozen=True)
class Recorded:
    """A graph, what it reads, and the loss and the gradient's length that it leaves, shape [2]."""

    graph: torch.cuda.CUDAGraph
    inputs: tuple[Tensor, ...]
    result: Tensor


class GraphedSteps:
    """Takes the steps of one training whose sizes came before; see the module."""

    def __init__(
        self,
        forward: PackedForward,
        loss: Loss,
        parameters: Sequence[nn.Parameter],
        optimiser: torch.optim.Optimizer,
        clip: float,
    ) -> None:
        """Train ``parameters`` by ``optimiser``, their gradient cut to the length ``clip``."""
        self._forward, self._loss, self._clip = forward, loss, clip
        self._parameters, self._optimiser = list(parameters), optimiser
        self._recorded: dict[object, Recorded | None] = {}
        self._pool: Any = None

    def take(self, sequences: Sequence[Tokens], extra: Tensor, *further: Tensor) -> Tensor | None:
        """Take a step on n ``sequences``; return its mean loss and gradient's length, shape [2].

        ``extra`` [n, k] stands beside the states; ``further`` is given to the loss. Returns None,
        and does nothing, for a size that is new or too large: the caller then takes the step.
        """
        size = Size.holding([len(own) for own, _ in sequences])
        key = (size, extra.shape[1:], tuple(one.shape for one in further))
        if not size.can_be_recorded:
            return None
        if key not in self._recorded:
            self._recorded[key] = None
            return None
        device = self._parameters[0].device
        filled = (
            *size.fill(sequences, self._forward.padding),
            pad(extra, (0, 0, 0, size.sequences - len(sequences))),
        )
        given = tuple(on_device(one, device) for one in (*filled, *further))
        recorded = self._recorded[key]
        if recorded is None:
            recorded = self._recorded[key] = self._record(size, given)
        for own, new in zip(recorded.inputs, given, strict=True):
            own.copy_(new)
        recorded.graph.replay()
        return recorded.result.clone()

    def _record(self, size: Size, inputs: tuple[Tensor, ...]) -> Recorded:
        # Gradients are made within the graph. Given up after it, their memory serves the next one:
        # graphs run one after the other, and each writes what it reads.
        self._optimiser.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            result = self.step(size, *inputs)
        self._pool = graph.pool()
        self._optimiser.zero_grad(set_to_none=True)
        return Recorded(graph, inputs, result)

    def step(
        self,
        size: Size,
        ids: Tensor,
        kinds: Tensor,
        bounds: Tensor,
        extra: Tensor,
        *further: Tensor,
    ) -> Tensor:
        """Take a filled-up step: what is recorded."""
        spans = size.spans(bounds)
        packed = Packed(ids, kinds, positions(ids, spans, self._forward.padding), spans)
        states = self._forward.first_states_of(packed).float()
        loss = self._loss(torch.cat([extra, states], dim=1), *further)
        loss.backward()
        length = torch.nn.utils.clip_grad_norm_(self._parameters, self._clip)
        self._optimiser.step()
        return torch.stack([loss.detach(), length])
