"""The paths of dependency in a claim set: on which claims each claim may be read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from patclaimeval.claims.parsing import Citation, Claim, citations

_DEFINITE_OPENING = re.compile(r"(?:the|said)\b", re.IGNORECASE)
_LETTERS = re.compile(r"[A-Za-z]+")
# What may stand between the numbers of one citation, and what makes them alternatives.
_CONNECTORS = frozenset(
    ["and", "any", "claim", "claims", "either", "of", "one", "or", "through", "to"]
)
_CHOICE = frozenset(["any", "anyone", "each", "either", "one", "or", "through", "to"])
_DASHES = frozenset("-\u2010\u2011\u2012\u2013\u2014~")
_LONGEST_CONNECTOR = 40


def chains_above(claims: tuple[Claim, ...]) -> Iterator[int]:
    """Yield for each claim the set of claims above it, as bits: bit i stands for claims[i].

    Sets as bits, because "any preceding claim" a hundred times over makes long unions.
    """
    above_number: dict[int, int] = {}
    for place, claim in enumerate(claims):
        above = 0
        for number in claim.depends_on:
            above |= above_number.get(number, 0)
        if not above and lacks_parent(claim):
            above = (1 << place) - 1
        yield above
        if claim.number is not None:
            own = above | 1 << place
            above_number[claim.number] = above_number.get(claim.number, 0) | own


def lacks_parent(claim: Claim) -> bool:
    """Return whether a claim reads as a dependent one: it cites a claim, or opens with "The".

    If no claim that it cites stands before it, its fault is the dependency and not its terms, so
    that it is read as if it depended on all earlier claims.
    """
    return bool(claim.depends_on) or _DEFINITE_OPENING.match(claim.body) is not None


@dataclass(slots=True)
class KnownWords:
    """The words that each claim knows on every path of its dependency, as sets of bits.

    A claim that cites alternatives ("claim 1 or 2") knows what all of them know. A claim that
    cites several claims at once ("the pump of claim 1 and the lid of claim 2") knows what any of
    them knows. Intersections instead of walks: the number of paths is exponential.
    """

    by_number: dict[int, int] = field(default_factory=dict)
    all_before: int = 0
    _shared: dict[tuple[int, ...], int] = field(default_factory=dict)

    def inherit(self, groups: tuple[tuple[int, ...], ...], claim: Claim) -> int:
        """Return the words that a claim has from the claims that it cites."""
        known = 0
        for group in groups:
            known |= self.shared_by(group)
        return self.all_before if not groups and lacks_parent(claim) else known

    def shared_by(self, group: tuple[int, ...]) -> int:
        """Return the words that all claims of a group know."""
        if group not in self._shared:
            known = self.by_number[group[0]]
            for number in group[1:]:
                known &= self.by_number[number]
            self._shared[group] = known
        return self._shared[group]

    def add(self, claim: Claim, known: int) -> None:
        """Note what a claim knows, after those before it."""
        self.all_before |= known
        if claim.number is not None:
            if claim.number in self.by_number:
                # A repeated number: what is shared by groups with it is computed again.
                self._shared.clear()
            self.by_number[claim.number] = self.by_number.get(claim.number, 0) | known


def cited_alternatives(
    claim: Claim, earlier: list[int], known_numbers: dict[int, int]
) -> tuple[tuple[int, ...], ...]:
    """Return the claims that a claim cites, as groups of alternatives.

    Inputs: a claim; the numbers before it, in order; a dictionary whose keys are these numbers.
    Output: "according to claim 1 or 2" is one group of two; "the pump of claim 1 with the lid of
    claim 2", and "claims 1 and 2", are two groups of one. Numbers of no earlier claim are left
    out.
    """
    if len(claim.depends_on) < 2:
        return tuple((number,) for number in claim.depends_on if number in known_numbers)
    body = claim.text[claim.body_offset :]
    groups: dict[tuple[int, ...], None] = {}
    for run in citation_runs(body, citations(body, earlier)):
        numbers = [number for item in run for number in item.numbers if number in known_numbers]
        numbers = list(dict.fromkeys(numbers))
        if _are_alternatives(body, run):
            groups.update({tuple(numbers): None} if numbers else {})
        else:
            groups.update(((number,), None) for number in numbers)
    # A range that is written twice is filled in once: its second place has the two ends only.
    filled = {(group[0], group[-1]) for group in groups if len(group) > 2}
    return tuple(group for group in groups if len(group) != 2 or group not in filled)


def citation_runs(body: str, found: tuple[Citation, ...]) -> Iterator[list[Citation]]:
    """Yield the citations of a text that are written as one: "claims 1, 2 or 5"."""
    run: list[Citation] = []
    for item in found:
        if run and not _joins(body[run[-1].end : item.start], run[-1], item):
            yield run
            run = []
        run.append(item)
    if run:
        yield run


def _joins(between: str, before: Citation, item: Citation) -> bool:
    if item.start < before.end or len(between) > _LONGEST_CONNECTOR:
        return False
    return _CONNECTORS.issuperset(word.lower() for word in _LETTERS.findall(between))


def _are_alternatives(body: str, run: list[Citation]) -> bool:
    """Whether a claim depends on one of the claims cited, not on all: "or", a range, "any of"."""
    first, last = run[0], run[-1]
    before = body[max(0, first.start - 24) : first.start].rsplit(",", 1)[-1]
    written = f"{before} {body[first.end : last.start]}".lower()
    if not _CHOICE.isdisjoint(_LETTERS.findall(written)):
        return True
    is_range = not _DASHES.isdisjoint(body[first.end : last.start])
    return is_range or any(len(item.numbers) > 1 for item in run)
