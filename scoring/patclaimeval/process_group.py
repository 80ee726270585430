"""The processes that train one model together: which part of a batch is whose, and their sum."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

Item = TypeVar("Item")


class ProcessGroup:
    """One process, the default, or one of several between which torch passes tensors.

    Each holds all weights and takes a share of each batch; gradients are added up over all, so that
    a step is that of the whole batch. Dropout is each process's own.
    """

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        """Be process ``rank`` of ``size``; with more than one torch's default group is set up."""
        self.rank = rank
        self.size = size

    @property
    def is_first(self) -> bool:
        """Whether this process reports and saves."""
        return self.rank == 0

    def share(self, items: Sequence[Item], cost: Callable[[Item], float]) -> list[Item]:
        """Return this process's items, in order; the costliest go first to who has least."""
        loads = [0.0] * self.size
        own: list[int] = []
        for place in sorted(range(len(items)), key=lambda place: -cost(items[place])):
            process = loads.index(min(loads))
            loads[process] += cost(items[place])
            if process == self.rank:
                own.append(place)
        return [items[place] for place in sorted(own)]

    def any(self, is_so: bool) -> bool:
        """Return whether it is so in any of the processes; each calls this."""
        return bool(self._largest(torch.tensor([is_so], dtype=torch.int32))[0])

    def gathered(self, value: Any) -> list[Any]:
        """Return the plain value of each process, by rank."""
        if self.size == 1:
            return [value]
        found: list[Any] = [None] * self.size
        torch.distributed.all_gather_object(found, value)
        return found

    def add_up(self, total: Tensor, parameters: Iterable[nn.Parameter]) -> Tensor:
        """Add up a number and the gradients over all processes; return the number's sum.

        A parameter that no process has a gradient of keeps none: an optimiser passes it over.
        """
        if self.size == 1:
            return total
        parameters = list(parameters)
        has_one = torch.tensor([each.grad is not None for each in parameters], dtype=torch.int32)
        wanted = [each for each, one in zip(parameters, self._largest(has_one), strict=True) if one]
        parts = [torch.zeros_like(each) if each.grad is None else each.grad for each in wanted]
        flat = torch.cat([total.reshape(1), *(part.reshape(-1) for part in parts)])
        torch.distributed.all_reduce(flat)
        places = flat[1:].split([part.numel() for part in parts])
        for parameter, values in zip(wanted, places, strict=True):
            parameter.grad = values.view_as(parameter)
        return flat[0]

    def _largest(self, values: Tensor) -> Tensor:
        if self.size > 1:
            torch.distributed.all_reduce(values, torch.distributed.ReduceOp.MAX)
        return values


ALONE = ProcessGroup()
