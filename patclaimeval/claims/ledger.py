"""The ledger of terms: which term of the reference the candidate calls by another name."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from patclaimeval.claims.languages import is_read_as_english, pair_language
from patclaimeval.claims.notes import Note, spans_without_claims
from patclaimeval.claims.nouns import find_nouns
from patclaimeval.claims.parsing import Claim
from patclaimeval.claims.term_changes import ForeignTerm, foreign_terms
from patclaimeval.claims.terms import STOP_WORDS, singular
from patclaimeval.claims.words import Pair, blank_labels, common_words, stem


class Naming(StrEnum):
    """Whether a term was replaced everywhere, or only in some places."""

    RENAMED = "renamed"
    DRIFTS = "drifts"


@dataclass(frozen=True, slots=True)
class TermChange:
    """A term of the reference in the place of which the candidate has another one.

    `replaced` of `of` places of the reference's term in claims with a counterpart have the
    candidate's term instead; `spans` are the places of the candidate's term in the candidate.
    """

    reference: str
    candidate: str
    replaced: int
    of: int
    verdict: Naming
    spans: tuple[tuple[int, int], ...] = ()


Phrase = tuple[str, ...]
_LONGEST_TERM = 3
# So many words around a difference must agree with so many around its counterpart.
_CONTEXT = 4
_LEAST_AGREEING = 5
_LEAST_PLACES = 2
_LARGEST_SHIFT = 3
_TOKEN = re.compile(r"[^\W\d_]\w*(?:-\w+)*|\d+(?:[.,]\d+)*|[^\w\s]")
# They say which one, how many or how much, and name nothing.
_NAMING_NOTHING = """
additional another best certain claim considerable different eighth fifth final first following
fourth further given great greater high higher highest initial kind large larger last least less low
lower lowest main more most next ninth number one other particular preceding predetermined previous
respective same second seventh several single sixth small smaller smallest specific subsequent tenth
third total various way
"""
_NOTHING = frozenset(_NAMING_NOTHING.split())
# British and American spelling, letter for letter.
_SPELLINGS = (
    *(("our", "or"), ("is", "iz"), ("ys", "yz"), ("ll", "l"), ("ae", "e"), ("oe", "e")),
    *(
        ("tre", "ter"),
        ("bre", "ber"),
        ("aluminium", "aluminum"),
        ("sulph", "sulf"),
        ("ence", "ense"),
    ),
    *(("grey", "gray"), ("mould", "mold"), ("ogue", "og"), ("tyre", "tire"), ("-", "")),
)


@dataclass(slots=True)
class _Words:
    """The words of a claim: keys in the singular, as written, and their spans in the claim set.

    `nouns` are the words of the claim that are nouns by their places.
    """

    keys: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    nouns: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Replacement:
    """One place where a phrase of the reference has another one of the candidate instead."""

    old: Phrase
    new: Phrase
    pair: int
    place: int
    """Index of the first word of the new phrase in the candidate's claim."""
    agreeing: int
    """How many of the words around, _CONTEXT on each side, are the same on both sides."""
    beside: int
    """How many runs of words the difference has; 1 where this phrase is all that differs."""


def find_term_changes(
    reference: Sequence[Claim], candidate: Sequence[Claim], pairs: Sequence[tuple[int, int]]
) -> tuple[TermChange, ...]:
    """Return the terms that the candidate calls by another name, in the reference's order.

    Inputs: the claims of both sides, and the indices (i, j) of claims that correspond, as
    `pairing.align_claims` finds them. Words of corresponding claims are compared; where up to
    three words stand in the place of up to three others, twice at least, and both are nouns or noun
    phrases, the term was replaced, if the reference does not have the new term or the candidate has
    lost the old one. Inflections and spellings of a word are one. A term is RENAMED when the
    candidate no longer has it and calls it by one other name, it DRIFTS when the candidate uses
    both names. () where the texts are not in English.
    """
    texts = ["".join(claim.text for claim in side) for side in (reference, candidate)]
    language = pair_language(texts[0], texts[1])
    if language is None or not is_read_as_english(language):
        return ()
    sides = [list(map(_read, side)) for side in (reference, candidate)]
    nouns = _nouns_of(*reference, *candidate)
    found: dict[tuple[Phrase, Phrase], list[_Replacement]] = {}
    for pair, (i, j) in enumerate(pairs):
        for one in _replacements(pair, sides[0][i].keys, sides[1][j].keys, nouns):
            found.setdefault((one.old, one.new), []).append(one)
    ledger = _Ledger(sides, pairs, {phrase for names in found for phrase in names})
    return tuple(ledger.judge(found))


def find_new_terms(
    reference: Sequence[Claim],
    candidate: Sequence[Claim],
    pairs: Sequence[tuple[int, int]],
    changes: Sequence[TermChange],
    notes: Iterable[Note],
) -> tuple[ForeignTerm, ...]:
    """Return the terms of the candidate that the reference has under no name, once each.

    Inputs as for `find_term_changes`, what it returns, and the notes on the candidate. Left out are
    claims of the candidate without a counterpart, which are new as a whole, and remarks that are
    no claim.
    """
    paired = {j for _, j in pairs}
    added = [(one.start, one.end) for j, one in enumerate(candidate) if j not in paired]
    return foreign_terms(
        "".join(claim.text for claim in reference),
        "".join(claim.text for claim in candidate),
        skip=[*added, *spans_without_claims(notes)],
        renamed=[change.candidate for change in changes],
        nouns=_nouns_of(*reference, *candidate),
    )


def _nouns_of(*claims: Claim) -> frozenset[str]:
    return frozenset[str]().union(*(_read(claim).nouns for claim in claims))


# The candidates of a reference are compared with it one after the other.
@lru_cache(maxsize=256)
def _read(claim: Claim) -> _Words:
    words = _Words(nouns=find_nouns([claim.text]))
    offset = claim.body_offset
    for match in _TOKEN.finditer(blank_labels(claim.text[offset:])):
        words.names.append(match.group())
        words.keys.append(singular(match.group().lower()))
        start, end = match.span()
        words.spans.append((claim.start + offset + start, claim.start + offset + end))
    return words


def _replacements(
    pair: int, left: list[str], right: list[str], nouns: frozenset[str]
) -> Iterator[_Replacement]:
    """Yield the places of a pair of claims where a noun phrase stands for another one."""
    common = common_words(left, right)
    partner = dict(common)
    for here, there in _replaced_runs(left, right, common):
        agreeing = sum(
            _agree(left, partner, edge + step, other + step)
            for edge, other, steps in (
                (here.start, there.start, range(-_CONTEXT, 0)),
                (here.stop, there.stop, range(_CONTEXT)),
            )
            for step in steps
        )
        runs = _cut_at_stops(left, here), _cut_at_stops(right, there)
        if len(runs[0]) != len(runs[1]):
            continue
        for own, other_run in zip(*runs, strict=True):
            found = _as_phrases(left, own, right, other_run, nouns)
            if found is None:
                continue
            yield _Replacement(*found, pair, other_run[0], agreeing, len(runs[0]))
            if qualified := _with_qualifier(found, left, own[0], right, other_run[0]):
                yield _Replacement(*qualified, pair, other_run[0] - 1, agreeing, len(runs[0]))


def _replaced_runs(
    left: Sequence[str], right: Sequence[str], common: Sequence[Pair]
) -> Iterator[tuple[range, range]]:
    """Yield the places of words on both sides that stand between the same common words.

    Where only one side has words of its own, none are yielded.
    """
    low = start = 0
    for i, j in [*common, (len(left), len(right))]:
        if i > low and j > start:
            yield range(low, i), range(start, j)
        low, start = i + 1, j + 1


def _agree(left: list[str], partner: dict[int, int], place: int, other: int) -> bool:
    """Whether a word has its counterpart about where it is expected.

    At either end of a claim there is nothing that could differ.
    """
    if not 0 <= place < len(left):
        return True
    return place in partner and abs(partner[place] - other) <= _LARGEST_SHIFT


def _cut_at_stops(words: list[str], places: range) -> list[tuple[int, int]]:
    """Cut a stretch of words at function words and punctuation, which belong to no run."""
    runs: list[tuple[int, int]] = []
    for place in places:
        if words[place] in STOP_WORDS or not words[place][0].isalpha():
            continue
        if runs and runs[-1][1] == place:
            runs[-1] = runs[-1][0], place + 1
        else:
            runs.append((place, place + 1))
    return runs


def _as_phrases(
    left: list[str],
    here: tuple[int, int],
    right: list[str],
    there: tuple[int, int],
    nouns: frozenset[str],
) -> tuple[Phrase, Phrase] | None:
    """Return a stretch of each side as noun phrases, if both are.

    A stretch that ends within a phrase is carried on to its noun: "provisioning" in the place of
    "boot" before "server" gives "provisioning server" and "boot server".
    """
    (low, high), (start, stop) = here, there
    if max(high - low, stop - start) > _LONGEST_TERM:
        return None
    ends_in_nouns = left[high - 1] in nouns and right[stop - 1] in nouns
    while not ends_in_nouns and max(high - low, stop - start) < _LONGEST_TERM:
        if high == len(left) or stop == len(right) or left[high] != right[stop]:
            return None
        high, stop = high + 1, stop + 1
        ends_in_nouns = left[high - 1] in nouns
    old, new = tuple(left[low:high]), tuple(right[start:stop])
    is_named = ends_in_nouns and _names(old) and _names(new) and not _is_same(old, new)
    return (old, new) if is_named else None


def _with_qualifier(
    names: tuple[Phrase, Phrase], left: list[str], here: int, right: list[str], there: int
) -> tuple[Phrase, Phrase] | None:
    """Return two names with the word that stands before both: "doped layer" and "doped film"."""
    old, new = names
    if here < 1 or there < 1 or left[here - 1] != right[there - 1] or len(old) >= _LONGEST_TERM:
        return None
    longer = (left[here - 1], *old), (right[there - 1], *new)
    return longer if all(map(_names, longer)) and len(new) < _LONGEST_TERM else None


def _names(phrase: Phrase) -> bool:
    """Whether every word of a phrase may be part of the name of a thing."""
    return all(
        len(word) > 1 and word[0].isalpha() and word not in STOP_WORDS and word not in _NOTHING
        for word in phrase
    )


def _is_same(old: Phrase, new: Phrase) -> bool:
    """Whether two phrases are one, but for spelling and inflection, or one is in the other."""
    if set(old) <= set(new) or set(new) <= set(old):
        return True
    return _spelled(old) == _spelled(new)


def _spelled(phrase: Phrase) -> str:
    written = " ".join(phrase)
    for british, american in _SPELLINGS:
        written = written.replace(british, american)
    return "".join(stem(word) for word in written.split())


class _Ledger:
    """Where both sides have which of the terms in question."""

    def __init__(
        self,
        sides: Sequence[Sequence[_Words]],
        pairs: Sequence[tuple[int, int]],
        phrases: set[Phrase],
    ) -> None:
        self._sides = sides
        self._pairs = pairs
        self._places = tuple(_find_phrases(side, phrases) for side in sides)
        self._counts = tuple(
            {phrase: Counter(claim for claim, _ in places) for phrase, places in side.items()}
            for side in self._places
        )

    def judge(self, found: dict[tuple[Phrase, Phrase], list[_Replacement]]) -> Iterator[TermChange]:
        """Yield the replacements that are certain, in the order of their first place."""
        certain = _without_variants(
            {names: places for names, places in found.items() if self._holds(*names, places)}
        )
        new_names = Counter(old for old, _ in certain)
        gone = {
            names
            for names in certain
            if names[0] not in self._counts[1] and new_names[names[0]] == 1
        }
        for (old, new), places in certain.items():
            is_gone = (old, new) in gone
            if _is_told_by_another((old, new), certain, gone):
                continue
            replaced = of = 0
            for i, j in self._pairs:
                olds, news = self._in_pair(old, i, j), self._in_pair(new, i, j)
                of += olds[0]
                replaced += min(max(0, olds[0] - olds[1]), max(0, news[1] - news[0]))
            spans = self._spans(new, places)
            yield TermChange(
                self._written(0, old),
                self._written(1, new),
                max(replaced, len(places)),
                max(of, len(places)),
                Naming.RENAMED if is_gone else Naming.DRIFTS,
                spans,
            )

    def _holds(self, old: Phrase, new: Phrase, places: Sequence[_Replacement]) -> bool:
        """Whether a replacement is a second name and no chance neighbour of a rewritten text."""
        is_lost, is_new = old not in self._counts[1], new not in self._counts[0]
        least = _LEAST_AGREEING - (is_lost and is_new)
        good = [place for place in places if place.agreeing >= least + place.beside - 1]
        is_clear = any(place.agreeing >= _LEAST_AGREEING for place in good)
        return len(good) >= _LEAST_PLACES and (is_lost or is_new) and is_clear

    def _in_pair(self, phrase: Phrase, i: int, j: int) -> tuple[int, int]:
        left, right = (side.get(phrase, Counter()) for side in self._counts)
        return left[i], right[j]

    def _written(self, side: int, phrase: Phrase) -> str:
        """Return a phrase in the singular, with the capitals of "CMTS" where it has them."""
        claim, place = self._places[side][phrase][0]
        claims = self._sides[side]
        names = claims[claim].names[place : place + len(phrase)]
        return " ".join(
            name if any(map(str.isupper, name[1:])) else word
            for name, word in zip(names, phrase, strict=True)
        )

    def _spans(self, new: Phrase, places: Sequence[_Replacement]) -> tuple[tuple[int, int], ...]:
        """Return where the candidate has the new name: everywhere, unless the reference has it."""
        if new in self._counts[0]:
            found = sorted((self._pairs[one.pair][1], one.place) for one in places)
        else:
            found = self._places[1][new]
        claims = self._sides[1]
        return tuple(
            (claims[claim].spans[place][0], claims[claim].spans[place + len(new) - 1][1])
            for claim, place in found
        )


_Found = dict[tuple[Phrase, Phrase], list[_Replacement]]


def _is_told_by_another(
    names: tuple[Phrase, Phrase], certain: _Found, gone: set[tuple[Phrase, Phrase]]
) -> bool:
    """Return whether a longer or a shorter pair of names says more of the same places.

    "Doped layer" that is "doped film" throughout says more than "layer" that drifts; else the
    shorter names say all.
    """
    old, new = names
    shorter = old[1:], new[1:]
    if old[0] == new[0] and shorter in certain:
        return shorter in gone or names not in gone or len(certain[shorter]) > len(certain[names])
    longer = [
        other
        for other in certain
        if (other[0][1:], other[1][1:]) == names and other[0][0] == other[1][0]
    ]
    return names not in gone and any(
        other in gone and len(certain[other]) == len(certain[names]) for other in longer
    )


def _without_variants(found: _Found) -> _Found:
    """Keep one old name of each new one, and of the new names of one that share words the first.

    The more frequent replacement is first: the others are what a rewritten text leaves of it.
    """
    old_of: dict[Phrase, Phrase] = {}
    news: dict[Phrase, list[Phrase]] = {}

    def weight(names: tuple[Phrase, Phrase]) -> int:
        return sum(place.agreeing for place in found[names])

    for old, new in sorted(found, key=weight, reverse=True):
        is_variant = any(set(new) & set(other) for other in news.get(old, ()))
        if new not in old_of and not is_variant:
            old_of[new] = old
            news.setdefault(old, []).append(new)
    return {names: places for names, places in found.items() if old_of.get(names[1]) == names[0]}


def _find_phrases(
    claims: Sequence[_Words], phrases: set[Phrase]
) -> dict[Phrase, list[tuple[int, int]]]:
    """Return the places (claim, word) of each phrase that is looked for."""
    firsts = {phrase[0] for phrase in phrases}
    found: dict[Phrase, list[tuple[int, int]]] = {}
    for number, claim in enumerate(claims):
        for place, word in enumerate(claim.keys):
            if word in firsts:
                for length in range(1, _LONGEST_TERM + 1):
                    phrase = tuple(claim.keys[place : place + length])
                    if len(phrase) == length and phrase in phrases:
                        found.setdefault(phrase, []).append((number, place))
    return found
