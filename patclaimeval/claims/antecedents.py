"""Antecedent basis: which "the X" has no earlier X in its chain of claims."""

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from patclaimeval.claims.definite_phrases import ORDINALS, UNIQUE, DefinitePhrase, definite_phrases
from patclaimeval.claims.dependency_paths import KnownWords, cited_alternatives
from patclaimeval.claims.parsing import Claim, parse_claims
from patclaimeval.claims.terms import (
    NOUNS_IN_ING,
    STOP_WORDS,
    cached,
    is_adverb,
    is_verb,
    singular,
)

WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
# Adjectives that may join a known noun without making it another thing.
_LIGHT_WORDS = """
actual associated certain current final given individual initial known new original resultant
resulting single specific specified various
"""
_LIGHT = UNIQUE.union(ORDINALS, _LIGHT_WORDS.split())
# "Another valve" stands for an ordinal that is not written.
_FURTHER = frozenset(["additional", "another", "further", "other"])
_INFLECTIONS = ("", "e", "ed", "er", "es", "ing", "ion", "or", "s")
# How far apart two words of one phrase may stand.
_WINDOW = 5
# Between a word and its acronym, as in "phosphatase-1 (NPP1)".
_SPACE_AND_DIGITS = string.whitespace + string.digits + "-/"
_FINITE = frozenset(["are", "being", "has", "have", "is", "was", "were"])
# Words of these that stand between an ordinal and its noun: "a second, different valve".
_BETWEEN_WORDS = """
a adjacent an and at available corresponding different equal given greater larger least one opposite
or parallel said selected separate similar smaller the
"""
_BETWEEN_ORDINALS = frozenset(_BETWEEN_WORDS.split())
# "The transmission" has basis in "transmitting"; "the heating step" in "heating".
_ACTION_ENDINGS = ("tion", "sion", "ment", "ance", "ence", "ysis", "ison", "ing", "al", "ure")
_BEHIND_NOUNS = ("ble", "ed", "ing")
_ACT_NOUNS = frozenset(["act", "action", "operation", "procedure", "process", "stage", "step"])
_STEM = 5


class Standing(NamedTuple):
    """On which paths of dependency a phrase is introduced, as bits: bit i stands for path i.

    `likely` has the paths of `basis` too, and those on which a reader may find an introduction.
    """

    basis: int
    likely: int

    def __and__(self, other: "Standing") -> "Standing":
        return Standing(self.basis & other.basis, self.likely & other.likely)

    def __or__(self, other: "Standing") -> "Standing":
        return Standing(self.basis | other.basis, self.likely | other.likely)


@dataclass(slots=True)
class ClaimWords:
    """One claim read: its definite phrases in question, and what stands before which of them.

    `words` has, by the key of each word outside the phrases, a place that is before the next phrase
    and behind the one before it.
    """

    definite: list[DefinitePhrase]
    words: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> "ClaimWords":
        reading = cls(definite_phrases(text))
        done = 0
        for item in reading.definite:
            reading.take(text, done, item.start)
            done = max(done, item.end)
        reading.take(text, done, len(text))
        return reading

    def take(self, text: str, start: int, end: int) -> None:
        """Note the words between two places: alone, in their phrases, and by the stems of acts.

        The keys: "valve" for a word at any place, "valve$" for one that may be the noun of its
        phrase, "second>valve" for one with a word before it in its phrase, "valve+s" for a plural.
        """
        found: set[str] = set()
        phrase: list[str] = []
        ordinals = _PendingOrdinals()
        done, was_acronym = start, False
        for match in WORD.finditer(text, start, end):
            written, place = match.group(), match.start()
            lowered = written.lower()
            read = _read_word(lowered)
            is_acronym = len(lowered) > 1 and written.isupper()
            mark = text[done:place].strip(_SPACE_AND_DIGITS)
            # "A Cable Modem, CM, device" and "a user interface (UI) panel" are one phrase each.
            if mark and not (is_acronym and mark in "(,") and not (was_acronym and mark in "),"):
                found.update(_end_keys(phrase))
                phrase = []
                ordinals.end_phrase()
            done, was_acronym = match.end(), is_acronym and (mark != "" or was_acronym)
            found.update(read.keys)
            before = [*ordinals.read(lowered), *phrase[-_WINDOW:]]
            if read.ends_phrase:
                found.update(_end_keys(phrase))
                phrase = []
                continue
            if phrase and lowered.endswith("s"):
                # It may be the verb behind the noun, as in "water flows".
                found.add(f"{phrase[-1]}$")
            found.update([f"{other}>{part}" for part in read.parts for other in before])
            phrase.append(read.parts[0])
        found.update(_end_keys(phrase))
        for key in found:
            self.words.setdefault(key, start)

    def introduce(self, item: DefinitePhrase) -> None:
        """Take the words of a phrase that was reported as known, so that it is reported once."""
        words = [singular(word) for word in item.mention.term.split(" ")]
        for place, word in enumerate(words):
            for key in (word, f"{word}$", *(f"{one}>{word}" for one in words[:place])):
                self.words.setdefault(key, item.end)


def _end_keys(phrase: list[str]) -> Iterator[str]:
    """Yield the keys of the noun of a phrase that has ended."""
    # The last word may stand behind the noun: "water heated by", "a ring visible to".
    is_behind = phrase[-1:] and phrase[-1].endswith(_BEHIND_NOUNS)
    for word in phrase[-2:] if is_behind and phrase[-1] not in NOUNS_IN_ING else phrase[-1:]:
        yield f"{word}$"
        if "-" in word:
            yield from (f"{part}$" for part in word.split("-"))


class _Word(NamedTuple):
    """A word at any place: itself and its parts in the singular, its keys, what it does."""

    parts: tuple[str, ...]
    keys: tuple[str, ...]
    ends_phrase: bool


@cached
def _read_word(lowered: str) -> _Word:
    word = singular(lowered)
    stems = _stem_keys(lowered)
    if lowered in STOP_WORDS or is_adverb(lowered):
        return _Word((word,), (*stems, word, f"{word}$"), ends_phrase=True)
    parts, keys = [word], [*stems, word]
    if "-" in lowered:
        parts += map(singular, lowered.split("-"))
        keys += (*parts, *(f"{part}$" for part in parts[1:]))
        keys.append("=" + singular(lowered.replace("-", "")))
    if word != lowered:
        keys += (f"{word}+s", f"{word}$")
    return _Word(tuple(parts), tuple(keys), ends_phrase=False)


def _stem_keys(lowered: str) -> list[str]:
    """Return the beginning of a verb, and what is left of a word without its inflection."""
    is_participle = lowered.endswith(("ing", "ed"))
    keys = [lowered[:_STEM] + "%"] if len(lowered) > _STEM else []
    if is_participle or is_verb(lowered):
        keys.append(lowered[:_STEM] + "*")
        if is_participle and len(lowered) > _STEM:
            keys.append(lowered[: _STEM - 1] + "~")
    if lowered.endswith(("y", "ying")):
        keys.append(lowered.removesuffix("ing") + "*")
    keys.extend(
        f"{lowered.removesuffix(suffix)}!{suffix}"
        for suffix in _INFLECTIONS
        if len(lowered) > len(suffix) + 2 and lowered.endswith(suffix)
    )
    return keys


class _PendingOrdinals:
    """The ordinals that wait for their noun: "a first and a second lid" has two lids."""

    __slots__ = ("_has_noun", "_ordinals")

    def __init__(self) -> None:
        self._ordinals: list[str] = []
        self._has_noun = False

    def end_phrase(self) -> None:
        """Note a punctuation mark: it ends the phrase behind a noun, not a list of ordinals."""
        if self._has_noun:
            self._ordinals = []

    def read(self, word: str) -> list[str]:
        """Return the ordinals that a word has, after an ordinal as the noun or before it."""
        ordinal = "other" if word in _FURTHER else word
        if ordinal in ORDINALS or ordinal == "other":
            if self._has_noun or not self._ordinals:
                self._ordinals = []
            self._has_noun = False
            self._ordinals.append(ordinal)
            return []
        if word in STOP_WORDS and (self._has_noun or word not in _BETWEEN_ORDINALS):
            self._ordinals = []
        if word in STOP_WORDS or not self._ordinals:
            return []
        self._has_noun = True
        return self._ordinals


@dataclass(frozen=True, slots=True)
class Basis:
    """What introduces the phrases of one claim: its own words, and those known on each path.

    `inherited` has the words of one path each, as bits whose numbers are those of `bits`.
    """

    own: ClaimWords
    inherited: Sequence[int]
    bits: Mapping[str, int]

    @property
    def all_paths(self) -> int:
        """All paths, as bits."""
        return (1 << len(self.inherited)) - 1

    def judge(self, item: DefinitePhrase, *, loosely: bool) -> Standing:
        """Judge on which paths a definite phrase is introduced before it or in the claims above.

        Loosely: the noun is enough, as for "the insertion device of claim 1" after "a device".
        """
        words, *shorter = (phrase.split(" ") for phrase in item.mention.phrases)
        found = self._judge_words(words, item.start, loosely)
        for part in shorter if item.follower not in _FINITE else ():
            if part[-1] in ORDINALS:
                continue
            standing = self._judge_words(part, item.start, loosely)
            # The last word may be a verb, "the water flows", or not: "the water pumps".
            last = item.mention.term.rsplit(" ", 1)[-1]
            if len(part) == len(words) - 1 and not last.endswith("ing") and not is_verb(last):
                standing = Standing(0, standing.likely)
            found |= standing
        for end in range(1, len(words) - 1):
            # "The base layer vary": two words known together are a term, whatever follows.
            known = self._knows(item.start, f"{words[end - 1]}>{words[end]}")
            if known:
                standing = self._judge_words(words[: end + 1], item.start, loosely)
                found |= Standing(known, known) & standing
        return found

    def _judge_words(self, words: list[str], place: int, loosely: bool) -> Standing:
        head = words[-1]
        known = self._knows(place, f"{head}$", *_act_keys(words))
        # "The valve" after "a valve housing", "the touch screen" after "a touchscreen".
        others = (head, f"={head}", head.replace("-", ""))
        found = Standing(known, known | self._knows(place, *others))
        if found.likely and not loosely:
            for before, word in enumerate(words[:-1]):
                found &= self._judge_qualifier(word, words[before + 1 :], place)
        if len(words) > 1 and not found.likely:
            found = Standing(0, self._knows(place, words[-2] + head))
        return found

    def _judge_qualifier(self, word: str, behind: list[str], place: int) -> Standing:
        """Judge a word before the noun by the words behind it, the last of which is the noun."""
        head = behind[-1]
        known = self._knows(place, f"{word}>{head}")
        if word in ORDINALS:
            known &= self._knows(place, f"{word}>{behind[0]}")
            keys = [f"other>{head}", f"{head}+s"]
            if word == "first":
                keys.append(f"second>{head}")
            return Standing(known, known | self._knows(place, *keys))
        if word in _LIGHT:
            return Standing(self.all_paths, self.all_paths)
        known |= self._knows(place, f"{word}$", f"{word}>{behind[0]}", *_stems(word))
        if word.endswith("ed") and not word.endswith("eed"):
            # "The dried film": what was done to it may stand in other words.
            return Standing(known, self.all_paths)
        # "The respiration sensor" after "a respiratory sensor".
        return Standing(known, known | self._knows(place, word, word[:_STEM] + "%"))

    def _knows(self, place: int, *keys: str) -> int:
        """Return the paths on which one of the keys is known at a place of the claim, as bits."""
        words, bits = self.own.words, self.bits
        for key in keys:
            if words.get(key, place) < place:
                return self.all_paths
        wanted = [bits[key] for key in keys if key in bits]
        found = 0
        for path, known in enumerate(self.inherited):
            if any(known >> bit & 1 for bit in wanted):
                found |= 1 << path
        return found


def _act_keys(words: list[str]) -> Iterator[str]:
    """Yield what else may introduce a noun that names an act: the verb it comes from."""
    head = words[-1]
    if head in _ACT_NOUNS and len(words) > 1:
        yield from (f"{words[-2]}$", *_stems(words[-2]))
    elif head.endswith(_ACTION_ENDINGS):
        yield from _stems(head)


def _stems(word: str) -> Iterator[str]:
    """Yield the keys under which other forms of a word are known: a verb for the noun of an act."""
    if word.endswith("ied"):
        yield word[:-3] + "y*"
    for suffix in _INFLECTIONS:
        if suffix and len(word) > len(suffix) + 2 and word.endswith(suffix):
            base = word.removesuffix(suffix)
            yield from (f"{base}!{other}" for other in _INFLECTIONS if other != suffix)
    # Not "operating": it would have its basis in "an operating mode".
    if not word.endswith(("ing", "ed")):
        if len(word) > _STEM:
            yield word[:_STEM] + "*"
        # Four letters are enough for a participle ("forming", "formation").
        if len(word) >= _STEM:
            yield word[: _STEM - 1] + "~"


@dataclass(frozen=True, slots=True)
class AntecedentGap:
    """A definite phrase without basis on at least one path of its claim's dependency.

    `phrase` has its article; in "the first and second lids" the phrases are "the first lids" and
    "the second lids". `start` and `end` count characters in the claim set. `path`: the claims cited
    on which the claim has no basis for the phrase when it depends on them; () where the claim
    cites none. `is_partial`: the phrase has basis on other claims that the claim cites.
    `is_certain`: whether a reader would hardly find it introduced in other words.
    """

    claim: int | None
    phrase: str
    start: int
    end: int
    path: tuple[int, ...]
    is_partial: bool = False
    is_certain: bool = True

    @property
    def term(self) -> str:
        """The phrase without its article."""
        return self.phrase.split(maxsplit=1)[1]

    @property
    def sentence(self) -> str:
        """The gap in plain English, for the person who reads the claims."""
        if self.is_partial:
            *others, last = map(str, self.path)
            cited = f"{', '.join(others)} or {last}" if others else last
            return f"\u201c{self.term}\u201d has no basis when read on claim {cited}"
        return f"\u201c{self.term}\u201d is not introduced before"


@dataclass(slots=True)
class _GapSearch:
    """The reading of a claim set, claim by claim."""

    text: str
    bits: dict[str, int] = field(default_factory=dict)
    known: KnownWords = field(default_factory=KnownWords)
    numbers: list[int] = field(default_factory=list)
    checked: int = 0

    def read(self, claim: Claim) -> Iterator[AntecedentGap]:
        """Yield the gaps of the next claim."""
        reading = ClaimWords.read(claim.text)
        self.checked += len(reading.definite)
        groups = cited_alternatives(claim, self.numbers, self.known.by_number)
        on_all = Basis(reading, [self.known.inherit(groups, claim)], self.bits)
        cited = [number for group in groups for number in group]
        by_path: Basis | None = None
        for item in reading.definite:
            opens = claim.number is not None and not (
                claim.text[claim.body_offset : item.start].strip()
            )
            is_orphan = opens and bool(self.numbers) and not claim.depends_on
            found = Standing(0, 0) if is_orphan else on_all.judge(item, loosely=opens)
            if found.basis:
                continue
            if groups:
                by_path = by_path or Basis(reading, self._paths(groups), self.bits)
                found = by_path.judge(item, loosely=opens)
            path = [number for bit, number in enumerate(cited) if not found.basis >> bit & 1]
            if groups and not path:
                continue
            reading.introduce(item)
            is_likely = found.likely == (by_path or on_all).all_paths
            yield AntecedentGap(
                claim.number,
                item.phrase,
                claim.start + item.start,
                claim.start + item.end,
                tuple(path),
                len(path) < len(cited),
                not is_likely and not _is_likely(item, claim.text),
            )
        self._add(claim, reading, on_all.inherited[0])

    def _paths(self, groups: tuple[tuple[int, ...], ...]) -> list[int]:
        """Return what a claim knows when it depends on each of the claims cited."""
        shared = [self.known.shared_by(group) for group in groups]
        paths: list[int] = []
        for place, group in enumerate(groups):
            rest = 0
            for other in shared[:place] + shared[place + 1 :]:
                rest |= other
            paths += [rest | self.known.by_number[number] for number in group]
        return paths

    def _add(self, claim: Claim, reading: ClaimWords, inherited: int) -> None:
        own = bytearray(len(self.bits) // 8 + len(reading.words) // 8 + 2)
        for word in reading.words:
            bit = self.bits.setdefault(word, len(self.bits))
            own[bit >> 3] |= 1 << (bit & 7)
        self.known.add(claim, inherited | int.from_bytes(own, "little"))
        if claim.number is not None:
            self.numbers.append(claim.number)


@lru_cache(maxsize=8)
def _search_gaps(text: str) -> tuple[tuple[AntecedentGap, ...], int]:
    search = _GapSearch(text)
    gaps = tuple(gap for claim in parse_claims(text) for gap in search.read(claim))
    return gaps, search.checked


def find_antecedent_gaps(text: str) -> tuple[AntecedentGap, ...]:
    """Return the definite phrases of a claim set that have no basis along some path.

    Input: the text of a claim set. Output: one gap per phrase and claim, the first place of each,
    in order. "The X" has basis when the noun of X (or the act it names) and the words before the
    noun stand earlier outside every "the ..." and "said ...", in the same claim or, on every path
    of dependency, in a claim above it; the order of these words is free, but "the second X" needs a
    second X. "The X of Y" defines itself and introduces X. A phrase reported in a claim is not
    reported again in its dependents. A claim that cites no earlier claim, but ought to (it cites an
    unknown one, or opens with "The ..."), is read after all earlier ones: its fault is the
    dependency. The reading is by surface words.
    """
    return _search_gaps(text)[0]


def count_antecedents(text: str) -> tuple[int, int]:
    """Count the definite phrases of a claim set that need basis, and those without it.

    Input: the text of a claim set. Output: the number of phrases after "the" or "said" that need
    an earlier introduction, at every place, and the number of those that `find_antecedent_gaps`
    reports as certain, each phrase once per claim and chain.
    """
    gaps, checked = _search_gaps(text)
    return checked, sum(gap.is_certain for gap in gaps)


# Parts of every person, and what is everywhere.
_EVERYWHERE_WORDS = """
abdomen air ankle arm atmosphere brain chest ear eye face finger foot forehead hand head heart knee
leg mouth neck nose sea skin sky spine sternum sun thigh throat thumb torso waist wrist
"""
_EVERYWHERE = frozenset(_EVERYWHERE_WORDS.split())
# "The gene encoding ...", "the half-width 'a'".
_NAMED_BY = re.compile(
    r"\s+(?:having\s+the\s+(?:amino|nucleotide|nucleic|sequence)\b|encoding|named|called|known\s+as|['\u2018\u201c\"])"
)


def _is_likely(item: DefinitePhrase, text: str) -> bool:
    """Whether a phrase that no earlier words introduce may well be known to a reader.

    It is a part of every person, the words behind it name it, or it may be a new noun in a list.
    """
    return (
        item.shares_article
        or singular(item.mention.term) in _EVERYWHERE
        or _NAMED_BY.match(text, item.end) is not None
    )
