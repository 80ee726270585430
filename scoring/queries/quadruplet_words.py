"""How a quadruplet reads on a page: labels and flags in words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotator.rubric import ALL_CRITERIA, NAMES
from scoring.formats.rows import DatasetRow
from scoring.queries.quadruplets import PlacedRow

WORDS = {1: "B better", 0: "equal", -1: "C better"}
# In tables of many labels: the side that is better, or a sign of equality.
SIGNS = {1: "B", 0: "=", -1: "C"}

# Short names of the criteria for the heads of narrow columns.
SHORT = {
    "feature_completeness": "Compl.",
    "conceptual_clarity": "Clarity",
    "terminology_consistency": "Terms",
    "logical_linkage": "Linkage",
    "overall_quality": "Overall",
}
HEADINGS = tuple((SHORT[key], NAMES[key]) for key in ALL_CRITERIA)


@dataclass(frozen=True, slots=True)
class LabelLine:
    """A label of one criterion; `soft` is the share of annotators who hold B above C, or ""."""

    name: str
    words: str
    soft: str


@dataclass(frozen=True, slots=True)
class RowLine:
    """A quadruplet as one line of a list: a sign a criterion in the rubric's order, "" for none."""

    number: int
    row: DatasetRow
    signs: tuple[str, ...]
    flags: str


def label_words(label: int | None) -> str:
    """Return a label in words; of none, that there is none."""
    return "no label" if label is None else WORDS[label]


def label_sign(label: int | None) -> str:
    """Return a label as a sign for narrow columns."""
    return "\N{EN DASH}" if label is None else SIGNS[label]


def label_lines(row: DatasetRow) -> Iterator[LabelLine]:
    """Yield the labels of a quadruplet in the rubric's order."""
    soft = row.extras.get("y_soft") or {}
    for key in ALL_CRITERIA:
        if key in row.y:
            share = f"{soft[key]:.2f}" if key in soft else ""
            yield LabelLine(NAMES[key], WORDS[row.y[key]], share)


def row_line(placed: PlacedRow) -> RowLine:
    """Return a quadruplet as a line of a list."""
    row = placed.row
    signs = tuple(SIGNS[row.y[key]] if key in row.y else "" for key in ALL_CRITERIA)
    return RowLine(placed.number, row, signs, "; ".join(row.extras.get("flags") or ()))


def files_of(card: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the files of an import as a card names them; older cards have no digests."""
    return [
        {"name": one, "sha256": ""} if isinstance(one, str) else one
        for one in card.get("files") or ()
    ]
