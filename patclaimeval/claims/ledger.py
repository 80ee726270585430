"""The ledger of terms: which term of the reference the candidate calls by another name."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from patclaimeval.claims.languages import is_read_as_english, pair_language
from patclaimeval.claims.nouns import find_nouns
from patclaimeval.claims.parsing import Claim
from patclaimeval.claims.terms import STOP_WORDS, singular
from patclaimeval.claims.words import blank_labels, common_words, stem


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
    """The words of a claim: keys in the singular, and the span of each in the claim set."""

    keys: list[str] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)


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


def find_term_changes(
    reference: Sequence[Claim], candidate: Sequence[Claim], pairs: Sequence[tuple[int, int]]
) -> tuple[TermChange, ...]:
    """Return the terms that the candidate calls by another name, in the reference's order.

    Inputs: the claims of both sides, and the indices (i, j) of claims that correspond, as
    `pairing.align_claims` finds them. Words of corresponding claims are compared; where up to
    three words stand in the place of up to three others and both are nouns or noun phrases, the
    term was replaced, if the reference does not have the new term or the candidate has lost the
    old one. One place is enough only for a term that occurs once. Inflections and spellings of a
    word are one. A term is RENAMED when the candidate no longer has it and calls it by one other
    name, it DRIFTS when the candidate uses both names. () where the texts are not in English.
    """
    texts = ["".join(claim.text for claim in side) for side in (reference, candidate)]
    language = pair_language(texts[0], texts[1])
    if language is None or not is_read_as_english(language):
        return ()
    sides = [list(map(_read, side)) for side in (reference, candidate)]
    nouns = find_nouns(claim.text for side in (reference, candidate) for claim in side)
    found: dict[tuple[Phrase, Phrase], list[_Replacement]] = {}
    for pair, (i, j) in enumerate(pairs):
        for one in _replacements(pair, sides[0][i].keys, sides[1][j].keys, nouns):
            found.setdefault((one.old, one.new), []).append(one)
    ledger = _Ledger(sides, pairs, {phrase for names in found for phrase in names})
    return tuple(ledger.judge(found))


def _read(claim: Claim) -> _Words:
    words = _Words()
    offset = claim.body_offset
    for match in _TOKEN.finditer(blank_labels(claim.text[offset:])):
        words.keys.append(singular(match.group().lower()))
        start, end = match.span()
        words.spans.append((claim.start + offset + start, claim.start + offset + end))
    return words


def _replacements(
    pair: int, left: list[str], right: list[str], nouns: frozenset[str]
) -> Iterator[_Replacement]:
    """Yield the places of a pair of claims where a noun phrase stands for another one."""
    same = common_words(left, right)
    partner = dict(same)
    low = start = 0
    for i, j in [*same, (len(left), len(right))]:
        if i > low and j > start:
            run = _as_phrases(left, (low, i), right, (start, j), nouns)
            if run is not None:
                old, new, place = run
                around = [*range(low - _CONTEXT, low), *range(i, i + _CONTEXT)]
                # At either end of a claim there is nothing that could differ.
                agreeing = sum(
                    not 0 <= k < len(left)
                    or (k in partner and abs((partner[k] - start) - (k - low)) <= 2 * _CONTEXT)
                    for k in around
                )
                yield _Replacement(old, new, pair, place, agreeing)
        low, start = i + 1, j + 1


def _as_phrases(
    left: list[str],
    here: tuple[int, int],
    right: list[str],
    there: tuple[int, int],
    nouns: frozenset[str],
) -> tuple[Phrase, Phrase, int] | None:
    """Return a stretch of each side as noun phrases, if both are, and the place of the new one.

    A stretch that ends within a phrase is carried on to its noun: "provisioning" in the place of
    "boot" before "server" gives "provisioning server" and "boot server".
    """
    low, high = here
    start, stop = there
    while low < high and left[low] in STOP_WORDS:
        low += 1
    while start < stop and right[start] in STOP_WORDS:
        start += 1
    if not (0 < high - low <= _LONGEST_TERM and 0 < stop - start <= _LONGEST_TERM):
        return None
    ends_in_nouns = left[high - 1] in nouns and right[stop - 1] in nouns
    while not ends_in_nouns and max(high - low, stop - start) < _LONGEST_TERM:
        if high == len(left) or stop == len(right) or left[high] != right[stop]:
            return None
        high, stop = high + 1, stop + 1
        ends_in_nouns = left[high - 1] in nouns
    old, new = tuple(left[low:high]), tuple(right[start:stop])
    is_named = ends_in_nouns and _names(old) and _names(new) and not _is_same(old, new)
    return (old, new, start) if is_named else None


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
        certain = {names: places for names, places in found.items() if self._holds(*names, places)}
        new_names = Counter(old for old, _ in certain)
        for (old, new), places in certain.items():
            is_gone = old not in self._counts[1] and new_names[old] == 1
            replaced = of = 0
            for i, j in self._pairs:
                olds, news = self._in_pair(old, i, j), self._in_pair(new, i, j)
                of += olds[0]
                replaced += min(max(0, olds[0] - olds[1]), max(0, news[1] - news[0]))
            spans = self._spans(new, places)
            yield TermChange(
                " ".join(old),
                " ".join(new),
                max(replaced, len(places)),
                max(of, len(places)),
                Naming.RENAMED if is_gone else Naming.DRIFTS,
                spans,
            )

    def _holds(self, old: Phrase, new: Phrase, places: Sequence[_Replacement]) -> bool:
        """Whether a replacement is a second name and no chance neighbour of a rewritten text."""
        good = sum(place.agreeing >= _LEAST_AGREEING for place in places)
        is_lost, is_new = old not in self._counts[1], new not in self._counts[0]
        if not (is_lost or is_new):
            return False
        if good >= 2:
            return True
        return good == 1 and is_lost and is_new and sum(self._counts[0][old].values()) == 1

    def _in_pair(self, phrase: Phrase, i: int, j: int) -> tuple[int, int]:
        left, right = (side.get(phrase, Counter()) for side in self._counts)
        return left[i], right[j]

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
