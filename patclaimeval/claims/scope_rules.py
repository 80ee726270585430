"""What it does to the scope of a claim that some words stand in the place of others.

A verdict is given only where the change can only do that; else it is UNSURE, "changed".
"""

from collections.abc import Iterable, Set
from enum import StrEnum
from itertools import permutations
from typing import Final

from patclaimeval.claims.definite_phrases import ORDINALS
from patclaimeval.claims.wording import HEDGES
from patclaimeval.claims.words import HEDGE_WORDS, cut_suffixes, is_content


class Scope(StrEnum):
    """How the candidate's wording of a limitation changes what is claimed."""

    SAME = "same"
    BROADER = "broader"
    NARROWER = "narrower"
    DIFFERENT = "different"
    UNSURE = "unsure"


# With the first phrase in the reference and the second in the candidate the claim is broader, the
# other way round narrower. Inflections count as one.
_NARROW_TO_BROAD: Final = """
consisting of > comprising
consisting of > including
consisting essentially of > comprising
consisting of > consisting essentially of
and > or
and > and/or
and > at least one of
each > at least one
each of > at least one of
all > at least one
all of > at least one of
plurality of > at least one
plurality of > one or more
at least two > at least one
two or more > one or more
screw > fastener
bolt > fastener
"""
_BROADER: Final = {
    tuple(tuple(map(cut_suffixes, part.split())) for part in line.split(">"))
    for line in _NARROW_TO_BROAD.strip().splitlines()
}
_EQUAL: Final = {("one", "or", "more"), ("at", "least", "one")}
# Words that `stem` takes for one another, but of which the first says less than the second.
NARROWER_WORDS: Final = {("connect", "coupl"), ("join", "coupl"), ("link", "coupl")}
_OPPOSITES: Final = """
upper lower
top bottom
left right
front rear back
inner outer
inside outside
interior exterior
internal external
proximal distal
horizontal vertical
radial axial
parallel perpendicular
above below
before after
upstream downstream
increase decrease reduce
open close
maximum minimum
greater less smaller
higher lower
positive negative
cathode anode
male female
input output
hot cold
heat cool
even odd
wide narrow
wideband narrowband
manual automatic
analog digital
long short
thick thin
"""
_OPPOSITE_PAIRS: Final = {
    (cut_suffixes(one), cut_suffixes(other))
    for row in _OPPOSITES.strip().splitlines()
    for one, other in permutations(row.split(), 2)
}
_NUMBERS: Final = frozenset(
    ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve")
)
_NEGATING: Final = frozenset(("no", "not", "without", "non", "never", "neither", "nor", "except"))
# Words that limit nothing: with or without them the claim is the same.
_EMPTY: Final = frozenset(
    ("preferably", "optionally", "particular", "respective", "respectively", "corresponding")
)
# With or without one of them alone, the claim may mean the same thing.
_VAGUE: Final = """
structure state condition type region area different separate individual entire whole main further
additional own
"""
_TELLING_LITTLE: Final = ORDINALS | {*_VAGUE.split()}
# Dropped or added, they may change the scope either way.
_EITHER_WAY_WORDS: Final = """
or if when unless until while may can could might such like example suitable possible possibly up
more less than other any either between except selected group choose one maximum minimum
"""
_EITHER_WAY: Final = _NEGATING.union(_EITHER_WAY_WORDS.split(), HEDGE_WORDS - HEDGES)
# They choose among several things.
CHOOSING: Final = frozenset(("and", "or", "least", "one", "any", "only", "each", "all"))
TURNED: Final = {Scope.BROADER: Scope.NARROWER, Scope.NARROWER: Scope.BROADER}


def join_scopes(scopes: Iterable[Scope]) -> Scope:
    """Return what several changes of one limitation do to its scope together."""
    found = set(scopes) - {Scope.SAME}
    if len(found) > 1:
        is_sure = Scope.DIFFERENT in found and Scope.UNSURE not in found
        return Scope.DIFFERENT if is_sure else Scope.UNSURE
    return found.pop() if found else Scope.SAME


def listed_scope(here: tuple[str, ...], there: tuple[str, ...]) -> Scope | None:
    """Return the scope of an exchange of phrases that is listed, None of any other."""
    if {here, there} == _EQUAL:
        return Scope.SAME
    pair = tuple(map(cut_suffixes, here)), tuple(map(cut_suffixes, there))
    if pair in _BROADER:
        return Scope.BROADER
    return Scope.NARROWER if pair[::-1] in _BROADER else None


def scope_of(
    here: tuple[str, ...], there: tuple[str, ...], reference: Set[str], candidate: Set[str]
) -> Scope:
    """Return what it does to the scope that `there` stands for `here`; either may be empty."""
    if here and there:
        return listed_scope(here, there) or _scope_of_exchange(here, there)
    if here:
        return _scope_of_dropped(here, reference)
    scope = _scope_of_dropped(there, candidate)
    return TURNED.get(scope, scope)


def _scope_of_exchange(here: tuple[str, ...], there: tuple[str, ...]) -> Scope:
    if len(here) != len(there):
        return Scope.UNSURE
    changed = [(a, b) for a, b in zip(here, there, strict=True) if a != b]
    is_sure = all(
        (_is_number(a) and _is_number(b)) or (cut_suffixes(a), cut_suffixes(b)) in _OPPOSITE_PAIRS
        for a, b in changed
    )
    return Scope.DIFFERENT if changed and is_sure else Scope.UNSURE


def _is_number(key: str) -> bool:
    return key[:1].isdigit() or key in _NUMBERS


def _scope_of_dropped(words: tuple[str, ...], side: Set[str]) -> Scope:
    """Return what it does to the scope that words are dropped from a side that had them."""
    if not _EMPTY.isdisjoint(words) and len([w for w in words if is_content(w)]) == 1:
        return Scope.SAME
    if {*words} <= HEDGES:
        return Scope.NARROWER
    if words[-1] == "of" and not CHOOSING.isdisjoint(words):
        # Of "at least one of A and B" one is enough; without the words both are needed.
        return Scope.NARROWER if side & {"and", "or"} == {"and"} else Scope.SAME
    if not _NEGATING.isdisjoint(words):
        # "Or not" leaves it open, and what is not so with other words only limits.
        is_alone = len([word for word in words if is_content(word)]) == 1
        return Scope.DIFFERENT if is_alone and "or" not in words else Scope.UNSURE
    if all(word in _TELLING_LITTLE for word in words if is_content(word)):
        return Scope.UNSURE
    # Under a negation, or as one of several choices, fewer words may say less.
    if not _NEGATING.isdisjoint(side) or not _EITHER_WAY.isdisjoint(words):
        return Scope.UNSURE
    # A number that goes changes a range.
    return Scope.UNSURE if any(map(_is_number, words)) else Scope.BROADER
