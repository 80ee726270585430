"""Which of many claim texts are alike: equal, equal but for encoding, or nearly equal.

One permutation hashing (Li, Owen and Zhang, 2012) of runs of five words, or of three characters
where no blanks divide words, with banding (Broder, 1997; Leskovec, Rajaraman and Ullman, Mining of
Massive Datasets, ch. 3). It reads any language.
"""

import re
import unicodedata
from array import array
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from core.languages import UNSPACED, is_spaceless, language_of

_SMALLEST: Final = 1024
_MASK: Final = (1 << 64) - 1


class CompactKeys:
    """Numbers values of one type in the order in which they come, and knows which came before.

    Two values are taken for one where Python's 64-bit hashes are equal: among a million different
    texts with a chance of 3 in 100 million, and differently in each process, for the hash of a
    text is salted.
    """

    def __init__(self) -> None:
        # Open addressing: a slot holds 1 + the number of a key, or 0.
        self._slots = array("I", bytes(4 * _SMALLEST))
        self._keys = array("Q")

    def __len__(self) -> int:
        return len(self._keys)

    def enter(self, value: object) -> int:
        """Return the number of a value, from 0; a new value gets the next one."""
        if 2 * len(self._keys) >= len(self._slots):
            self._grow()
        key = hash(value) & _MASK
        slot = self._slot(key)
        number = self._slots[slot]
        if number:
            return number - 1
        self._keys.append(key)
        self._slots[slot] = len(self._keys)
        return len(self._keys) - 1

    def _slot(self, key: int) -> int:
        """Return where the key stands, or the free place where it would."""
        slots, keys, mask = self._slots, self._keys, len(self._slots) - 1
        place = (key ^ key >> 32) & mask
        while (number := slots[place]) and keys[number - 1] != key:
            place = (place + 1) & mask
        return place

    def _grow(self) -> None:
        self._slots = array("I", bytes(8 * len(self._slots)))
        for number, key in enumerate(self._keys, start=1):
            self._slots[self._slot(key)] = number


class FirstLines:
    """On which line of a file each id first stands, and whether the content is the same below.

    Neither ids nor contents are stored: 32 bytes an id. Like ids, two contents are
    taken for one where their 64-bit hashes are equal.
    """

    def __init__(self) -> None:
        self._names = CompactKeys()
        self._lines = array("Q")
        self._contents = array("Q")

    def enter(self, name: object, line: int, content: object) -> tuple[int, bool] | None:
        """Return the line on which the id stood before, and whether it had the same content there.

        None, and store this line, where it stood on none.
        """
        number, key = self._names.enter(name), hash(content) & _MASK
        if number < len(self._lines):
            return self._lines[number], self._contents[number] == key
        self._lines.append(line)
        self._contents.append(key)
        return None


WORDS: Final = 5
# Five would make one other character in ninety a difference of a tenth.
CHARACTERS: Final = 3
_PIECE: Final = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
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
    """Return the sketch of a text.

    Output: uint16 array of BINS entries, 0 where a bin is empty. Formula: each run of WORDS words
    has a 64-bit hash; its first byte gives the bin; a bin holds the last 16 bits (at least 1) of
    its smallest hash. A text of fewer words is one run. In a language without blanks the runs are
    of CHARACTERS characters, among which Latin words and numbers count as one, and a run that
    comes again is another: such texts have few different ones.
    """
    is_cut = not text.isascii() and is_spaceless(language_of(text))
    pieces, length = (_PIECE.findall(text), CHARACTERS) if is_cut else (text.split(), WORDS)
    words = _word_hashes(" ".join(pieces).encode("utf-8", "surrogatepass"))
    size = max(1, len(words) - length + 1)
    runs = np.zeros(size, np.uint64)
    for place in range(min(length, len(words))):
        runs = runs * np.uint64(_BASE) + words[place : place + size]
    if is_cut:
        runs.sort()
        times = np.arange(size) - np.searchsorted(runs, runs)
        runs += _mixed(times.astype(np.uint64))
    hashes = np.sort(_mixed(runs))
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
    """Stores sketches by number, and finds for a new one the most similar of those stored."""

    def __init__(self) -> None:
        self._blocks: list[npt.NDArray[np.uint16]] = []
        self._count = 0
        self._bands = CompactKeys()
        self._first_with = array("I")

    def enter(self, text: str, ignored: int | None = None) -> tuple[int, float] | None:
        """Store the sketch of a text under the next number, from 0; return what is most like it.

        Output: number and similarity of the most similar of the first texts that share a band with
        it, `ignored` left out; None where no text does.
        """
        fresh = sketch(text)
        number = self._count
        if number % _BLOCK == 0:
            self._blocks.append(np.zeros((_BLOCK, BINS), np.uint16))
        self._blocks[-1][number % _BLOCK] = fresh
        self._count += 1
        others: set[int] = set()
        for band, values in enumerate(_filled(fresh)[: BANDS * ROWS].reshape(BANDS, ROWS)):
            place = self._bands.enter((band, values.tobytes()))
            if place == len(self._first_with):
                self._first_with.append(number)
            else:
                others.add(self._first_with[place])
        others -= {number, -1 if ignored is None else ignored}
        measured = (
            (similarity(self._blocks[other // _BLOCK][other % _BLOCK], fresh), -other)
            for other in others
        )
        best = max(measured, default=None)
        return None if best is None else (-best[1], best[0])


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
            factors = np.ones((2, max(count, 2 * len(cls.up), 8192)), np.uint64)
            factors[0, 1:], factors[1, 1:] = _BASE, pow(_BASE, -1, 1 << 64)
            cls.up, cls.down = np.cumprod(factors, axis=1, dtype=np.uint64)


def _word_hashes(data: bytes) -> Hashes:
    """Return a hash for each word: its bytes as a polynomial modulo 2^64, whatever its place."""
    _Powers.reach(len(data) + 1)
    letters: npt.NDArray[Any] = np.frombuffer(data, np.uint8)
    blanks = np.flatnonzero(letters == 0x20)
    starts = np.concatenate(([0], blanks + 1))
    ends = np.concatenate((blanks, [len(data)]))
    sums = np.zeros(len(data) + 1, np.uint64)
    np.cumsum(letters * _Powers.up[: len(data)], out=sums[1:])
    return _mixed((sums[ends] - sums[starts]) * _Powers.down[starts])


def _mixed(values: Hashes) -> Hashes:
    """Return the values with every bit depending on every bit (the finalizer of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * _MIX[0]
    values = (values ^ (values >> np.uint64(27))) * _MIX[1]
    return values ^ (values >> np.uint64(31))


# Above so many different texts the similar ones are not looked for: each takes 800 bytes.
MOST_SKETCHED: Final = 100_000
MOST_LISTED: Final = 100
# What `str.split` takes for white space, of ASCII.
_SPACE: Final = b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"


class Likeness(StrEnum):
    """How two texts are alike, the closest first."""

    EXACT = "exact"  # the same bytes
    NFC = "nfc"  # the same once composed (Unicode normalization form C)
    WHITE_SPACE = "white_space"  # the same but for blanks and line ends
    SIMILAR = "similar"  # nine tenths of their runs of words or characters are common


# A reference and a candidate of it; the candidate is "" for the reference's own text.
Name = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Alike:
    """Two texts that are alike; `second` came later. `similarity` is 1.0 but for SIMILAR."""

    first: Name
    second: Name
    likeness: Likeness
    similarity: float = 1.0

    @property
    def is_own_reference(self) -> bool:
        """Whether a candidate is like the very reference that it belongs to."""
        return self.first == (self.second[0], "") and bool(self.second[1])


class NearDuplicates:
    """Takes texts one by one, stores none of them, and finds which are like an earlier one.

    Each text is reported at most once: with its own reference if it is a candidate and equals it,
    else with the first text that it equals, else with the most similar of the first texts that
    share a band of its sketch. A candidate that is merely similar to its own reference is what
    one hopes for, and is not reported, nor are two candidates that are similar by way of it. Texts
    of the same name are not compared. Of each likeness the first MOST_LISTED are stored and all are
    counted, in `counts`. `is_sketching` turns False when there are more than MOST_SKETCHED
    different texts; no SIMILAR pair is reported then. Memory: some 50 bytes a text and its ids;
    800 more while sketches are made.
    """

    def __init__(self, most_sketched: int = MOST_SKETCHED) -> None:
        self.counts: Counter[Likeness] = Counter()
        self.is_sketching = True
        self._most_sketched = most_sketched
        self._listed: dict[Likeness, list[Alike]] = {likeness: [] for likeness in Likeness}
        self._names = _Names()
        # Of each different text, without encoding and white space: who had it first, and 32 bits of
        # the hashes of what it was exactly.
        self._keys = CompactKeys()
        self._first = array("I")
        self._exact = array("I")
        self._composed = array("I")
        self._sketches = SketchTable()
        self._own: int | None = None

    def enter(self, reference_id: str, candidate_id: str, text: str) -> None:
        """Take the text of a reference (candidate_id ""), or of a candidate after its reference."""
        name = (reference_id, candidate_id)
        number = self._names.add(name)
        composed = text if text.isascii() else unicodedata.normalize("NFC", text)
        if composed.isascii():  # the quick way
            bare = composed.encode().translate(None, _SPACE).decode()
        else:
            bare = "".join(composed.split())
        key = self._keys.enter(bare)
        is_new = key == len(self._first)
        if is_new:
            self._first.append(number)
            self._exact.append(_bits(text))
            self._composed.append(_bits(composed))
        if not candidate_id:
            self._own = key
        if not is_new:
            is_own = bool(candidate_id) and key == self._own
            first = (reference_id, "") if is_own else self._names[self._first[key]]
            likeness = Likeness.WHITE_SPACE
            if self._exact[key] == _bits(text):
                likeness = Likeness.EXACT
            elif self._composed[key] == _bits(composed):
                likeness = Likeness.NFC
            self._report(Alike(first, name, likeness))
        elif self.is_sketching:
            self._compare(key, name, composed)

    def forget_pairs(self) -> None:
        """Drop what was found so far; what was entered stays, to be compared with."""
        self.counts.clear()
        for listed in self._listed.values():
            listed.clear()

    @property
    def pairs(self) -> list[Alike]:
        """What was found, the closest first, at most MOST_LISTED."""
        return [pair for kind in Likeness for pair in self._listed[kind]][:MOST_LISTED]

    def _compare(self, key: int, name: Name, composed: str) -> None:
        if key >= self._most_sketched:
            self.is_sketching = False
            self._sketches = SketchTable()
            self._listed[Likeness.SIMILAR].clear()
            del self.counts[Likeness.SIMILAR]
            return
        ignored = self._own if name[1] else None
        found = self._sketches.enter(composed, ignored)
        if found is not None and found[1] >= SIMILAR:
            first = self._names[self._first[found[0]]]
            self._report(Alike(first, name, Likeness.SIMILAR, found[1]))

    def _report(self, pair: Alike) -> None:
        if pair.first == pair.second:
            return
        self.counts[pair.likeness] += 1
        listed = self._listed[pair.likeness]
        if len(listed) < MOST_LISTED:
            listed.append(pair)


def _bits(text: str) -> int:
    return hash(text) & 0xFFFF_FFFF


class _Names:
    """The names of texts in one block of bytes, the reference's id once for all its candidates."""

    def __init__(self) -> None:
        self._block = bytearray()
        self._ends = array("I", [0])
        self._owners = array("I")

    def add(self, name: Name) -> int:
        """Store a name and return its number, from 0."""
        number = len(self._owners)
        reference, candidate = name
        if candidate and not (number and self[self._owners[-1]][0] == reference):
            raise ValueError("a candidate came before its reference")
        self._owners.append(self._owners[-1] if candidate else number)
        self._block += (candidate or reference).encode()
        self._ends.append(len(self._block))
        return number

    def __getitem__(self, number: int) -> Name:
        owner = self._owners[number]
        own = self._text(number)
        return (own, "") if owner == number else (self._text(owner), own)

    def _text(self, number: int) -> str:
        return self._block[self._ends[number] : self._ends[number + 1]].decode()
