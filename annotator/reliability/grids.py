"""The figures of a reliability report as tables, with a note for each that is undefined."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from patclaimeval.rubric import ALL_CRITERIA, NAMES

UNDEFINED: Final = "undefined"
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
    """A line of a grid: what it is about, a note on it, its cells."""

    head: str
    hint: str
    cells: tuple[Cell, ...]


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


@dataclass(slots=True)
class Grid:
    """A table with its caption, the heads of its columns, its lines, and the notes under it.

    A reason that comes again has its number. Lines without a number in any column are `folded`:
    their heads by what they lack.
    """

    caption: str
    columns: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    folded: dict[tuple[str, ...], list[str]] = field(default_factory=dict)

    def add(self, head: str, hint: str, cells: Iterable[Cell]) -> None:
        """Add a line."""
        before = len(self.notes)
        line = tuple(cells)
        if any(cell.text != UNDEFINED for cell in line):
            self.rows.append(Row(head, hint, line))
            return
        reasons = {self.notes[cell.note - 1] for cell in line if cell.note}
        self.folded.setdefault(tuple(sorted(reasons)), []).append(head)
        del self.notes[before:]

    @property
    def folded_sentence(self) -> str:
        """Which lines are undefined throughout, and why; "" where none is."""
        if not self.folded:
            return ""
        groups = []
        for reasons, heads in self.folded.items():
            why = f" ({' '.join(reasons)})" if reasons else ""
            groups.append("; ".join(heads) + why)
        return f"Undefined throughout: {'; '.join(groups)}."

    def cell(self, found: Figure, form: Form, key: str = "value") -> Cell:
        """Return a stored figure as a cell; without a number it shows that, with a reason below."""
        value, low, high = found[key], found.get("low"), found.get("high")
        note = self._note(found.get("reason", ""))
        if value is None:
            return Cell(UNDEFINED, "", note)
        if low is None or high is None:
            return Cell(form.text(value), "", note)
        return Cell(form.text(value), f"{form.text(low)} to {form.text(high)}", note)

    def _note(self, reason: str) -> int:
        if not reason:
            return 0
        if reason not in self.notes:
            self.notes.append(reason)
        return self.notes.index(reason) + 1


def plain_cells(values: Iterable[object]) -> Iterator[Cell]:
    """Yield counts or texts as cells."""
    return (Cell(str(value)) for value in values)


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

    `lines` gives key, name and form of each figure; the note on a line is what its overall figure
    rests on: `counted`, but for the figures that count something else.
    """
    grid = Grid(caption, HEADS)
    stored = [figures_by_key(entry) for entry in criteria]
    for key, name, form in lines:
        hint = _rests_on(stored[-1][key], COUNTED.get(key, counted))
        grid.add(name, hint, (grid.cell(entry[key], form) for entry in stored))
    return grid


def _rests_on(found: Figure, counted: str) -> str:
    text = f"n = {_several(found['n'], counted)}"
    if found["clusters"]:
        text += f", {_several(found['clusters'], 'reference{s}')}"
    return text + (f"; {found['interval'].replace('-', ' ')}" if found["interval"] else "")


def _several(count: int, what: str) -> str:
    return f"{count:,} {what.format(s='' if count == 1 else 's')}"


Result = Mapping[str, Any]

AGREEMENT: Final = (
    ("alpha_interval", "Krippendorff's alpha, interval", COEFFICIENT),
    ("alpha_ordinal", "Krippendorff's alpha, ordinal", COEFFICIENT),
    ("alpha_nominal", "Krippendorff's alpha, nominal", COEFFICIENT),
    ("icc_single", "ICC(2,1), one rating", COEFFICIENT),
    ("icc_mean", "ICC(2,k), mean of the ratings", COEFFICIENT),
    ("kappa_quadratic", "Quadratic kappa, mean over pairs of annotators", COEFFICIENT),
    ("ac2", "Gwet's AC2, quadratic", COEFFICIENT),
    ("exact", "Equal scores", SHARE),
    ("within_one", "At most one point apart", SHARE),
    ("mean_difference", "Mean distance, in points", POINTS),
    ("order_tau", "Order of two candidates, tau", COEFFICIENT),
    ("order_flips", "Order of two candidates, opposite", SHARE),
)
PREFERENCES: Final = (
    ("exact", "Equal answers", SHARE),
    ("kappa", "Cohen's kappa, mean over pairs of annotators", COEFFICIENT),
    ("alpha_ordinal", "Krippendorff's alpha, ordinal", COEFFICIENT),
    ("alpha_nominal", "Krippendorff's alpha, nominal", COEFFICIENT),
    ("ac1", "Gwet's AC1", COEFFICIENT),
)
BAR_HEIGHT: Final = 24
MOST_PAIRS: Final = 50


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a histogram: where it begins from the top, and how high it is."""

    x: int
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often each whole score was given on one criterion."""

    name: str
    counts: tuple[int, ...]
    bars: tuple[Bar, ...]


def agreement_grid(result: Result) -> Grid:
    """Return the coefficients by criterion."""
    caption = "Agreement; below each figure its 95 % interval, clustered by reference"
    return by_criterion(caption, result["criteria"], AGREEMENT)


def plan_grid(result: Result) -> Grid:
    """Return how many annotators a candidate needs for a wanted standard error of its mean."""
    caption = "Annotators that a candidate needs for a standard error, in points, of its mean score"
    grid, criteria, whole = Grid(caption, HEADS), result["criteria"], Form(0)
    for place, line in enumerate(criteria[0]["plan"]):
        cells = (grid.cell(entry["plan"][place], whole, "annotators") for entry in criteria)
        grid.add(f"{line['standard_error']:g}", "", cells)
    return grid


def histograms(result: Result) -> tuple[Histogram, ...]:
    """Return the histogram of the scores of each criterion."""
    found = []
    for entry in result["criteria"]:
        counts = tuple(entry["histogram"])
        most = max(counts) or 1
        heights = [-(-BAR_HEIGHT * count // most) for count in counts]
        bars = tuple(Bar(12 * n, BAR_HEIGHT - height, height) for n, height in enumerate(heights))
        found.append(Histogram(NAMES[entry["key"]], counts, bars))
    return tuple(found)


def preference_grids(result: Result) -> tuple[Grid, ...]:
    """Return the figures on preferences and the counts of answers; nothing without any."""
    criteria = result["preferences"]["criteria"]
    if not criteria:
        return ()
    caption = "Agreement on which of two candidates is better"
    answers = Grid("Answers", ("One of the two is better", "Equal"))
    for entry in criteria:
        # Which candidate of a pair counts as first is arbitrary, so that both sides are one count.
        first, equal, second = entry["answers"]
        answers.add(NAMES[entry["key"]], "", plain_cells((first + second, equal)))
    return (by_criterion(caption, criteria, PREFERENCES, "pair{s}"), answers)


def pair_grid(result: Result) -> Grid | None:
    """Return the kappa of each two annotators, the lowest overall first; None without any."""
    criteria = result["criteria"]
    stored = [{(one["first"], one["second"]): one for one in entry["pairs"]} for entry in criteria]
    overall = stored[-1]
    if not overall:
        return None

    def low_first(names: tuple[str, str]) -> tuple[bool, float]:
        value = overall[names]["value"]
        return value is None, value or 0.0

    shown = sorted(overall, key=low_first)[:MOST_PAIRS]
    grid = Grid("Quadratic kappa of two annotators, the lowest overall first", HEADS)
    if len(overall) > len(shown):
        grid.caption += f"; {len(shown)} of {len(overall)} pairs, all of them over the API"
    for pair in shown:
        cells = (grid.cell(entry[pair], COEFFICIENT) for entry in stored)
        grid.add(" and ".join(pair), f"n = {overall[pair]['n']:,}", cells)
    return grid


NUMBERS: Final = re.compile(r"\d+")
SENSED: Final = ("Noticed", "Fall on the damaged criterion", "Fall on the others")
REPEATS: Final = (
    ("exact", "Equal scores", SHARE),
    ("within_one", "At most one point apart", SHARE),
    ("mean_difference", "Mean distance, in points", POINTS),
    ("icc", "ICC of first and second time", COEFFICIENT),
)


def severity_grids(result: Result) -> tuple[Grid, ...]:
    """Return raw and adjusted means with severity overall, then severity by criterion."""
    people = _in_order(result["criteria"][-1]["severity"]["people"])
    if not people:
        return ()
    columns = ("Raw mean", "Severity", "Adjusted mean", "Misfit")
    overall = Grid("Overall quality, in points", columns)
    for person in people:
        raw, *rest = (
            Cell(UNDEFINED if person[key] is None else POINTS.text(person[key]))
            for key in ("raw_mean", "adjusted_mean", "misfit")
        )
        hint = f"{person['ratings']:,} ratings, {person['n']:,} shared"
        cells = (raw, overall.cell(person, CHANGE, "severity"), *rest)
        overall.add(person["annotator"], hint, cells)
    stored = [entry["severity"]["people"] for entry in result["criteria"]]
    return overall, _by_person("Severity by criterion, in points", "severity", stored)


def drift_grid(result: Result) -> Grid:
    """Return how scores move per 100 ratings, by annotator and criterion."""
    stored = [entry["drift"] for entry in result["criteria"]]
    return _by_person("Change per 100 ratings, in points", "per_100", stored)


def repeat_grids(result: Result) -> tuple[Grid, ...]:
    """Return self-consistency over all, then of each annotator in overall quality."""
    stored = [entry["repeats"] for entry in result["criteria"]]
    caption = "First and second rating of the same candidate by the same annotator"
    grids = [by_criterion(caption, [entry[0] for entry in stored], REPEATS, "repeat{s}")]
    people = _in_order(one for one in stored[-1] if one["annotator"])
    if people:
        grid = Grid("Overall quality, by annotator", tuple(name for _, name, _ in REPEATS))
        for person in people:
            found = figures_by_key(person)
            cells = (grid.cell(found[key], form) for key, _, form in REPEATS)
            grid.add(person["annotator"], f"{found['exact']['n']:,} repeats", cells)
        grids.append(grid)
    return tuple(grids)


def sentinel_grids(result: Result) -> tuple[Grid, ...]:
    """Return what was noticed of damaged candidates: over all, by criterion, by annotator."""
    groups = result["sentinels"]["groups"]
    general = [one for one in groups if one["annotator"] is None]
    people = _in_order(one for one in groups if one["annotator"] and one["criterion"] is None)
    by_annotator = (sensed_grid("By annotator", people),) if people else ()
    return sensed_grid("By damaged criterion", general), *by_annotator


def sensed_grid(caption: str, groups: Iterable[Mapping[str, Any]]) -> Grid:
    """Return a grid on damaged candidates: noticed or not, and how far scores fell where.

    A line is about an annotator, or without one about a criterion.
    """
    grid = Grid(caption, SENSED)
    forms = (("detected", SHARE), ("drop_aimed", CHANGE), ("drop_elsewhere", CHANGE))
    for group in groups:
        found = figures_by_key(group)
        head = group["annotator"] or NAMES.get(group["criterion"], "All")
        cells = (grid.cell(found[key], form) for key, form in forms)
        grid.add(head, f"n = {found['detected']['n']:,}", cells)
    return grid


def _by_person(caption: str, key: str, criteria: Iterable[Iterable[Figure]]) -> Grid:
    grid = Grid(caption, HEADS)
    stored = [{one["annotator"]: one for one in people} for people in criteria]
    for person in _in_order(stored[-1].values()):
        name = person["annotator"]
        cells = (grid.cell(entry[name], CHANGE, key) for entry in stored)
        grid.add(name, f"n = {person['n']:,}", cells)
    return grid


def _in_order(people: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return people by name, "Annotator 2" before "Annotator 10"."""
    return sorted(
        people, key=lambda one: NUMBERS.sub(lambda number: number[0].zfill(6), one["annotator"])
    )
