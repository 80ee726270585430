"""Which of many texts are nearly equal, by a sketch of each; made for many texts at a time.

One permutation hashing (Li, Owen and Zhang, 2012) of runs of five words, or of three characters
where no blanks divide words, with banding (Broder, 1997; Leskovec, Rajaraman and Ullman, Mining of
Massive Datasets, ch. 3). It reads any language.
"""

import re
from array import array
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from core.languages import UNSPACED, has_no_blanks

WORDS: Final = 5
# Five would make one other character in ninety a difference of a tenth.
CHARACTERS: Final = 3
_PIECE: Final = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
SIMILAR: Final = 0.9
BINS: Final = 256
# Texts of similarity 0.9 share at least one of twelve bands of eight bins with a chance of 0.999.
BANDS: Final = 12
ROWS: Final = 8
# Characters that are sketched at once: more no longer fit the processor's cache.
_AT_ONCE: Final = 64 * 1024
_CHUNK: Final = 4096
_BASE: Final = 0x9E3779B97F4A7C15
_MIX: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_BLANK: Final = 0x20
# What `str.split` takes for white space, of ASCII, is made a blank.
_BLANKS: Final = bytes(_BLANK if chr(c).isspace() and c < 0x80 else c for c in range(256))

Sketches = npt.NDArray[np.uint16]
Hashes = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.intp]


def sketches(texts: Sequence[str]) -> Sketches:
    """Return the sketches of texts.

    Output: uint16 array of shape (texts, BINS), 0 where a bin is empty. Formula: each run of WORDS
    words has a 64-bit hash; its first byte gives the bin; a bin holds the last 16 bits (at least 1)
    of its smallest hash. A text of fewer words is one run. In a language without blanks the runs
    are of CHARACTERS characters, among which Latin words and numbers count as one, and a run that
    comes again is another: such texts have few different ones.
    """
    smallest = np.full(len(texts) * BINS, np.iinfo(np.uint64).max, np.uint64)
    is_cut = [not text.isascii() and has_no_blanks(text) for text in texts]
    spaced = [place for place, cut in enumerate(is_cut) if not cut]
    runs, owners = _runs([_spaced(texts[place]) for place in spaced], WORDS)
    _keep_smallest(smallest, runs, np.array(spaced, np.intp)[owners])
    for place in np.flatnonzero(is_cut).tolist():
        pieces = " ".join(_PIECE.findall(texts[place])).encode("utf-8", "surrogatepass")
        runs, _ = _runs([pieces], CHARACTERS)
        runs.sort()
        times = np.arange(len(runs)) - np.searchsorted(runs, runs)
        runs += _mixed(times.astype(np.uint64))
        _keep_smallest(smallest, runs, np.full(len(runs), place, np.intp))
    found = np.maximum(smallest.astype(np.uint16), 1)
    found[smallest == np.iinfo(np.uint64).max] = 0
    return found.reshape(len(texts), BINS)


def similarities(some: Sketches, others: Sketches) -> npt.NDArray[np.float64]:
    """Return about which share of the runs of either text both have (Jaccard), from 0 to 1.

    Input: sketches of pairs, two arrays of shape (pairs, BINS). Formula: equal bins / bins that are
    not empty in both; the standard error at 0.9 is 0.02 for long texts. Source: Li, Owen and Zhang,
    2012.
    """
    used = np.count_nonzero(some | others, axis=1)
    equal = np.count_nonzero((some == others) & (some > 0), axis=1)
    return equal / np.maximum(used, 1)


class SketchTable:
    """Stores the sketches of texts by number, and finds for each the most similar earlier one."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._characters = 0
        self._ignored = array("i")
        self._sketches: Sketches = np.zeros((0, BINS), np.uint16)
        self._done = 0

    def __len__(self) -> int:
        return len(self._ignored)

    def add(self, text: str, ignored: int | None = None) -> None:
        """Take a text under the next number, from 0; the one named by `ignored` is no match."""
        self._ignored.append(-1 if ignored is None else ignored)
        self._waiting.append(text)
        self._characters += len(text)
        if self._characters >= _AT_ONCE:
            self._make()

    def matches(self, since: int = 0) -> Iterator[tuple[int, int, float]]:
        """Yield number, earlier number and similarity of the texts from a number on, in order.

        The earlier text is the most similar of the first texts that share a band with it; of
        several the first. Texts that share a band with none are left out.
        """
        self._make()
        made = self._sketches[: self._done]
        numbers, others = self._pairs(made, since)
        shares = np.concatenate(
            [
                similarities(made[numbers[at : at + _CHUNK]], made[others[at : at + _CHUNK]])
                for at in range(0, len(numbers), _CHUNK)
            ]
            or [np.zeros(0)]
        )
        best_first = np.lexsort((others, -shares, numbers))
        is_best = np.diff(numbers[best_first], prepend=-1) > 0
        for pair in best_first[is_best].tolist():
            yield int(numbers[pair]), int(others[pair]), float(shares[pair])

    def _make(self) -> None:
        """Sketch the texts that wait."""
        end = self._done + len(self._waiting)
        if end > len(self._sketches):
            # In place: nothing else refers to it.
            self._sketches.resize((end + _CHUNK, BINS), refcheck=False)
        self._sketches[self._done : end] = sketches(self._waiting)
        self._done, self._waiting, self._characters = end, [], 0

    def _pairs(self, made: Sketches, since: int) -> tuple[Numbers, Numbers]:
        """Return each text from a number on with each first text that shares a band with it."""
        own = np.arange(len(made))
        ignored = np.array(self._ignored, np.intp)
        found = []
        for keys in _bands(made):
            first = _first_equal(keys)
            meets = (own >= since) & (first != own) & (first != ignored)
            found.append(own[meets] * len(made) + first[meets])
        pairs = np.unique(np.concatenate(found))
        return pairs // max(1, len(made)), pairs % max(1, len(made))


def _first_equal(keys: Hashes) -> Numbers:
    """Return for each key the place of the first that equals it."""
    order = np.argsort(keys, kind="stable")
    begins = np.diff(keys[order], prepend=keys[order[:1]]) != 0
    begins[:1] = True
    found = np.empty(len(keys), np.intp)
    found[order] = order[begins][np.cumsum(begins) - 1]
    return found


def _bands(made: Sketches) -> Hashes:
    """Return a hash of each band of sketches: an array of shape (BANDS, texts).

    An empty bin is lent the value of the next that is not. Short texts leave most bins empty, and
    bands of empty bins would make all of them alike. Source: Shrivastava and Li, 2014 (rotation).
    """
    found = np.zeros((BANDS, len(made)), np.uint64)
    for at in range(0, len(made), _CHUNK):
        bins = np.ascontiguousarray(made[at : at + _CHUNK].T)
        # The last bins are lent the first value that there is.
        lent = bins[(bins > 0).argmax(axis=0), np.arange(bins.shape[1])]
        for place in reversed(range(BINS)):
            lent = bins[place] = np.where(bins[place], bins[place], lent)
        hashes = found[:, at : at + _CHUNK]
        for rows in bins[: BANDS * ROWS].reshape(BANDS, ROWS, -1).swapaxes(0, 1):
            hashes *= np.uint64(_BASE)
            hashes += rows
    return _mixed(found)


def _spaced(text: str) -> bytes:
    """Return the text with blanks for all white space."""
    if text.isascii():
        return text.encode().translate(_BLANKS)
    return " ".join(text.split()).encode("utf-8", "surrogatepass")


class _Powers:
    """Powers of an odd number modulo 2^64, and their inverses, as far as they were needed."""

    up: Hashes = np.ones(1, np.uint64)
    down: Hashes = np.ones(1, np.uint64)

    @classmethod
    def reach(cls, count: int) -> None:
        if len(cls.up) < count:
            factors = np.ones((2, max(count, 2 * len(cls.up), _AT_ONCE)), np.uint64)
            factors[0, 1:], factors[1, 1:] = _BASE, pow(_BASE, -1, 1 << 64)
            cls.up, cls.down = np.cumprod(factors, axis=1, dtype=np.uint64)


def _runs(texts: Sequence[bytes], length: int) -> tuple[Hashes, Numbers]:
    """Return a hash for each run of words of each text, and of which text each run is.

    A word's hash is that of its bytes as a polynomial modulo 2^64, whatever its place.
    """
    sizes = np.array([len(text) for text in texts], np.intp)
    letters = np.frombuffer(b" ".join(texts), np.uint8)
    _Powers.reach(len(letters) + 1)
    is_blank = np.ones(len(letters) + 2, bool)
    np.equal(letters, _BLANK, out=is_blank[1:-1])
    edges = np.flatnonzero(is_blank[1:] != is_blank[:-1])
    starts, ends = edges[::2], edges[1::2]
    sums = np.zeros(len(letters) + 1, np.uint64)
    np.cumsum(letters * _Powers.up[: len(letters)], out=sums[1:])
    words = _mixed((sums[ends] - sums[starts]) * _Powers.down[starts])
    first = np.searchsorted(starts, np.cumsum(sizes + 1) - sizes - 1)
    counts = np.diff(first, append=len(words))
    # A shorter text is one run: zeros before its words, as of words that are not there.
    laid = np.maximum(counts, length)
    owners = np.repeat(np.arange(len(texts)), laid)
    if len(words) < len(owners):
        shift = np.cumsum(laid) - counts - first
        padded = np.zeros(len(owners), np.uint64)
        padded[np.arange(len(words)) + np.repeat(shift, counts)] = words
        words = padded
    size = max(0, len(words) - length + 1)
    runs = np.zeros(size, np.uint64)
    for place in range(length):
        runs *= np.uint64(_BASE)
        runs += words[place : place + size]
    is_whole = owners[length - 1 :] == owners[:size]
    return runs[is_whole], owners[:size][is_whole]


def _keep_smallest(smallest: Hashes, runs: Hashes, owners: Numbers) -> None:
    """Put the hashes of runs into the bins of their texts where they are smaller."""
    hashes = _mixed(runs)
    np.minimum.at(smallest, owners * BINS + (hashes >> np.uint64(56)).astype(np.intp), hashes)


def _mixed(values: Hashes) -> Hashes:
    """Return the values with every bit depending on every bit (the finalizer of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * _MIX[0]
    values = (values ^ (values >> np.uint64(27))) * _MIX[1]
    return values ^ (values >> np.uint64(31))
