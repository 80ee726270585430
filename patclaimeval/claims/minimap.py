"""A pair of claim sets as one cell a row: what became of each claim of the reference."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from patclaimeval.claims.reading import ONLY_HERE, ClaimView, Reading
from patclaimeval.claims.sides import CANDIDATE, REFERENCE


class State(StrEnum):
    """What became of a claim between the reference and the candidate."""

    MATCHED = "matched"
    CHANGED = "changed"
    MOVED = "moved"
    SPLIT = "split"
    MERGED = "merged"
    MISSING = "missing"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Cell:
    """One row of a reading as the minimap shows it.

    `number` is the reference's, else the candidate's; `label` the state in one phrase, with the
    candidate's number where it is another one; `places` name the claims' elements on the page, the
    candidate's before the reference's.
    """

    number: int | None
    state: State
    label: str
    places: tuple[str, ...]
    address: str = ""
    """Where the cell leads, if not to its places on the same page."""
    is_current: bool = False
    """Whether the page of that address is the one that is shown."""


def cells_of(reading: Reading) -> tuple[Cell, ...]:
    """Return a cell for each row of a reading, in its order; none for a plain reading.

    A claim is changed where a limitation of it is not matched or a word of substance differs: what
    is moved as well is changed. Signs, articles and the like change no claim. A claim that one side
    has in several is split or merged, whatever else is different.
    """
    if reading.is_plain:
        return ()
    return tuple(_cell(left, right) for left, right in reading.rows)


def _cell(left: ClaimView | None, right: ClaimView | None) -> Cell:
    state = state_of(left, right)
    claim = left or right
    label = str(state)
    if claim and (left is None or right is None) and claim.share:
        label = f"{claim.share} of the {CANDIDATE if left else REFERENCE}"
    if left and right and right.is_moved and state != State.MOVED:
        label += " and moved"
    if left and right and left.number != right.number and right.number is not None:
        label += f", claim {right.number} of the candidate"
    sides = ((CANDIDATE, right), (REFERENCE, left))
    return Cell(
        claim.number if claim else None,
        state,
        label,
        tuple(f"{side}-{one.start}" for side, one in sides if one),
    )


def count_states(cells: Iterable[Cell]) -> dict[State, int]:
    """Return how many cells there are of each state that occurs, in the order of `State`."""
    counts = Counter(cell.state for cell in cells)
    return {state: counts[state] for state in State if counts[state]}


def state_of(left: ClaimView | None, right: ClaimView | None) -> State:
    """Return what became of a claim; one of the two may be None."""
    if right is None:
        return State.MERGED if left and left.elsewhere else State.MISSING
    if left is None:
        return State.SPLIT if right.elsewhere else State.ADDED
    if _differs(left) or _differs(right):
        return State.CHANGED
    return State.MOVED if right.is_moved else State.MATCHED


def _differs(claim: ClaimView) -> bool:
    return any(
        entry.standing or any(ONLY_HERE in one.kinds for one in entry.segments)
        for entry in claim.limitations
    )
