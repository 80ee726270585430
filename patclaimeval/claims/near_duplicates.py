"""Which of many claim texts are alike: equal, equal but for encoding, or nearly equal.

Nearly equal texts are found by MinHash of runs of five words, or of three characters where no
blanks divide words, with banding (Broder, 1997; Leskovec, Rajaraman and Ullman, Mining of Massive
Datasets, ch. 3). It reads any language.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rensa import RMinHash

from patclaimeval.claims.languages import UNSPACED, has_no_blanks

MOST_LISTED: Final = 100
WORDS: Final = 5
# Five would make one other character in ninety a difference of a tenth.
CHARACTERS: Final = 3
SIMILAR: Final = 0.9
# The standard error of the estimated similarity at 0.9 is then 0.027.
PERMUTATIONS: Final = 128
# Pairs are verified exactly whose estimate is so close to SIMILAR.
MARGIN: Final = 0.1
# Texts of similarity 0.9 share at least one of 16 bands of eight with a chance of 0.9999.
BANDS: Final = 16
ROWS: Final = 8
_PIECE: Final = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")


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


@dataclass(frozen=True, slots=True)
class _Known:
    """A different text, without encoding and white space: its name, and hashes of what it was."""

    name: Name
    number: int
    exact: int
    composed: int


class NearDuplicates:
    """Takes texts one by one and finds which are like an earlier one.

    Each text is reported at most once: with its own reference if it is a candidate and equals it,
    else with the first text that it equals, else with the most similar of the first texts that
    share a band of its sketch. A candidate that is merely similar to its own reference is what
    one hopes for, and is not reported, nor are two candidates that are similar by way of it. Texts
    of the same name are not compared. Of each likeness the first MOST_LISTED are stored and all are
    counted, in `counts`. No SIMILAR pair is reported without `looks_for_similar`. Memory: the
    different texts, and about 2 kB for each.
    """

    def __init__(self, *, looks_for_similar: bool = True) -> None:
        self.counts: Counter[Likeness] = Counter()
        self._looks_for_similar = looks_for_similar
        self._listed: dict[Likeness, list[Alike]] = {likeness: [] for likeness in Likeness}
        # By the hash of the text without encoding and white space.
        self._known: dict[int, _Known] = {}
        self._sketched: list[tuple[Name, str, RMinHash]] = []
        # By the hash of a band: the number of the first text that has it.
        self._bands: dict[int, int] = {}
        self._reference: str | None = None
        self._own = 0

    def enter(self, reference_id: str, candidate_id: str, text: str) -> None:
        """Take the text of a reference (candidate_id ""), or of a candidate after its reference."""
        if candidate_id and self._reference != reference_id:
            raise ValueError("a candidate came before its reference")
        name = (reference_id, candidate_id)
        composed = text if text.isascii() else unicodedata.normalize("NFC", text)
        key = hash("".join(composed.split()))
        is_new = key not in self._known
        known = self._known.setdefault(
            key, _Known(name, len(self._known), hash(text), hash(composed))
        )
        if not candidate_id:
            self._reference, self._own = reference_id, known.number
        if is_new:
            if self._looks_for_similar:
                self._sketch(known, composed)
            return
        is_own = bool(candidate_id) and known.number == self._own
        likeness = Likeness.WHITE_SPACE
        if known.exact == hash(text):
            likeness = Likeness.EXACT
        elif known.composed == hash(composed):
            likeness = Likeness.NFC
        self._report(Alike((reference_id, "") if is_own else known.name, name, likeness))

    def forget_pairs(self) -> None:
        """Drop what was found so far; what was entered stays, to be compared with."""
        self.counts.clear()
        for listed in self._listed.values():
            listed.clear()

    @property
    def pairs(self) -> list[Alike]:
        """What was found, the closest first, at most MOST_LISTED."""
        return [pair for kind in Likeness for pair in self._listed[kind]][:MOST_LISTED]

    def _sketch(self, known: _Known, composed: str) -> None:
        """Report the most similar of the first texts in each band, except the own reference."""
        runs = runs_of(composed)
        sketch = RMinHash(num_perm=PERMUTATIONS, seed=1)
        sketch.update(runs)
        firsts = {self._bands.setdefault(band, known.number) for band in _bands(sketch)}
        self._sketched.append((known.name, composed, sketch))
        share, first = 0.0, known.name
        for number in sorted(firsts - {known.number, self._own}):
            name, text, other = self._sketched[number]
            if sketch.jaccard(other) >= SIMILAR - MARGIN:
                exact = _similarity(set(runs), set(runs_of(text)))
                if exact > share:
                    share, first = exact, name
        if share >= SIMILAR:
            self._report(Alike(first, known.name, Likeness.SIMILAR, share))

    def _report(self, pair: Alike) -> None:
        if pair.first == pair.second:
            return
        self.counts[pair.likeness] += 1
        listed = self._listed[pair.likeness]
        if len(listed) < MOST_LISTED:
            listed.append(pair)


def _similarity(one: set[str], other: set[str]) -> float:
    """Return the share of runs that both have (Jaccard), from 0 to 1."""
    return len(one & other) / len(one | other)


def runs_of(text: str) -> list[str]:
    """Return a text's runs of words, or of characters where no blanks divide words.

    A text of fewer words is one run. Among characters, Latin words and numbers count as one, and a
    run that comes again is another: such texts have few different ones.
    """
    if text.isascii() or not has_no_blanks(text):
        return _runs(text.split(), WORDS)
    times: Counter[str] = Counter()
    runs = []
    for run in _runs(_PIECE.findall(text), CHARACTERS):
        times[run] += 1
        runs.append(f"{run} {times[run]}")
    return runs


def _runs(pieces: list[str], length: int) -> list[str]:
    if len(pieces) < length:
        return [" ".join(pieces)]
    return list(map(" ".join, zip(*(pieces[n:] for n in range(length)), strict=False)))


def _bands(sketch: RMinHash) -> Iterator[int]:
    values = sketch.digest()
    for start in range(0, BANDS * ROWS, ROWS):
        yield hash((start, *values[start : start + ROWS]))
