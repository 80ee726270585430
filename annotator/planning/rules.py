"""Plans who rates which references, evenly and by a seed; nothing is written.

Nothing here reads or writes rows: keys stand for references, candidates and annotators.
"""

import random
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from typing import Final

NOBODY_LEFT: Final = "everybody who may rate it has it already, has left it, or is recused"
NO_QUOTA: Final = "who could still rate it has not enough quota left for the rest of the reference"


# Marks a count of how often an annotator sees a system.
SYSTEM: Final = "system"
# Exchanges that are tried: of this many for each share, the first ones.
TRIALS_PER_SHARE: Final = 30
MOST_TRIALS: Final = 20_000


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
    quota: int | None = None
    load: int = 0
    recused: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Share:
    """What one annotator is given of one reference."""

    annotator: str
    reference: str
    candidates: tuple[str, ...]


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

    The rule: the largest references come first, equal ones in a seeded order. Each is given to one
    annotator after the other until its places are taken. First comes who has begun the reference,
    then who is furthest below their part of all the work (see `fair_loads`), then who links
    annotators that nothing links yet, then who has met the others on the reference and its systems
    least often, then a lot drawn by the seed. In the end
    annotators exchange references as long as pairs of annotators then share references, and
    annotators see systems, more evenly.

    What holds of every plan:

    - No candidate gets more annotators than it has free places, no annotator a candidate that
      they are among the holders or the barred of, one of a reference they are recused from, or
      more candidates than their quota allows.
    - Whole references stay together: whoever is given one takes every candidate of it that has a
      place left and is not theirs already, so that opposite orders can be seen.
    - A place stays free only where no annotator left could take the rest of its reference.
    - Without quotas, recusals and holders, and loads that are equal at first, the loads differ by
      at most the size of the largest reference.
    """
    chance = random.Random(seed)
    people = sorted(annotators, key=lambda person: person.key)
    ledger = _Ledger(references, people, {person.key: chance.random() for person in people})
    order = list(references)
    # Large references first leave small ones to even out with.
    chance.shuffle(order)
    order.sort(key=lambda reference: -sum(row.free > 0 for row in reference.candidates))
    for reference in order:
        ledger.place(reference)
    ledger.even_out(chance)
    # An annotator who has exchanged a share may be able to take what found nobody before.
    unplaced = [row for reference in order for row in ledger.place(reference)]
    places = {reference.key: number for number, reference in enumerate(references)}
    return Plan(
        tuple(sorted(ledger.shares, key=lambda row: (row.annotator, places[row.reference]))),
        tuple(sorted(unplaced, key=lambda row: (places[row.reference], row.candidate))),
    )


def fair_loads(
    references: Sequence[PlanReference], annotators: Sequence[PlanAnnotator]
) -> dict[str, int]:
    """Return how much each annotator would have if every place were given evenly.

    Loads are filled up to one level, as far as quotas allow it; who has more keeps it. So who has
    a large quota is not left with references that nobody else has quota for in the end.
    """
    need = sum(max(row.free, 0) for reference in references for row in reference.candidates)
    most = {
        person.key: person.load + (need if person.quota is None else person.quota)
        for person in annotators
    }

    def given(level: int) -> int:
        return sum(max(min(most[one.key], level) - one.load, 0) for one in annotators)

    level = bisect_left(range(max(most.values(), default=0)), need, key=given)
    return {key: min(limit, level) for key, limit in most.items()}


class _Ledger:
    """Who has how much, who shares references with whom, and who sees which systems how often.

    `squares` is the sum of the squares of the two counts: the lower, the more even.
    """

    def __init__(
        self,
        references: Sequence[PlanReference],
        people: Sequence[PlanAnnotator],
        ranks: dict[str, float],
    ) -> None:
        self.shares: list[Share] = []
        self.squares = 0
        self._people = people
        self._ranks = ranks
        self._quotas = {one.key: one.quota for one in people}
        fair = fair_loads(references, people)
        self._above = {one.key: one.load - fair[one.key] for one in people}
        systems = {row.key: row.system for one in references for row in one.candidates}

        @cache
        def systems_of(candidates: tuple[str, ...]) -> Counter[str]:
            return Counter(systems[key] for key in candidates)

        self._systems_of = systems_of
        # How often two annotators share a reference, and how often one sees a system.
        self._counts: defaultdict[tuple[str, ...], int] = defaultdict(int)
        # Annotators with equal numbers are linked by references that they share.
        self._groups: dict[str, int] = {}
        self._free = {
            one.key: {row.key: row.free for row in one.candidates if row.free > 0}
            for one in references
        }
        self._begun = {one.key: _holders(one) for one in references}
        self._takers: dict[str, set[str]] = {one.key: set() for one in references}
        # Annotators who have begun or left a reference, or are recused, exchange no share of it.
        self._bound: dict[str, frozenset[str]] = {}
        for reference in references:
            for pair in combinations(sorted(self._begun[reference.key]), 2):
                self._count(pair, 1)
            self._link(self._begun[reference.key])
            for row in reference.candidates:
                for holder in row.holders:
                    self._count((SYSTEM, holder, row.system), 1)
            recused = {one.key for one in people if reference.key in one.recused}
            barred = (row.barred for row in reference.candidates)
            self._bound[reference.key] = self._begun[reference.key].union(recused, *barred)

    def place(self, reference: PlanReference) -> list[Unplaced]:
        """Give a reference until its places are taken; return those that find nobody."""
        name = reference.key
        free, begun = self._free[name], self._begun[name]
        away = {row.key: row.holders | row.barred for row in reference.candidates}
        # What each annotator could be given.
        could = {
            one.key: [key for key, places in free.items() if places and one.key not in away[key]]
            for one in self._people
            if name not in one.recused and one.key not in self._takers[name]
        }
        while shares := self._fitting(name, could):
            share = min(shares, key=lambda one: (one.annotator not in begun, *self._cost(one)))
            del could[share.annotator]
            self._give(share)
        return [
            Unplaced(
                *(name, key, places),
                NO_QUOTA if any(key in keys for keys in could.values()) else NOBODY_LEFT,
            )
            for key, places in free.items()
            if places
        ]

    def _fitting(self, reference: str, could: dict[str, list[str]]) -> list[Share]:
        """Return what each annotator could take of the free places within their quota."""
        found, free = [], self._free[reference]
        for who, keys in could.items():
            still = tuple(key for key in keys if free[key])
            quota = self._quotas[who]
            if still and (quota is None or len(still) <= quota):
                found.append(Share(who, reference, still))
        return found

    def _cost(self, share: Share) -> tuple[int, bool, int, float]:
        who = share.annotator
        members = self._members(share.reference)
        is_linked = self._groups.get(who) in {self._groups[member] for member in members}
        met = sum(self._counts[_pair(who, member)] for member in members)
        seen = sum(
            times * self._counts[SYSTEM, who, system]
            for system, times in self._systems_of(share.candidates).items()
        )
        return self._above[who], is_linked, met + seen, self._ranks[who]

    def _members(self, reference: str) -> frozenset[str]:
        return self._begun[reference].union(self._takers[reference])

    def _link(self, people: Iterable[str]) -> None:
        """Give all who are linked to these people one number."""
        numbers = {self._groups.setdefault(one, len(self._groups)) for one in people}
        for one, number in self._groups.items():
            if number in numbers:
                self._groups[one] = min(numbers)

    def _give(self, share: Share) -> None:
        self.shares.append(share)
        self._above[share.annotator] += len(share.candidates)
        quota = self._quotas[share.annotator]
        if quota is not None:
            self._quotas[share.annotator] = quota - len(share.candidates)
        for key in share.candidates:
            self._free[share.reference][key] -= 1
        self._note(share, 1)
        self._link(self._members(share.reference))

    def even_out(self, chance: random.Random) -> None:
        """Have annotators exchange shares of one size, as long as that lowers `squares`."""
        shares = self.shares
        for _ in range(min(MOST_TRIALS, TRIALS_PER_SHARE * len(shares))):
            one, other = chance.randrange(len(shares)), chance.randrange(len(shares))
            old = mine, theirs = shares[one], shares[other]
            if not self._may_exchange(mine, theirs):
                continue
            new = (
                replace(mine, annotator=theirs.annotator),
                replace(theirs, annotator=mine.annotator),
            )
            before = self.squares
            self._exchange(old, new)
            if self.squares < before:
                shares[one], shares[other] = new
            else:
                self._exchange(new, old)

    def _may_exchange(self, mine: Share, theirs: Share) -> bool:
        if len(mine.candidates) != len(theirs.candidates):
            return False
        return all(
            not {share.annotator, other.annotator} & self._bound[share.reference]
            and other.annotator not in self._takers[share.reference]
            for share, other in ((mine, theirs), (theirs, mine))
        )

    def _exchange(self, old: Iterable[Share], new: Iterable[Share]) -> None:
        for share in old:
            self._note(share, -1)
        for share in new:
            self._note(share, 1)

    def _note(self, share: Share, sign: int) -> None:
        """Count a share as given, or with -1 as given no longer."""
        who, takers = share.annotator, self._takers[share.reference]
        takers.discard(who)
        begun = self._begun[share.reference]
        for member in takers | begun if who not in begun else ():
            self._count(_pair(who, member), sign)
        if sign > 0:
            takers.add(who)
        for system, times in self._systems_of(share.candidates).items():
            self._count((SYSTEM, who, system), sign * times)

    def _count(self, key: tuple[str, ...], more: int) -> None:
        before = self._counts[key]
        self._counts[key] = before + more
        self.squares += (before + more) ** 2 - before**2


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _holders(reference: PlanReference) -> frozenset[str]:
    return frozenset().union(*(row.holders for row in reference.candidates))
