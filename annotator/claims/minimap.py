"""A pair of claim sets as one cell a row: what became of each claim of the reference."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from annotator.claims.comparing import CANDIDATE, REFERENCE
from annotator.claims.limitations import Standing
from annotator.claims.reading import ONLY_HERE, ClaimView, Reading


class State(StrEnum):
    """What became of a claim between the reference and the candidate."""

    MATCHED = "matched"
    CHANGED = "changed"
    MOVED = "moved"
    SPLIT = "split"
    MERGED = "merged"
    MISSING = "missing"
    ADDED = "added"


_EQUAL: Final = ("", Standing.MATCHED)


@dataclass(frozen=True, slots=True)
class Cell:
    """One row of a reading: the claims that stand in it, None where a side has none, and state."""

    reference: ClaimView | None
    candidate: ClaimView | None
    state: State

    @property
    def number(self) -> int | None:
        """The number that the cell shows: the reference's, else the candidate's."""
        claim = self.reference or self.candidate
        return claim.number if claim else None

    @property
    def places(self) -> tuple[str, ...]:
        """The names of the claims' elements on the page, the candidate's first."""
        sides = ((CANDIDATE, self.candidate), (REFERENCE, self.reference))
        return tuple(f"{side}-{claim.start}" for side, claim in sides if claim)

    @property
    def label(self) -> str:
        """The state in one phrase, with the candidate's number where it is another one."""
        one, other = self.reference, self.candidate
        words = next((claim.share for claim in (one, other) if claim and claim.share), "")
        words = words or str(self.state)
        if one and other and other.is_moved and self.state != State.MOVED:
            words += " and moved"
        if one and other and one.number != other.number and other.number is not None:
            words += f", claim {other.number} of the candidate"
        return words


def cells_of(reading: Reading) -> tuple[Cell, ...]:
    """Return a cell for each row of a reading, in its order; none for a plain reading.

    A claim is changed where a limitation of it is not matched or a word of substance differs: what
    is moved as well is changed. Signs, articles and the like change no claim. A claim that one side
    has in several is split or merged, whatever else is different.
    """
    if reading.is_plain:
        return ()
    return tuple(Cell(left, right, _state(left, right)) for left, right in reading.rows)


def count_states(cells: Iterable[Cell]) -> dict[State, int]:
    """Return how many cells there are of each state that occurs, in the order of `State`."""
    counts = Counter(cell.state for cell in cells)
    return {state: counts[state] for state in State if counts[state]}


def _state(left: ClaimView | None, right: ClaimView | None) -> State:
    for claim in (left, right):
        if claim and claim.sharing:
            return State(claim.sharing)
    if right is None:
        return State.MISSING
    if left is None:
        return State.ADDED
    if _differs(left) or _differs(right):
        return State.CHANGED
    return State.MOVED if right.is_moved else State.MATCHED


def _differs(claim: ClaimView) -> bool:
    return any(
        entry.standing not in _EQUAL or any(ONLY_HERE in one.kinds for one in entry.segments)
        for entry in claim.limitations
    )
