"""Tables of figures as a page shows them: numbers as text, a note for each that is undefined."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from annotator.rubric import ALL_CRITERIA, NAMES

UNDEFINED: Final = "undefined"
ABSENT: Final = "none"
HEADS: Final = tuple(NAMES[key] for key in ALL_CRITERIA)

# What the n of a figure counts where others of its table count something else; {s} for several.
COUNTED: Final = {
    "kappa_quadratic": "pair{s} of annotators",
    "kappa": "pair{s} of annotators",
    "order_tau": "comparison{s}",
    "order_flips": "comparison{s}",
}

Figure = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """A number as text, its interval as text or "", and the number of its note or 0."""

    text: str
    interval: str = ""
    note: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a grid: what it is about, a word on it, its cells."""

    head: str
    hint: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table with its caption, the heads of its columns, its lines, and the notes under it."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Notes:
    """The notes under a grid: a reason that comes again keeps its number."""

    found: list[str] = field(default_factory=list)

    def number(self, reason: str) -> int:
        if not reason:
            return 0
        if reason not in self.found:
            self.found.append(reason)
        return self.found.index(reason) + 1


@dataclass(frozen=True, slots=True)
class Form:
    """How a number is written: decimals, whether as per cent, whether with its sign."""

    decimals: int = 2
    is_share: bool = False
    is_signed: bool = False

    def text(self, value: float) -> str:
        if self.is_share:
            return f"{100 * value:.0f} %"
        written = f"{value:{'+' if self.is_signed else ''}.{self.decimals}f}"
        # A minus that is one, and none before a zero.
        return (
            written.replace("-", "\N{MINUS SIGN}") if float(written) else f"{0:.{self.decimals}f}"
        )


COEFFICIENT: Final = Form(3)
POINTS: Final = Form(2)
CHANGE: Final = Form(2, is_signed=True)
SHARE: Final = Form(is_share=True)


def cell(found: Figure, form: Form, notes: Notes, key: str = "value") -> Cell:
    """Return a stored figure as a cell; without a number it says so, with the reason below."""
    value, low, high = found[key], found.get("low"), found.get("high")
    note = notes.number(found.get("reason", ""))
    if value is None:
        return Cell(UNDEFINED, "", note)
    if low is None or high is None:
        return Cell(form.text(value), "", note)
    return Cell(form.text(value), f"{form.text(low)} to {form.text(high)}", note)


def plain_cells(values: Iterable[object]) -> tuple[Cell, ...]:
    """Return counts or words as cells."""
    return tuple(Cell(str(value)) for value in values)


def figures_by_key(entry: Mapping[str, Any]) -> dict[str, Figure]:
    """Return the stored figures of a criterion or person by what they are called."""
    return {one["key"]: one for one in entry["figures"]}


def by_criterion(
    caption: str,
    criteria: Sequence[Mapping[str, Any]],
    lines: Sequence[tuple[str, str, Form]],
    counted: str = "candidate{s}",
) -> Grid:
    """Return a grid of figures by criteria: one line a figure, one column a criterion.

    `lines` gives key, name and form of each figure; the word on a line is what its overall figure
    rests on: `counted`, but for the figures that count something else.
    """
    notes = Notes()
    stored = [figures_by_key(entry) for entry in criteria]
    rows = [
        Row(
            name,
            _rests_on(stored[-1][key], COUNTED.get(key, counted)),
            tuple(cell(entry[key], form, notes) for entry in stored),
        )
        for key, name, form in lines
    ]
    return Grid(caption, HEADS, tuple(rows), tuple(notes.found))


def _rests_on(found: Figure, counted: str) -> str:
    words = f"n = {_several(found['n'], counted)}"
    if found["clusters"]:
        words += f", {_several(found['clusters'], 'reference{s}')}"
    return words + (f"; {found['interval'].replace('-', ' ')}" if found["interval"] else "")


def _several(count: int, what: str) -> str:
    return f"{count:,} {what.format(s='' if count == 1 else 's')}"
