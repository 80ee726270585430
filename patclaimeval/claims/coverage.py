"""How much of a limitation stands in the claims of the other side, by weighted content words."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from math import log2
from typing import Final, Protocol

from rapidfuzz.distance import LCSseq

from patclaimeval.claims.definite_phrases import ORDINALS
from patclaimeval.claims.wording import LIGHT_NOUNS, without_escapes
from patclaimeval.claims.words import content_words, stem

_HEAVIEST: Final = 7
_ORDINAL_BEFORE: Final = re.compile(rf"\b({'|'.join(sorted(ORDINALS))})\s+([a-z][a-z-]*)", re.I)
# A part of a place must add this share of a limitation's weight.
LEAST_ADDED: Final = 0.12
_NUMBER: Final = 2
_MOST_PARTS: Final = 4
_MOST_READ: Final = 20
_NEARLY: Final = 0.8
_IN_ORDER: Final = 0.65
_FEW: Final = 5
_RUN: Final = 3
_AGREES: Final = 0.7
_NEW: Final = 4
ENOUGH: Final = 0.85
"""From this share on a limitation stands there."""


@dataclass(frozen=True, slots=True)
class Cover:
    """The limitations of one claim that together hold most of a limitation: share 0 to 1."""

    share: float
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for of a limitation, as bits: words that its claims did not say before it, and
    those that they did. Of the latter four weigh as much as one of the former.
    """

    new: int
    known: int
    starts: int
    """The first bit of each word."""

    @property
    def total(self) -> int:
        """The weight of all words."""
        return _NEW * self.new.bit_count() + self.known.bit_count()

    def weight_in(self, mask: int) -> int:
        """Return the weight of the words that a set of words holds."""
        return _NEW * (self.new & mask).bit_count() + (self.known & mask).bit_count()

    def without(self, mask: int) -> "Wanted":
        """Return what a set of words leaves to be found."""
        return Wanted(self.new & ~mask, self.known & ~mask, self.starts)

    def new_words_in(self, mask: int) -> int:
        """Return how many of the new words a set of words holds."""
        return (self.new & mask & self.starts).bit_count()


class Words(Protocol):
    """The words of the limitations of a side, and their bits.

    `alike` has, by the first limitation of a claim with some words, all that have the same ones.
    """

    bags: list[list[str]]
    masks: list[int]
    alike: dict[int, list[int]]


class WordMasks:
    """Sets of words as bits, each word as many as it weighs, so that counting bits adds weights.

    A word weighs 1 to 7, the more the fewer limitations hold it.
    """

    def __init__(self, bags: Iterable[Sequence[str]]) -> None:
        held = [set(bag) for bag in bags]
        counts = Counter(word for bag in held for word in bag)
        self._bits: dict[str, int] = {}
        self.starts = 0
        used = 0
        for word, count in counts.items():
            weight = min(_HEAVIEST, round(1 - log2(count / len(held)) / 1.5))
            # With another number a limitation is changed, but not another one.
            if word[:1].isdigit():
                weight = min(weight, _NUMBER)
            # An ordinal with its noun only tells likely places apart.
            weight = 1 if word in LIGHT_NOUNS or " " in word else weight
            self._bits[word] = ((1 << weight) - 1) << used
            self.starts |= 1 << used
            used += weight

    def of(self, words: Iterable[str]) -> int:
        """Return the bits of these words; words that no limitation holds have none."""
        mask = 0
        for word in words:
            mask |= self._bits.get(word, 0)
        return mask


def bag_of(text: str) -> list[str]:
    """Return the words by which a limitation is looked for, with the ordinals of nouns."""
    text = without_escapes(text)
    return content_words(text) + [
        f"{match[1].lower()} {stem(match[2].lower())}" for match in _ORDINAL_BEFORE.finditer(text)
    ]


def adds(rest: Wanted, mask: int, total: int) -> bool:
    """Return whether a further limitation adds enough: 12 % of the weight, and two words or more.

    One word alone may stand there by chance.
    """
    return rest.weight_in(mask) >= LEAST_ADDED * total and rest.new_words_in(mask) > 1


def ordinals_in(text: str) -> frozenset[str]:
    """Return the ordinals before a noun: "first", "second"."""
    return frozenset(match[1].lower() for match in _ORDINAL_BEFORE.finditer(text))


def cover(wanted: Wanted, words: Sequence[str], places: Sequence[int], side: "Words") -> Cover:
    """Return how much of a limitation the limitations of one claim hold, with few of them.

    Inputs: what is wanted and its words, and the limitations of a claim of the other side that
    share a word with it, the first of those with the same words. First comes the one that reads
    most like it of those that hold nearly as much as any; of more than 20, the 20 that hold most.
    A second and a third count if they add new words with at least 12 % of the weight.
    """
    total = wanted.total
    if not total or not places:
        return Cover(0.0, ())
    held = {place: wanted.weight_in(side.masks[place]) for place in places}
    least = _NEARLY * max(held.values())
    full = nsmallest(
        _MOST_READ, (place for place in places if held[place] >= least), key=lambda i: (-held[i], i)
    )
    alike = [place for one in full for place in side.alike[one][:_MOST_READ]][:_MOST_READ]
    first = max(sorted(alike), key=lambda place: likeness(words, side.bags[place]))
    rest, parts = wanted.without(side.masks[first]), [first]
    while len(parts) < _MOST_PARTS and 1 - rest.total / total < ENOUGH:
        best = max(places, key=lambda place: rest.weight_in(side.masks[place]))
        if not adds(rest, side.masks[best], total):
            break
        rest = rest.without(side.masks[best])
        parts.append(best)
    are_next = max(parts) - min(parts) < len(parts)
    if (
        len(parts) > 1
        and not are_next
        and not reads_alike(words, [w for part in sorted(parts) for w in side.bags[part]])
    ):
        parts = [first]
        rest = wanted.without(side.masks[first])
    return Cover(1 - rest.total / total, tuple(parts))


def likeness(words: Sequence[str], others: Sequence[str]) -> float:
    """Return the share of words that two lists have in the same order: F-measure, 0 to 1."""
    count = len(words) + len(others)
    return 2 * LCSseq.similarity(words, others) / count if count else 0.0


def reads_alike(wanted: Sequence[str], given: Sequence[str]) -> bool:
    """Return whether words stand together and in order in a place, and not scattered over it.

    Inputs: the content words of a limitation and of its place, in order. Of the words of the
    limitation, each once, 65 % are in the same order, and from the first to the last of them at
    least half of the words of the place are of the limitation.
    """
    words = _each_once(wanted)
    at = [place for place, word in enumerate(given) if word in words]
    if not at or LCSseq.similarity(words, given) < _IN_ORDER * len(words):
        return False
    return 2 * len(at) >= at[-1] + 1 - at[0]


def opens(wanted: Sequence[str], given: Sequence[str]) -> bool:
    """Return whether a place is about a limitation: up to five words must open it."""
    words = _each_once(wanted)
    return len(words) > _FEW or (bool(given) and given[0] in words)


def is_about(wanted: Sequence[str], given: Sequence[str]) -> bool:
    """Return whether a place says in part what a limitation says, of the same subject.

    The place has the first word of the limitation and opens with one of its words, and of the
    words of the limitation, each once, half are in the same order.
    """
    words = _each_once(wanted)
    others = [word for word in given if " " not in word]
    if not words or words[0] not in others or others[0] not in words:
        return False
    return 2 * LCSseq.similarity(words, others) >= len(words)


def counts_otherwise(wanted: Iterable[str], given: Iterable[str]) -> bool:
    """Return whether a place has "the third gate" where a limitation has "the first gate"."""
    pairs = {word for word in given if " " in word}
    nouns = {pair.partition(" ")[2] for pair in pairs}
    return any(
        " " in word and word not in pairs and word.partition(" ")[2] in nouns for word in wanted
    )


def _each_once(words: Iterable[str]) -> list[str]:
    """Return words without repeats, and without the ordinals with their nouns."""
    return list(dict.fromkeys(word for word in words if " " not in word))


def agrees(wanted: Sequence[str], given: Sequence[str]) -> bool:
    """Return whether a limitation says the same thing but for a word or a number.

    Of the words of each that are no numbers, three at least, 70 % are in the same order.
    """
    sides = [[word for word in side if not word[:1].isdigit()] for side in (wanted, given)]
    common = LCSseq.similarity(*sides)
    return common >= _RUN and common >= _AGREES * max(map(len, sides))


def shares_run(wanted: Sequence[str], given: Sequence[str]) -> bool:
    """Return whether two lists have three words in a row in common, or all of a shorter one."""
    size = min(_RUN, len(wanted))
    runs = {tuple(given[place : place + size]) for place in range(len(given) - size + 1)}
    return any(
        tuple(wanted[place : place + size]) in runs for place in range(len(wanted) - size + 1)
    )
