"""How many tokens are encoded at once, and what is done when memory runs out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import torch

from patclaimeval.models.data import Pair, Quadruplet
from patclaimeval.models.errors import TrainingFailed

CPU_TOKENS: Final = 4096
"""About one pair of the longest kind: more at once gains nothing on a CPU and costs memory."""
CUDA_TOKENS_PER_GIB: Final = 512
"""Activations of a base-size encoder in training take a good MiB a token."""


def first_budget(device: str) -> int:
    """Return the tokens that a step may encode at once on ``device`` ('cpu', 'cuda', 'cuda:1')."""
    if not device.startswith("cuda"):
        return CPU_TOKENS
    gib = torch.cuda.get_device_properties(device).total_memory / 2**30
    return max(CPU_TOKENS, int(gib * CUDA_TOKENS_PER_GIB))


class TokenBudget:
    """The tokens encoded at once; halved once when memory runs out, and not a second time."""

    def __init__(self, tokens: int, *, is_halved: bool = False) -> None:
        """Start from ``tokens``, or go on from a budget that was halved before."""
        self.tokens = tokens
        self.is_halved = is_halved

    def halve(self, step: int) -> str:
        """Halve the budget and return a sentence about it.

        Raises ``TrainingFailed`` naming ``step`` if it was halved before.
        """
        if self.is_halved:
            raise TrainingFailed(
                f"Memory ran out at step {step}, also with {self.tokens} tokens at once. Choose a "
                "smaller encoder, leave out the longest claim sets, or use a larger machine."
            )
        self.tokens, self.is_halved = max(1, self.tokens // 2), True
        return (
            f"Memory ran out at step {step}: from here on at most {self.tokens} tokens are "
            "encoded at once. The batches stay the same."
        )

    def chunks(
        self, batch: Sequence[Quadruplet], tokens: Mapping[Pair, int]
    ) -> list[list[Quadruplet]]:
        """Divide a batch, in order, so that a part's distinct pairs fit the budget.

        A quadruplet that alone exceeds it is a part of its own. ``tokens`` gives each pair's
        length.
        """
        parts: list[list[Quadruplet]] = []
        held: set[Pair] = set()
        for item in batch:
            together = held | set(item.pairs)
            if parts and sum(tokens[pair] for pair in together) <= self.tokens:
                parts[-1].append(item)
                held = together
            else:
                parts.append([item])
                held = set(item.pairs)
        return parts

    def pair_parts(self, pairs: Sequence[Pair], tokens: Mapping[Pair, int]) -> list[list[Pair]]:
        """Divide distinct pairs into parts that fit the budget, the longest pairs first."""
        parts: list[list[Pair]] = []
        used = 0
        for pair in sorted(pairs, key=lambda pair: -tokens[pair]):
            if parts and used + tokens[pair] <= self.tokens:
                parts[-1].append(pair)
                used += tokens[pair]
            else:
                parts.append([pair])
                used = tokens[pair]
        return parts


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether ``error`` says that a device or the machine has no memory left."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    # The CPU's allocator raises a plain RuntimeError.
    return isinstance(error, RuntimeError) and "can't allocate memory" in str(error)


@contextmanager
def out_of_memory_reported() -> Iterator[None]:
    """Turn memory that ran out outside a step, where nothing is halved, into ``TrainingFailed``."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        raise TrainingFailed(
            "Memory ran out while texts were encoded. Choose a smaller encoder, leave out the "
            "longest claim sets, or use a larger machine."
        ) from error


@contextmanager
def device_errors_reported() -> Iterator[None]:
    """Turn an error of the GPU itself, other than memory, into ``TrainingFailed``."""
    try:
        yield
    except torch.AcceleratorError as error:
        raise TrainingFailed(
            "The GPU stopped answering: it was taken away, reset or is broken. Nothing of this "
            "training was kept; start it again, and on another device if that happens again. "
            f"({str(error).partition(chr(10))[0]})"
        ) from error


def release(device: str) -> None:
    """Give memory that is cached but unused back to the device."""
    if device.startswith("cuda"):
        torch.cuda.empty_cache()
