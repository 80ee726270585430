"""Whether a change in the words of a limitation can only do what it seems to do."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from patclaimeval.claims.scope_rules import Scope
from patclaimeval.claims.terms import is_verb
from patclaimeval.claims.word_diff import Gap
from patclaimeval.claims.wording import MARKS, Wording
from patclaimeval.claims.words import is_content, stem

# A change of at most so many words is small, however short the limitation.
FEW: Final = 2
# If more than this share of a limitation is gone, what is left may be another limitation.
_MOST_LOST: Final = 0.6
# A limitation with this share of the changed words says what they say.
_MOSTLY: Final = 0.75
_LONGEST_PHRASE: Final = 12
_NEGATIONS: Final = frozenset(("no", "not", "without", "never", "neither", "nor", "if", "unless"))
_CONDITIONS: Final = frozenset(("if", "unless", "when", "whether", "while"))
_DEFINITE: Final = frozenset(("the", "said", "such", "this", "these", "its", "their"))
# Words that attach what follows to the noun before.
_JOINTS: Final = frozenset(("of", "that", "which", "is", "are", "in", "on", "at", "to", "with"))
# Prepositions that `is_content` takes for content words.
_PREPOSITION_WORDS = """
above along around behind below beneath between beyond during inside near onto outside over toward
towards under within
"""
_PREPOSITIONS: Final = frozenset(_PREPOSITION_WORDS.split())


@dataclass(frozen=True, slots=True)
class Said:
    """The words of the limitations of some claims."""

    words: Sequence[Counter[str]] = ()

    def count(self, word: str) -> int:
        """Return how often the claims have a word."""
        return sum(counts[word] for counts in self.words)

    def __contains__(self, word: object) -> bool:
        return any(word in counts for counts in self.words)


@dataclass(frozen=True, slots=True)
class ScopeChange:
    """One difference inside a limitation: its words on both sides, and what it does to the scope.

    The spans count characters in the claim sets; the words are "" and the span None on the side
    that has nothing there.
    """

    reference: str
    candidate: str
    scope: Scope
    reference_span: tuple[int, int] | None
    candidate_span: tuple[int, int] | None
    is_reworded: bool = False
    """Whether the other side says as much elsewhere, or in other words."""

    @property
    def reason(self) -> str:
        """Say what was changed."""
        if not self.candidate:
            return f"“{self.reference}” dropped"
        if not self.reference:
            return f"“{self.candidate}” added"
        if self.scope is Scope.UNSURE and not _are_of_a_kind(self.reference, self.candidate):
            return f"“{self.reference}” dropped, “{self.candidate}” added"
        return f"“{self.reference}” became “{self.candidate}”"


def _are_of_a_kind(left: str, right: str) -> bool:
    """Return whether words may stand for one another: as many, and verbs for verbs."""
    one, other = left.split(), right.split()
    return len(one) == len(other) and _is_verb(one[-1]) == _is_verb(other[-1])


def quote(changes: Iterable[ScopeChange]) -> str:
    """Return the words of changes, each once, of the side that has them."""
    return ", ".join(dict.fromkeys(f"“{one.reference or one.candidate}”" for one in changes))


def describe(changes: Sequence[ScopeChange]) -> str:
    """Say what was changed, and at last what only stands elsewhere or is said in other words."""
    said = [one.reason for one in changes if not one.is_reworded]
    if words := quote(one for one in changes if one.is_reworded):
        said.append(f"{words} elsewhere or in other words")
    return ", ".join(dict.fromkeys(said))


def change_of_side(span: tuple[int, int], text: str, *, is_of_reference: bool) -> ScopeChange:
    """Return the change that one side alone has some words, of which no more is known."""
    words = text[slice(*span)]
    if is_of_reference:
        return ScopeChange(words, "", Scope.UNSURE, span, None)
    return ScopeChange("", words, Scope.UNSURE, None, span)


def places_of(span: tuple[int, int] | None, wording: Wording) -> range:
    """Return the tokens within a span of the claim set."""
    start, end = span or (0, 0)
    return range(bisect_left(wording.starts, start), bisect_left(wording.starts, end))


def is_sure(
    change: ScopeChange,
    gap: Gap,
    sides: tuple[Wording, Wording],
    above: tuple[Said, Said],
) -> bool:
    """Return whether a change can only do what it seems to do, as far as the words tell."""
    if change.scope is Scope.UNSURE:
        return False
    if change.reference and change.candidate:
        return all(
            not _is_in_name(span, wording) and _NEGATIONS.isdisjoint(wording.keys)
            for span, wording in zip(
                (change.reference_span, change.candidate_span), sides, strict=True
            )
        )
    own, other = sides if change.reference else sides[::-1]
    places = places_of(change.reference_span or change.candidate_span, own)
    words = [place for place in places if is_content(own.keys[place])]
    if not words:
        return True
    is_short = len(words) <= FEW or len(words) <= _MOST_LOST * sum(map(is_content, own.keys))
    opposite = gap.start if change.reference else gap.low
    return (
        is_short
        and MARKS.isdisjoint(own.keys[places.start : places.stop])
        and _CONDITIONS.isdisjoint(own.keys[max(0, places.start - 2) : places.stop + 1])
        # "Induce" may say the same in other words; "sealed" before "lid" says which lid.
        and (len(words) > 1 or not _is_verb(own.keys[words[0]]) or _leads_noun(places.stop, own))
        # "The sealed lid" may be no other than "the lid".
        and not _is_definite(places.start, own)
        and not _is_definite(words[0], own)
        and not _is_definite(opposite, other)
        and not _is_renamed(places, own)
        and not _is_known(words, own, *(above if change.reference else above[::-1]))
    )


def _is_in_name(span: tuple[int, int] | None, wording: Wording) -> bool:
    """Return whether words are parts of a longer name, as the numbers of "3,4-xylene"."""
    places = places_of(span, wording)
    first, stop = places.start, places.stop
    return "-" in (*wording.keys[max(0, first - 1) : first], *wording.keys[stop : stop + 1])


def _is_definite(place: int, wording: Wording) -> bool:
    """Return whether a noun phrase that a place is in, or just behind, refers to what is known."""
    keys = wording.keys
    place -= 1
    while place >= 0 and not is_content(keys[place]) and keys[place] in _JOINTS:
        place -= 1
    # A phrase that is longer than this is treated as definite.
    first = max(0, place - _LONGEST_PHRASE)
    while place >= first and (is_content(keys[place]) or keys[place] == "-"):
        place -= 1
    return place >= 0 and (keys[place] in _DEFINITE or is_content(keys[place]))


def _is_renamed(places: range, wording: Wording) -> bool:
    """Return whether a name that the other side does not use stands beside some words."""
    near = range(max(0, places.start - 1), min(places.stop + 1, len(wording.keys)))
    keys = (wording.keys[place] for place in near)
    return any(
        is_content(key) and stem(key) != wording.stems[place]
        for place, key in zip(near, keys, strict=True)
    )


def _is_known(words: Sequence[int], own: Wording, here: Said, there: Said) -> bool:
    """Return whether the claims of the other side say elsewhere what some words say."""
    stems = [own.stems[place] for place in words]
    if len(stems) == 1:
        return 0 < here.count(stems[0]) <= there.count(stems[0])
    most = max((sum(word in counts for word in stems) for counts in there.words), default=0)
    return most >= _MOSTLY * len(stems)


def _leads_noun(place: int, wording: Wording) -> bool:
    # "Formed within" may say no more than "within".
    keys = wording.keys[place : place + 1]
    return any(is_content(key) and key not in _PREPOSITIONS for key in keys)


def _is_verb(word: str) -> bool:
    return word.endswith(("ing", "ed")) or is_verb(word)


def as_doubtful(
    change: ScopeChange, sides: tuple[Wording, Wording], above: tuple[Said, Said]
) -> ScopeChange:
    """Return a change that is not sure to have an effect, or to be one."""
    change = replace(change, scope=Scope.UNSURE)
    if change.reference and change.candidate:
        return change
    is_lost = bool(change.reference)
    (own, other), said = (sides, above) if is_lost else (sides[::-1], above[::-1])
    places = places_of(change.reference_span or change.candidate_span, own)
    words = [place for place in places if is_content(own.keys[place])]
    is_known = len(words) > 1 and _is_known(words, own, *said)
    given = sum(own.stems[place] in other.counts for place in words)
    return replace(change, is_reworded=bool(words) and (is_known or 2 * given >= len(words)))
