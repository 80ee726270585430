"""The floats that an encoder computes in: 32-bit, or bfloat16 where that is faster here."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Final

import torch

DTYPES: Final = {"fp32": torch.float32, "bf16": torch.bfloat16}

_ROWS: Final = 512
_WIDTH: Final = 768
"""The size of the measured product: a text of ordinary length in an encoder of base size."""
_GAIN: Final = 1.25
"""bfloat16 must be this many times as fast: it costs digits, so a tie is for 32 bits."""
_HOPELESS: Final = 2.0
"""Where bfloat16 takes so many times as long, it is emulated: two turns tell, and cost enough."""
_REPEATS: Final = 25


def resolve_precision(wanted: str, device: str) -> str:
    """Return 'fp32' or 'bf16' for ``wanted``, one of those or 'auto', on a device ('cpu', 'cuda').

    'auto' multiplies two matrices both ways on the device, once a process, and takes bfloat16
    only if it wins clearly: some processors have no bfloat16 arithmetic and are slower with it.
    """
    return _faster(device) if wanted == "auto" else wanted


@lru_cache(maxsize=8)
def _faster(device: str) -> str:
    plain, half = _seconds(device)
    return "bf16" if half * _GAIN < plain else "fp32"


def _seconds(
    device: str, rows: int = _ROWS, width: int = _WIDTH, repeats: int = _REPEATS
) -> list[float]:
    """Return the shortest time of one matrix product, in 32-bit floats and in bfloat16.

    They take turns, so that what else the machine does slows both; the first turn is not counted.
    The turns end early where bfloat16 has lost.
    """
    with torch.inference_mode():
        products = [
            (
                torch.ones((rows, width), dtype=dtype, device=device),
                torch.ones((width, width), dtype=dtype, device=device),
            )
            for dtype in DTYPES.values()
        ]
        found: list[list[float]] = [[] for _ in products]
        for turn in range(repeats + 1):
            for times, (states, weights) in zip(found, products, strict=True):
                start = time.perf_counter()
                product = states @ weights
                # Reading one number waits for a device that works on its own.
                product[0, 0].item()
                times.append(time.perf_counter() - start)
            plain, half = (min(times[1:], default=0.0) for times in found)
            if turn > 1 and half > _HOPELESS * plain:
                break
    return [plain, half]
