"""Owns short sketches of long texts, from which it can be told how much two texts share.

One permutation hashing (Li, Owen and Zhang, 2012) of runs of five words, with banding (Broder,
1997; Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, ch. 3).
"""

from array import array
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from annotator.claims.compact_keys import CompactKeys

WORDS: Final = 5
SIMILAR: Final = 0.9
BINS: Final = 256
# Texts of similarity 0.9 share at least one of twelve bands of eight bins with a chance of 0.999.
BANDS: Final = 12
ROWS: Final = 8
_BLOCK: Final = 1024
_BASE: Final = 0x9E3779B97F4A7C15
_MIX: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))

Sketch = npt.NDArray[np.uint16]
Hashes = npt.NDArray[np.uint64]


def sketch(text: str) -> Sketch:
    """Return the sketch of a text whose words stand between single blanks.

    Output: uint16 array of BINS entries, 0 where a bin is empty. Formula: each run of WORDS words
    has a 64-bit hash; its first byte says the bin; a bin holds the last 16 bits (at least 1) of
    its smallest hash. A text of fewer words is one run.
    """
    hashes = np.sort(_runs(_words(text.encode("utf-8", "surrogatepass"))))
    bins = (hashes >> np.uint64(56)).astype(np.intp)
    smallest = np.flatnonzero(np.diff(bins, prepend=-1))
    found = np.zeros(BINS, np.uint16)
    found[bins[smallest]] = np.maximum(hashes[smallest].astype(np.uint16), 1)
    return found


def similarity(one: Sketch, other: Sketch) -> float:
    """Return about which share of the runs of either text both have (Jaccard), from 0 to 1.

    Input: two sketches. Formula: equal bins / bins that are not empty in both; the standard error
    at 0.9 is 0.02 for long texts. Source: Li, Owen and Zhang, 2012.
    """
    used = int(np.count_nonzero(one | other))
    return int(np.count_nonzero((one == other) & (one > 0))) / used if used else 0.0


class SketchTable:
    """Keeps sketches by number, and finds for a new one the most similar of those kept."""

    def __init__(self) -> None:
        self._blocks: list[npt.NDArray[np.uint16]] = []
        self._count = 0
        self._bands = CompactKeys()
        self._first_with = array("I")

    def enter(self, text: str, ignored: int | None = None) -> tuple[int, float] | None:
        """Keep the sketch of a text under the next number, from 0; return what is most like it.

        Output: number and similarity of the most similar of the first texts that share a band with
        it, `ignored` left out; None where no text does.
        """
        fresh = sketch(text)
        number = self._keep(fresh)
        others: set[int] = set()
        for band, values in enumerate(_filled(fresh)[: BANDS * ROWS].reshape(BANDS, ROWS)):
            place = self._bands.enter((band, values.tobytes()))
            if place == len(self._first_with):
                self._first_with.append(number)
            else:
                others.add(self._first_with[place])
        others -= {number, -1 if ignored is None else ignored}
        measured = ((similarity(self._sketch(other), fresh), -other) for other in others)
        best = max(measured, default=None)
        return None if best is None else (-best[1], best[0])

    def _keep(self, fresh: Sketch) -> int:
        if self._count % _BLOCK == 0:
            self._blocks.append(np.zeros((_BLOCK, BINS), np.uint16))
        self._blocks[-1][self._count % _BLOCK] = fresh
        self._count += 1
        return self._count - 1

    def _sketch(self, number: int) -> Sketch:
        found: Sketch = self._blocks[number // _BLOCK][number % _BLOCK]
        return found


def _filled(found: Sketch) -> Sketch:
    """Return the sketch with each empty bin lent the value of the next that is not.

    Short texts leave most bins empty, and bands of empty bins would make all of them alike.
    Source: Shrivastava and Li, 2014 (rotation).
    """
    used = np.flatnonzero(found)
    place = np.searchsorted(used, np.arange(BINS)) % len(used)
    filled: Sketch = found[used[place]]
    return filled


class _Powers:
    """Powers of an odd number modulo 2^64, and their inverses, as far as they were needed."""

    up: Hashes = np.ones(1, np.uint64)
    down: Hashes = np.ones(1, np.uint64)

    @classmethod
    def reach(cls, count: int) -> None:
        if len(cls.up) < count:
            size = max(count, 2 * len(cls.up), 8192)
            cls.up = _powers(_BASE, size)
            cls.down = _powers(pow(_BASE, -1, 1 << 64), size)


def _powers(base: int, size: int) -> Hashes:
    factors = np.full(size, base, np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def _words(data: bytes) -> Hashes:
    """Return a hash for each word: its bytes as a polynomial modulo 2^64, whatever its place."""
    _Powers.reach(len(data) + 1)
    letters: npt.NDArray[Any] = np.frombuffer(data, np.uint8)
    blanks = np.flatnonzero(letters == 0x20)
    starts = np.concatenate(([0], blanks + 1))
    ends = np.concatenate((blanks, [len(data)]))
    sums = np.zeros(len(data) + 1, np.uint64)
    np.cumsum(letters * _Powers.up[: len(data)], out=sums[1:])
    return _mixed((sums[ends] - sums[starts]) * _Powers.down[starts])


def _runs(words: Hashes) -> Hashes:
    """Return a hash for each run of WORDS words."""
    size = max(1, len(words) - WORDS + 1)
    runs = np.zeros(size, np.uint64)
    for place in range(min(WORDS, len(words))):
        runs = runs * np.uint64(_BASE) + words[place : place + size]
    return _mixed(runs)


def _mixed(values: Hashes) -> Hashes:
    """Return the values with every bit depending on every bit (the finalizer of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * _MIX[0]
    values = (values ^ (values >> np.uint64(27))) * _MIX[1]
    return values ^ (values >> np.uint64(31))
