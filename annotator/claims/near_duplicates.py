"""Which of many claim texts are alike: equal, equal but for encoding, or nearly equal."""

import unicodedata
from array import array
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from annotator.claims.compact_keys import CompactKeys
from annotator.claims.sketches import SIMILAR, SketchTable

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
        self.is_sketching = True
        self._counts: Counter[Likeness] = Counter()
        self._most_sketched = most_sketched
        self._listed: dict[Likeness, list[Alike]] = {likeness: [] for likeness in Likeness}
        self._names = _Names()
        # Of each different text, without encoding and white space: who had it first, and 32 bits of
        # the hashes of what it was exactly.
        self._keys = CompactKeys()
        self._first = array("I")
        self._exact = array("I")
        self._composed = array("I")
        # A text has one number here and there.
        self._sketches = SketchTable()
        self._compared = 0
        self._since = 0
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
            self._sketch(key, composed, self._own if candidate_id else None)

    def forget_pairs(self) -> None:
        """Drop what was found so far; what was entered stays, to be compared with."""
        self._counts.clear()
        for listed in self._listed.values():
            listed.clear()
        self._since = len(self._keys)

    @property
    def counts(self) -> Counter[Likeness]:
        """How many pairs of each likeness were found."""
        self._compare()
        return self._counts

    @property
    def pairs(self) -> list[Alike]:
        """What was found, the closest first, at most MOST_LISTED."""
        self._compare()
        return [pair for kind in Likeness for pair in self._listed[kind]][:MOST_LISTED]

    def _sketch(self, key: int, composed: str, ignored: int | None) -> None:
        if key >= self._most_sketched:
            self.is_sketching = False
            self._sketches = SketchTable()
            return
        self._sketches.add(composed, ignored)

    def _compare(self) -> None:
        """Find the similar texts among all that there are; once, until another comes."""
        if self._compared == len(self._sketches):
            return
        self._compared = len(self._sketches)
        self._listed[Likeness.SIMILAR].clear()
        del self._counts[Likeness.SIMILAR]
        for number, other, share in self._sketches.matches(self._since):
            if share >= SIMILAR:
                first, second = (self._names[self._first[key]] for key in (other, number))
                self._report(Alike(first, second, Likeness.SIMILAR, share))

    def _report(self, pair: Alike) -> None:
        if pair.first == pair.second:
            return
        self._counts[pair.likeness] += 1
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
