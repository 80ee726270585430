"""Owns the exchanges that even a plan out: who meets whom, and who sees which system."""

import random
from collections.abc import Iterator
from typing import Final

from annotator.plans.ledger import Ledger, Move, Share

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
        if numbers[shares[one].annotator] != numbers[shares[other].annotator] and _exchange(
            ledger, shares, one, other
        ):
            now = ledger.group_count()
            if now < groups:
                groups = now
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
    more = len(theirs.candidates) - len(mine.candidates)
    if more and not _is_within(ledger, me, them, more):
        return False
    shares[one] = ledger.move(Move(mine, them))
    shares[other] = ledger.move(Move(theirs, me))
    return True


def _is_within(ledger: Ledger, me: str, them: str, more: int) -> bool:
    """Whether one may have so many candidates more, and the other as many fewer."""
    least, most = ledger.spread
    loads = (ledger.loads[me] + more, ledger.loads[them] - more)
    if min(loads) < least or max(loads) > most:
        return False
    return more <= ledger.room_left(me) and -more <= ledger.room_left(them)
