"""Hugging Face's parameters as the packed forward pass needs them: joined, and in its precision."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

Parameters = tuple[Tensor, ...]


class Weights:
    """Gives parameters joined along their rows in another float type.

    While gradients are wanted this is a step of the graph, so that they reach the parameters, in
    their own type. Otherwise the copy is kept until a parameter changes.
    """

    def __init__(self) -> None:
        """Begin with nothing kept."""
        self._kept: dict[tuple[int, ...], tuple[tuple[object, ...], Tensor]] = {}

    def linear(self, parts: Sequence[nn.Linear], dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Return weight [sum of outputs, inputs] and bias of linear layers side by side."""
        return (
            self.joined(tuple(part.weight for part in parts), dtype),
            self.joined(tuple(part.bias for part in parts), dtype),
        )

    def joined(self, parts: Parameters, dtype: torch.dtype) -> Tensor:
        """Return ``parts`` below one another in ``dtype``."""
        if len(parts) == 1 and parts[0].dtype == dtype:
            return parts[0]
        if torch.is_grad_enabled() and any(part.requires_grad for part in parts):
            return _join(parts, dtype)
        key = tuple(map(id, parts))
        state = (dtype, *((part.data_ptr(), part._version) for part in parts))
        kept = self._kept.get(key)
        if kept is None or kept[0] != state:
            # Made outside inference mode, it may also serve where gradients flow past it.
            with torch.inference_mode(False), torch.no_grad():
                kept = self._kept[key] = state, _join(parts, dtype)
        return kept[1]


def _join(parts: Parameters, dtype: torch.dtype) -> Tensor:
    cast = [part.to(dtype) for part in parts]
    return cast[0] if len(cast) == 1 else torch.cat(cast)
