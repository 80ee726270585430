"""The texts of a score request as they are read: the reference beside one candidate, or two."""

from dataclasses import dataclass
from typing import Final

from annotator.comparisons.queries import SIDES
from annotator.reading import reading_of_texts
from patclaimeval.claims.languages import language_of
from patclaimeval.claims.minimap import Cell, State
from patclaimeval.claims.side_by_side import (
    SideBySide,
    joint_cells,
    note_by_names,
    set_side_by_side,
    unlike_states,
)
from scoring.models import ScoreRequest

# The keys of the rate page that every page with texts of ours has.
TEXT_KEYS: Final = {
    "scroll-down": "Scroll the claim sets down",
    "scroll-up": "Scroll the claim sets up",
    "toggle-aligned": "Show or fold the reference",
    "toggle-diff": "Word differences on or off",
    "toggle-marks": "Marks on or off",
    "fold-dependents": "Fold or unfold dependent claims",
    "next-difference": "Next difference",
    "previous-difference": "Previous difference",
}
KEY_LABELS: Final = {**TEXT_KEYS, "keys": "List of all keys"}


@dataclass(frozen=True, slots=True)
class ReadReference:
    """What the heads of the texts say of a reference that was pasted: its language alone."""

    language: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class ReadTexts:
    """A reference beside the candidates of these numbers, of which there is one, or two."""

    reference: ReadReference
    numbers: tuple[int, ...]
    seen: SideBySide

    @property
    def names(self) -> list[str]:
        return [f"Candidate {number}" for number in self.numbers]

    @property
    def cells(self) -> tuple[Cell, ...]:
        return joint_cells(self.seen, SIDES[: len(self.numbers)], self.names)

    @property
    def states(self) -> list[list[tuple[State, int]]]:
        """Return how many claims of each side differ, by state."""
        return [unlike_states(self.seen, at) for at in range(len(self.numbers))]


def read_texts(request: ScoreRequest, left: str = "", right: str = "") -> ReadTexts:
    """Return the texts of a request side by side.

    `left` and `right` are the numbers of candidates as an address has them; what is none, or twice
    the same, gives way to the first that is free.
    """
    texts = request.candidate_texts
    numbers: list[int] = []
    for asked in (left, right)[: len(texts)]:
        free = [number for number in range(1, len(texts) + 1) if number not in numbers]
        wanted = next((number for number in free if str(number) == asked), free[0])
        numbers.append(wanted)
    language = language_of(request.reference_text)
    readings = [
        reading_of_texts(request.reference_text, texts[number - 1], "") for number in numbers
    ]
    names = [f"candidate {number}" for number in numbers]
    seen = set_side_by_side(readings, note_by_names(names))
    return ReadTexts(ReadReference(language), tuple(numbers), seen)
