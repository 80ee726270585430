"""How fast this machine works now, measured in a moment: what a first estimate rests on."""

from collections.abc import Callable
from time import perf_counter
from typing import Final

import numpy as np

MOMENT_SECONDS: Final = 0.15
FEWEST: Final = 3
SIDE: Final = 384
# A training meets texts that are harder to read than the sample, and other work beside it; an
# encoder's products are smaller than the measured one, and not all that it does.
READING: Final = (0.25, 1.5)
COMPUTING: Final = (0.05, 0.8)
_MEMBER: Final = (
    "wherein the member {at} is coupled to the housing, and the controller is configured to move "
    "the member {at} relative to the housing in response to a value that the sensor {at} measures"
)


def measured_pace(kind: str) -> tuple[float, float]:
    """Return the least and the most that a training does in a second, as `operations` counts.

    Input: `probe`, which reads words, or `finetune`, which computes. Takes some tenths of a second
    at most on a machine that is not overloaded, and rests on how busy the machine is meanwhile.
    """
    if kind == "probe":
        low, high = READING
        pace = _repeated(_read_a_pair)
    else:
        low, high = COMPUTING
        matrix = np.ones((SIDE, SIDE), dtype=np.float32)
        pace = _repeated(lambda turn: _multiply(matrix))
    return low * pace, high * pace


def _repeated(work: Callable[[int], float]) -> float:
    """Return the units a second of work that returns its units; the first turn warms up."""
    work(0)
    begun, units, turn = perf_counter(), 0.0, 0
    while turn < FEWEST or perf_counter() - begun < MOMENT_SECONDS:
        turn += 1
        units += work(turn)
    return units / (perf_counter() - begun)


def _multiply(matrix: "np.ndarray[tuple[int, int], np.dtype[np.float32]]") -> float:
    np.matmul(matrix, matrix)
    return 2.0 * SIDE**3


def _read_a_pair(turn: int) -> float:
    from scoring.patclaimeval.features import feature_vector

    # What was read is stored by text, so that each turn reads others.
    first, second = _claims(10 * turn), _claims(10 * turn + 5)
    feature_vector(first, second)
    return float(len(first.split()) + len(second.split()))


def _claims(number: int) -> str:
    """Return a claim set of eight claims like no other number's."""
    dependent = (f"{n}. The apparatus of claim {n - 1}, {_MEMBER}." for n in range(2, 9))
    text = "\n".join([f"1. An apparatus comprising a housing, {_MEMBER}.", *dependent])
    return text.format(at=number)
