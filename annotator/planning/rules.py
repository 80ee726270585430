"""Plans who rates which references, evenly and by a seed; nothing is written.

Nothing here reads or writes rows: keys stand for references, candidates and annotators.
"""

import random
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class PlanCandidate:
    """A candidate: its system, its free places, who has it, and who may not be given it again."""

    key: str
    system: str
    free: int
    holders: frozenset[str] = frozenset()
    barred: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Share:
    """What one annotator is given of one reference."""

    annotator: str
    reference: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A share that goes to another annotator."""

    share: Share
    to: str


class Ledger:
    """Loads, meetings and systems, updated with every share that is given or moved.

    `squares` is the sum of the squares of how often each pair of annotators shares a reference
    and how often each annotator sees each system: the lower, the more even.
    """

    def __init__(
        self,
        loads: Mapping[str, int],
        quotas: Mapping[str, int | None],
        recused: Mapping[str, frozenset[str]],
    ) -> None:
        self.loads = dict(loads)
        self.squares = 0
        self._quotas = dict(quotas)
        self._recused = recused
        self._shares: dict[tuple[str, str], Share] = {}
        self._systems: dict[str, str] = {}
        self._away: dict[str, frozenset[str]] = {}
        self._begun: dict[str, frozenset[str]] = {}
        self._touched: dict[str, frozenset[str]] = {}
        self._members: dict[str, set[str]] = {}
        # How many references each person has something of.
        self._has: Counter[str] = Counter()
        self._meetings: Counter[tuple[str, str]] = Counter()
        self._seen: Counter[tuple[str, str]] = Counter()
        self._groups: dict[str, int] | None = None
        self._smallest = float("inf")

    @property
    def shares(self) -> tuple[Share, ...]:
        """What has been given, in the order of giving."""
        return tuple(self._shares.values())

    @property
    def spread(self) -> tuple[int, int]:
        """The smallest and the largest load."""
        return min(self.loads.values()), max(self.loads.values())

    def know(self, reference: str, candidates: Sequence[PlanCandidate]) -> None:
        """Take down a reference as it is before the plan."""
        begun: set[str] = set()
        touched: set[str] = set()
        for row in candidates:
            self._systems[row.key] = row.system
            self._away[row.key] = row.holders | row.barred
            begun |= row.holders
            touched |= row.holders | row.barred
            for holder in row.holders:
                self._see(holder, row.key, 1)
        self._begun[reference] = frozenset(begun)
        self._touched[reference] = frozenset(touched)
        self._members[reference] = set()
        for person in sorted(begun):
            self._join(person, reference)

    def share_of(self, person: str, reference: str, open_keys: Iterable[str]) -> Share | None:
        """Return what of the open candidates the person could take; None for nothing."""
        if reference in self._recused[person] or (person, reference) in self._shares:
            return None
        keys = tuple(key for key in open_keys if person not in self._away[key])
        return Share(person, reference, keys) if keys else None

    def could_take(self, reference: str, key: str) -> bool:
        """Whether there is somebody who could be given a candidate, but for their quota."""
        return any(self.share_of(person, reference, [key]) for person in self.loads)

    def remaining_quota(self, person: str) -> float:
        """How many more candidates the person takes; infinity without a quota."""
        quota = self._quotas[person]
        return float("inf") if quota is None else quota

    def fits(self, share: Share) -> bool:
        """Whether the annotator's quota takes the whole share."""
        return len(share.candidates) <= self.remaining_quota(share.annotator)

    def cost_of(self, share: Share) -> tuple[bool, int, bool, int]:
        """Return what giving a share would cost; the lowest is the best.

        Who has begun the reference first, then the least loaded, then who links annotators that
        nothing links yet, then what raises `squares` least.
        """
        who, members = share.annotator, self._members[share.reference]
        groups = self.groups()
        known = {groups[person] for person in members}
        squares = sum(2 * self._meetings[_pair(who, person)] + 1 for person in members)
        squares += sum(2 * self._seen[who, self._systems[key]] + 1 for key in share.candidates)
        is_new = who not in self._begun[share.reference]
        return is_new, self.loads[who], groups.get(who) in known, squares

    def give(self, share: Share) -> None:
        """Count a share as given."""
        self._shares[share.annotator, share.reference] = share
        self._smallest = min(self._smallest, len(share.candidates))
        self._count(share, 1)
        if share.annotator not in self._members[share.reference]:
            self._join(share.annotator, share.reference)

    def can_move(self, share: Share, to: str) -> bool:
        """Whether another annotator could have a share instead, but for their quota.

        What completes a begun reference stays; and nobody takes a share beside own candidates of
        the reference, or one that they have left.
        """
        reference = share.reference
        return (
            share.annotator not in self._begun[reference]
            and to not in self._touched[reference]
            and (to, reference) not in self._shares
            and reference not in self._recused[to]
        )

    def move(self, move: Move) -> Share:
        """Hand a share on; return it as the other annotator's."""
        share = move.share
        del self._shares[share.annotator, share.reference]
        self._count(share, -1)
        self._members[share.reference].discard(share.annotator)
        self._has[share.annotator] -= 1
        for person in self._members[share.reference]:
            self._meet(share.annotator, person, -1)
        self._groups = None
        new = Share(move.to, share.reference, share.candidates)
        self.give(new)
        return new

    def moves_for(self, share: Share) -> tuple[Move, ...] | None:
        """Return the moves, first to be made first, after which a share fits; None if none do.

        A search in breadth: each annotator on the way hands one share on to the next.
        """
        if max(map(self.remaining_quota, self.loads)) < self._smallest:
            return None  # nobody could take anything over
        mine: dict[str, list[Share]] = {}
        for given in self._shares.values():
            mine.setdefault(given.annotator, []).append(given)
        came: dict[str, Move | None] = {share.annotator: None}
        waiting = deque([(share.annotator, len(share.candidates))])
        while waiting:
            person, size = waiting.popleft()
            for given in mine.get(person, ()):
                if self.remaining_quota(person) + len(given.candidates) < size:
                    continue
                for other in self.loads:
                    if other in came or not self.can_move(given, other):
                        continue
                    move: Move | None = Move(given, other)
                    came[other] = move
                    waiting.append((other, len(given.candidates)))
                    if len(given.candidates) <= self.remaining_quota(other):
                        way = []
                        while move is not None:
                            way.append(move)
                            move = came[move.share.annotator]
                        return tuple(way)
        return None

    def groups(self) -> dict[str, int]:
        """Number everybody who has something; equal numbers are linked by shared references."""
        if self._groups is None:
            near: dict[str, list[str]] = {who: [] for who, count in self._has.items() if count}
            for (one, other), count in self._meetings.items():
                if count:
                    near[one].append(other)
                    near[other].append(one)
            self._groups = {}
            for number, person in enumerate(sorted(near)):
                reached = [person]
                while reached:
                    at = reached.pop()
                    if at not in self._groups:
                        self._groups[at] = number
                        reached.extend(near[at])
        return self._groups

    def group_count(self) -> int:
        """Count the groups of annotators that nothing links."""
        return len(set(self.groups().values()))

    def may_be_linked(self) -> bool:
        """Whether there are enough shared references to link everybody who has something."""
        links = sum(len(members) - 1 for members in self._members.values() if members)
        return links >= len(self.groups()) - 1

    def _join(self, person: str, reference: str) -> None:
        members = self._members[reference]
        for other in members:
            self._meet(person, other, 1)
        members.add(person)
        self._has[person] += 1
        if self._groups is not None:
            self._link(person, members)

    def _link(self, person: str, members: Iterable[str]) -> None:
        """Update the groups without counting them anew."""
        groups = self.groups()
        own = groups.setdefault(person, len(self._has) + len(groups))
        old = {groups[member] for member in members}
        for other, number in groups.items():
            if number in old:
                groups[other] = own

    def _count(self, share: Share, sign: int) -> None:
        who, size = share.annotator, sign * len(share.candidates)
        self.loads[who] += size
        quota = self._quotas[who]
        self._quotas[who] = None if quota is None else quota - size
        for key in share.candidates:
            self._see(who, key, sign)

    def _see(self, person: str, key: str, sign: int) -> None:
        self.squares += _shift(self._seen, (person, self._systems[key]), sign)

    def _meet(self, person: str, other: str, sign: int) -> None:
        self.squares += _shift(self._meetings, _pair(person, other), sign)


def _shift(counts: Counter[tuple[str, str]], key: tuple[str, str], sign: int) -> int:
    """Add to a count; return by how much its square grew."""
    before = counts[key]
    counts[key] = before + sign
    return (before + sign) ** 2 - before**2


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


TRIALS_PER_SHARE: Final = 30
MOST_TRIALS: Final = 20_000
# Each of these counts the groups anew, which costs more than comparing two sums.
MOST_LINKING_TRIALS: Final = 2_000


def even_out(ledger: Ledger, chance: random.Random) -> None:
    """Exchange shares between annotators, as long as that evens the plan out.

    Input: a ledger with its shares, changed in place; the source of chance. First annotators are
    linked, if nothing links them and there are references enough; then `squares` is lowered, and
    nobody is parted again. Loads stay within what the smallest and the largest were, quotas hold.
    """
    shares = list(ledger.shares)
    if len(shares) > 1:
        _link(ledger, shares, chance)
        _even(ledger, shares, chance)


def _link(ledger: Ledger, shares: list[Share], chance: random.Random) -> None:
    groups = ledger.group_count()
    for one, other in _drawn(shares, chance, MOST_LINKING_TRIALS):
        if groups == 1 or not ledger.may_be_linked():
            return
        numbers = ledger.groups()
        is_link = numbers[shares[one].annotator] != numbers[shares[other].annotator]
        if is_link and _exchange(ledger, shares, one, other):
            if ledger.group_count() < groups:
                groups = ledger.group_count()
            else:
                _exchange(ledger, shares, one, other)


def _even(ledger: Ledger, shares: list[Share], chance: random.Random) -> None:
    squares, groups = ledger.squares, ledger.group_count()
    for one, other in _drawn(shares, chance, MOST_TRIALS):
        if _exchange(ledger, shares, one, other):
            if ledger.squares < squares and ledger.group_count() <= groups:
                squares, groups = ledger.squares, ledger.group_count()
            else:
                _exchange(ledger, shares, one, other)


def _drawn(shares: list[Share], chance: random.Random, most: int) -> Iterator[tuple[int, int]]:
    """Yield the places of two shares of different annotators, drawn by chance."""
    for _ in range(min(most, TRIALS_PER_SHARE * len(shares))):
        one, other = chance.randrange(len(shares)), chance.randrange(len(shares))
        if shares[one].annotator != shares[other].annotator:
            yield one, other


def _exchange(ledger: Ledger, shares: list[Share], one: int, other: int) -> bool:
    """Let two annotators have each other's share if that can be; done twice, it undoes itself."""
    mine, theirs = shares[one], shares[other]
    me, them = mine.annotator, theirs.annotator
    if not (ledger.can_move(mine, them) and ledger.can_move(theirs, me)):
        return False
    if more := len(theirs.candidates) - len(mine.candidates):
        least, most = ledger.spread
        loads = (ledger.loads[me] + more, ledger.loads[them] - more)
        if min(loads) < least or max(loads) > most:
            return False
        if more > ledger.remaining_quota(me) or -more > ledger.remaining_quota(them):
            return False
    shares[one] = ledger.move(Move(mine, them))
    shares[other] = ledger.move(Move(theirs, me))
    return True


NOBODY_LEFT: Final = "everybody who may rate it has it already, has left it, or is recused"
NO_QUOTA: Final = "who could still rate it has not enough quota left for the rest of the reference"


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
      more candidates than their quota allows.
    - Whole references stay together: whoever is given one takes every candidate of it that has a
      place left and is not theirs already, so that opposite orders can be seen. Who has begun a
      reference comes first for its rest.
    - A place stays free only where no annotator left could take the rest of its reference, also
      not when others hand references on to free places. That search is complete when all
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
        quotas={person.key: person.quota for person in people},
        recused={person.key: person.recused for person in people},
    )
    for reference in references:
        ledger.know(reference.key, reference.candidates)
    ranks = {person.key: chance.random() for person in people}
    order = list(references)
    # Large references first leave small ones to even out with; equal ones come in a seeded order.
    chance.shuffle(order)
    order.sort(key=lambda reference: -sum(row.free > 0 for row in reference.candidates))
    needs = {
        reference.key: {row.key: row.free for row in reference.candidates if row.free > 0}
        for reference in order
    }
    for key, rest in needs.items():
        _place(key, rest, ledger, ranks)
    even_out(ledger, chance)
    # Whose share was exchanged may be able to take what found nobody before.
    while sum(_place(key, rest, ledger, ranks) for key, rest in needs.items()):
        pass
    unplaced = [row for key, rest in needs.items() for row in _unplaced(key, rest, ledger)]
    places = {reference.key: number for number, reference in enumerate(references)}
    return Plan(
        tuple(sorted(ledger.shares, key=lambda row: (row.annotator, places[row.reference]))),
        tuple(sorted(unplaced, key=lambda row: (places[row.reference], row.candidate))),
    )


def _place(reference: str, needs: dict[str, int], ledger: Ledger, ranks: dict[str, float]) -> bool:
    """Give a reference to annotators until its places are taken, or nobody can take more.

    Input: the places that each candidate needs, counted down here. Return whether any was given.
    """
    is_given = False
    while any(needs.values()):
        chosen = _choose(reference, needs, ledger, ranks)
        if chosen is None:
            break
        ledger.give(chosen)
        is_given = True
        for key in chosen.candidates:
            needs[key] -= 1
    return is_given


def _unplaced(reference: str, needs: dict[str, int], ledger: Ledger) -> Iterator[Unplaced]:
    for key, places in needs.items():
        if places:
            could = ledger.could_take(reference, key)
            yield Unplaced(reference, key, places, NO_QUOTA if could else NOBODY_LEFT)


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
    if fitting:
        return min(fitting, key=lambda share: (*ledger.cost_of(share), ranks[share.annotator]))
    # Others hand references on until one of the shares fits, if that can be.
    for share in shares:
        if (moves := ledger.moves_for(share)) is not None:
            for move in moves:
                ledger.move(move)
            return share
    return None
