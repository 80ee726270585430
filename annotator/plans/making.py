"""Owns assignment plans: who rates which references, evenly and by a seed; nothing is written.

Nothing here reads or writes rows: keys stand for references, candidates and annotators.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from annotator.plans.ledger import Ledger, Move, Share
from annotator.plans.swaps import even_out

NOBODY_LEFT: Final = "everybody who may rate it has it already, has left it, or is recused"
NO_ROOM: Final = "who could still rate it has not enough quota left for the rest of the reference"


@dataclass(frozen=True, slots=True)
class PlanCandidate:
    """A candidate: its system, its free places, who has it, and who may not be given it again."""

    key: str
    system: str
    free: int
    holders: frozenset[str] = frozenset()
    barred: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PlanReference:
    """A reference with all of its candidates, full ones too."""

    key: str
    candidates: tuple[PlanCandidate, ...]


@dataclass(frozen=True, slots=True)
class PlanAnnotator:
    """An annotator: how many more candidates they take (None: any number), how many they have
    now, and the references that they are recused from."""

    key: str
    room: int | None = None
    load: int = 0
    recused: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A candidate for whose last places nobody was found, and why."""

    reference: str
    candidate: str
    places: int
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What each annotator is given, in the order of the references, and what found nobody."""

    shares: tuple[Share, ...]
    unplaced: tuple[Unplaced, ...] = field(default=())


def make_plan(
    references: Sequence[PlanReference], annotators: Sequence[PlanAnnotator], seed: int
) -> Plan:
    """Give every free place of every candidate to an annotator, as evenly as can be.

    Inputs: references in their order, with keys that are unique; annotators with unique keys; any
    whole number as seed. Output: shares, one for each annotator and reference, and what found
    nobody. The same inputs give the same plan; the order of the annotators does not matter.

    What holds of every plan:

    - No candidate gets more annotators than it has free places, no annotator a candidate that
      they are among the holders or the barred of, one of a reference they are recused from, or
      more candidates than they have room for.
    - Whole references stay together: whoever is given one takes every candidate of it that has a
      place left and is not theirs already, so that opposite orders can be seen. Who has begun a
      reference comes first for its rest.
    - A place stays free only where no annotator left could take the rest of its reference, also
      not when others hand references on to make room. That search is complete when all
      references are of one size; with mixed sizes it may miss a packing.
    - Without quotas, recusals and holders, and loads that are equal at first, the loads differ by
      at most the size of the largest reference.

    What is aimed at, in this order, and reached but for small rests: all annotators with work are
    linked by shared candidates, whenever the number of references allows it; pairs of annotators
    share equally many references, and each annotator sees each system equally often (the sum of
    the squares of both counts is lowered by exchanges that leave the loads alone).
    Source: own rule; connected designs after Searle, 1987.
    """
    chance = random.Random(seed)
    people = sorted(annotators, key=lambda person: person.key)
    ledger = Ledger(
        loads={person.key: person.load for person in people},
        rooms={person.key: person.room for person in people},
        recused={person.key: person.recused for person in people},
    )
    for reference in references:
        ledger.know(reference.key, reference.candidates)
    ranks = {person.key: chance.random() for person in people}
    order = list(references)
    # Large references first leave small ones to even out with; equal ones come in a seeded order.
    chance.shuffle(order)
    order.sort(key=lambda reference: -sum(row.free > 0 for row in reference.candidates))
    unplaced = [rest for reference in order for rest in _place(reference, ledger, ranks)]
    even_out(ledger, chance)
    places = {reference.key: number for number, reference in enumerate(references)}
    return Plan(
        tuple(sorted(ledger.shares, key=lambda row: (row.annotator, places[row.reference]))),
        tuple(sorted(unplaced, key=lambda row: (places[row.reference], row.candidate))),
    )


def _place(reference: PlanReference, ledger: Ledger, ranks: dict[str, float]) -> Iterable[Unplaced]:
    """Give one reference to annotators until its places are taken; yield what is left."""
    needs = {row.key: row.free for row in reference.candidates if row.free > 0}
    while any(needs.values()):
        chosen = _choose(reference.key, needs, ledger, ranks)
        if chosen is None:
            break
        ledger.give(chosen)
        for key in chosen.candidates:
            needs[key] -= 1
    for key, places in needs.items():
        if places:
            could = ledger.could_take(reference.key, key)
            yield Unplaced(reference.key, key, places, NO_ROOM if could else NOBODY_LEFT)


def _choose(
    reference: str, needs: dict[str, int], ledger: Ledger, ranks: dict[str, float]
) -> Share | None:
    """Return the next share of a reference; None when nobody can take one."""
    open_keys = [key for key, places in needs.items() if places > 0]
    shares = [
        share
        for person in ledger.loads
        if (share := ledger.share_of(person, reference, open_keys)) is not None
    ]
    fitting = [share for share in shares if ledger.fits(share)]
    if not fitting:
        return _after_moves(shares, ledger)
    return min(fitting, key=lambda share: (*ledger.cost_of(share), ranks[share.annotator]))


def _after_moves(shares: Sequence[Share], ledger: Ledger) -> Share | None:
    """Have others hand references on until one of the shares fits; None when that cannot be."""
    for share in shares:
        moves: Sequence[Move] | None = ledger.room_for(share)
        if moves is not None:
            for move in moves:
                ledger.move(move)
            return share
    return None
