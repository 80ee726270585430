"""Owns the ledger of a plan in the making: who has what, who meets whom, who sees which system."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


class Known(Protocol):
    """What the ledger asks of a candidate."""

    @property
    def key(self) -> str: ...
    @property
    def system(self) -> str: ...
    @property
    def holders(self) -> frozenset[str]: ...
    @property
    def barred(self) -> frozenset[str]: ...


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
    """Loads, meetings and systems, kept up to date with every share that is given or moved.

    `squares` is the sum of the squares of how often each pair of annotators shares a reference
    and how often each annotator sees each system: the lower, the more even.
    """

    def __init__(
        self,
        loads: Mapping[str, int],
        rooms: Mapping[str, int | None],
        recused: Mapping[str, frozenset[str]],
    ) -> None:
        self.loads = dict(loads)
        self.squares = 0
        self._rooms = dict(rooms)
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

    def know(self, reference: str, candidates: Sequence[Known]) -> None:
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

    def room_left(self, person: str) -> float:
        """How many more candidates the person takes; infinity without a quota."""
        room = self._rooms[person]
        return float("inf") if room is None else room

    def fits(self, share: Share) -> bool:
        """Whether the annotator's quota takes the whole share."""
        return len(share.candidates) <= self.room_left(share.annotator)

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

    def room_for(self, share: Share) -> tuple[Move, ...] | None:
        """Return the moves, first to be made first, after which a share fits; None if none do.

        A search in breadth: each annotator on the way hands one share on to the next.
        """
        if max(map(self.room_left, self.loads)) < self._smallest:
            return None  # nobody could take anything over
        mine: dict[str, list[Share]] = {}
        for given in self._shares.values():
            mine.setdefault(given.annotator, []).append(given)
        came: dict[str, Move | None] = {share.annotator: None}
        waiting = deque([(share.annotator, len(share.candidates))])
        while waiting:
            person, size = waiting.popleft()
            for given in mine.get(person, ()):
                if self.room_left(person) + len(given.candidates) < size:
                    continue
                for other in self.loads:
                    if other in came or not self.can_move(given, other):
                        continue
                    came[other] = Move(given, other)
                    if len(given.candidates) <= self.room_left(other):
                        return tuple(_way_back(came, other))
                    waiting.append((other, len(given.candidates)))
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
        """Keep the groups up to date without counting them anew."""
        groups = self.groups()
        own = groups.setdefault(person, len(self._has) + len(groups))
        old = {groups[member] for member in members}
        for other, number in groups.items():
            if number in old:
                groups[other] = own

    def _count(self, share: Share, sign: int) -> None:
        who, size = share.annotator, sign * len(share.candidates)
        self.loads[who] += size
        room = self._rooms[who]
        self._rooms[who] = None if room is None else room - size
        for key in share.candidates:
            self._see(who, key, sign)

    def _see(self, person: str, key: str, sign: int) -> None:
        self.squares += _shift(self._seen, (person, self._systems[key]), sign)

    def _meet(self, person: str, other: str, sign: int) -> None:
        self.squares += _shift(self._meetings, _pair(person, other), sign)


def _way_back(came: Mapping[str, Move | None], last: str) -> Iterator[Move]:
    move = came[last]
    while move is not None:
        yield move
        move = came[move.share.annotator]


def _shift(counts: Counter[tuple[str, str]], key: tuple[str, str], sign: int) -> int:
    """Add to a count; return by how much its square grew."""
    before = counts[key]
    counts[key] = before + sign
    return (before + sign) ** 2 - before**2


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
