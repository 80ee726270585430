"""The parts of a report's page: verdict, table, plots, tests, groups, ceiling."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from scoring.plots.intervals import Band, Measured, interval_plot
from scoring.plots.scatters import Level, label_levels, label_plot, rating_levels, rating_plot
from scoring.plots.shapes import Plot
from scoring.reports.files import FIGURES, Cell, cell, entries, label_of, scored_names

FIXED_AND_CALIBRATED: Final = ("accuracy", "f1_weighted", "f1_macro", "tau_paper", "tau_b_labels")
BOTH_SETS: Final = ("tau_b", "tau_paper", "accuracy", "f1_weighted")
PUBLISHED: Final = ("tau_paper", "spearman", "accuracy", "f1_weighted")
FAMILIES: Final = {"scorers": "Scorers among themselves", "baselines": "Scorers against baselines"}
BREAKDOWNS: Final = (
    ("reference_in_items", "By whether the reference is a candidate"),
    ("system", "By system"),
    ("ipc", "By IPC section"),
    ("language", "By language"),
    ("length", "By length"),
)


@dataclass(frozen=True, slots=True)
class Compared:
    """Two scorers and the test of their difference, first minus second."""

    first: str
    second: str
    difference: Cell
    p: float | None
    p_holm: float | None
    verdict: str


@dataclass(frozen=True, slots=True)
class Family:
    """Comparisons that one correction for many tests covers."""

    title: str
    pairs: tuple[Compared, ...]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Figures at the fixed tie threshold beside those at one chosen on other references."""

    label: str
    threshold: str
    over_folds: str
    in_sample: float | None
    pairs: tuple[tuple[Cell, Cell], ...]
    reason: str


@dataclass(frozen=True, slots=True)
class WithAndWithout:
    """Figures on all items beside those on items without the reference."""

    label: str
    n: int
    n_without: int
    pairs: tuple[tuple[Cell, Cell], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A group of items with tau-b of each scorer in the order of the headings."""

    name: str
    n: int
    references: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Agreement by group of items, or why it is not shown."""

    key: str
    title: str
    reason: str
    names: tuple[str, ...]
    labels: tuple[str, ...]
    groups: tuple[Group, ...]

    @property
    def undefined(self) -> tuple[str, ...]:
        """Why figures of the groups are undefined, each reason once."""
        return reasons(one for group in self.groups for one in group.cells)


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that a paper prints, and ours for the same scorer where the report has it."""

    label: str
    pairs: tuple[tuple[float, Cell | None], ...]
    source: str
    is_comparable: bool


def families(document: Mapping[str, Any]) -> tuple[Family, ...]:
    """Return the tests of difference by family; none for a report from before them."""
    found = document.get("comparisons", {}).get("families", [])
    return tuple(
        Family(
            FAMILIES.get(family["name"], family["name"]),
            tuple(compared_pair(document, pair) for pair in family["pairs"]),
        )
        for family in found
        if family["pairs"]
    )


def calibrations(document: Mapping[str, Any]) -> tuple[Calibration, ...]:
    """Return a row for each scorer that was scored and whose report knows calibration."""
    return tuple(
        _calibration(str(entry.get("label") or name), entry)
        for _, name, entry in entries(document)
        if entry.get("calibrated") and not entry.get("unavailable")
    )


def with_and_without(document: Mapping[str, Any]) -> tuple[WithAndWithout, ...]:
    """Return a row for each scorer and baseline that was scored."""
    rows = []
    for _, name, entry in entries(document):
        without = entry["without_reference_items"]
        pairs = tuple((cell(entry[key]), cell(without[key])) for key in BOTH_SETS)
        if not entry.get("unavailable"):
            label = str(entry.get("label") or name)
            rows.append(WithAndWithout(label, entry["n"], without["n"], pairs))
    return tuple(rows)


def breakdowns(document: Mapping[str, Any]) -> tuple[Breakdown, ...]:
    """Return agreement by group, the kinds of BREAKDOWNS that the report knows."""
    stored = document.get("breakdowns", {})
    return tuple(
        _breakdown(document, key, title, stored[key]) for key, title in BREAKDOWNS if key in stored
    )


def published(document: Mapping[str, Any]) -> tuple[Published, ...]:
    """Return the published figures, each beside ours where the same scorer was asked for."""
    rows = []
    for name, line in document["published"].items():
        ours = document["scorers"].get(name)
        is_ours = ours is not None and not ours.get("unavailable")
        pairs = tuple((line[key], cell(ours[key]) if is_ours else None) for key in PUBLISHED)
        label = label_of(document, name)
        rows.append(Published(label, pairs, line["source"], bool(line["comparable"])))
    return tuple(rows)


def reasons(cells: Iterable[Cell]) -> tuple[str, ...]:
    """Return why cells have no figure, each reason once."""
    return tuple(dict.fromkeys(one.reason for one in cells if one.value is None and one.reason))


def ceiling_figures(document: Mapping[str, Any]) -> tuple[tuple[str, Cell], ...]:
    """Return the figures of the human ceiling by name; none where it is unknown."""
    ceiling = document["human_ceiling"]
    if ceiling["value"] is None:
        return ()
    names = {"tau_paper": "tau, papers'", "accuracy": "accuracy", "f1_weighted": "F1 weighted"}
    further = ((name, ceiling.get(key)) for key, name in names.items())
    return (("tau-b", cell(ceiling)), *((name, _loose(one)) for name, one in further if one))


def ceiling_people(document: Mapping[str, Any]) -> tuple[tuple[str, int | None, Cell], ...]:
    """Return pseudonym, items and tau-b against the others for each annotator."""
    return tuple(
        (line["annotator"], line.get("n"), _loose(line.get("tau_b", line)))
        for line in document["human_ceiling"].get("per_annotator") or ()
    )


def _loose(figure: Mapping[str, Any] | float | None) -> Cell:
    """Read a figure that is stored with an interval or as a number alone."""
    if isinstance(figure, int | float):
        return Cell(figure, None, None, "")
    if figure is None or "value" not in figure:
        return cell(None)
    return Cell(figure["value"], figure.get("low"), figure.get("high"), figure.get("reason") or "")


def compared_pair(document: Mapping[str, Any], pair: Mapping[str, Any]) -> Compared:
    """Read a stored test of two scorers."""
    difference = Cell(pair["difference"], pair["low"], pair["high"], pair.get("reason") or "")
    return Compared(
        first=label_of(document, pair["first"]),
        second=label_of(document, pair["second"]),
        difference=difference,
        p=pair["p"],
        p_holm=pair["p_holm"],
        verdict=pair["verdict"],
    )


def _calibration(label: str, entry: Mapping[str, Any]) -> Calibration:
    found = entry["calibrated"]
    fixed = tuple(cell(entry[key]) for key in FIXED_AND_CALIBRATED)
    if found.get("threshold") is None:
        nothing = Cell(None, None, None, found.get("reason") or "")
        pairs = tuple((one, nothing) for one in fixed)
        return Calibration(label, "", "", None, pairs, nothing.reason)
    chosen = tuple(cell(found.get(key)) for key in FIXED_AND_CALIBRATED)
    return Calibration(
        label=label,
        threshold=f"{found['threshold']:.4g}",
        over_folds=f"{found['low']:.4g} … {found['high']:.4g}, {found['folds']} folds",
        in_sample=_loose((found.get("in_sample") or {}).get("f1_weighted")).value,
        pairs=tuple(zip(fixed, chosen, strict=True)),
        reason="",
    )


def _breakdown(
    document: Mapping[str, Any], key: str, title: str, stored: Mapping[str, Any]
) -> Breakdown:
    names = tuple(
        name
        for name in scored_names(document)
        if any(name in group["scorers"] for group in stored["groups"])
    )
    groups = tuple(_groups(stored["groups"], names))
    labels = tuple(label_of(document, name) for name in names)
    return Breakdown(key, title, stored.get("reason") or "", names, labels, groups)


def _groups(stored: list[dict[str, Any]], names: tuple[str, ...]) -> Iterator[Group]:
    for group in stored:
        cells = tuple(_loose(group["scorers"].get(name)) for name in names)
        yield Group(str(group["group"]), group["n"], group["references"], cells)


RATINGS: Final = "ratings"


@dataclass(frozen=True, slots=True)
class Scatter:
    """The scores of one scorer against what people gave; `levels` is the plot as a table."""

    name: str
    label: str
    is_of_ratings: bool
    n: int
    drawn: int
    plot: Plot | None
    levels: tuple[Level, ...]
    pearson: Cell | None
    spearman: Cell | None
    reason: str


def scorer_plot(document: Mapping[str, Any]) -> Plot:
    """Draw tau-b of each scorer and baseline that was scored, over the human ceiling."""
    rows = []
    for kind, name, entry in entries(document):
        if not entry.get("unavailable"):
            found = cell(entry["tau_b"])
            label = str(entry.get("label") or name)
            rows.append(Measured(label, kind, found.value, found.low, found.high))
    return interval_plot("tau-b of each scorer with people", rows, ceiling_band(document))


def ceiling_band(document: Mapping[str, Any]) -> Band | None:
    """Return the human ceiling as a band; None where it is unknown."""
    ceiling = document["human_ceiling"]
    if ceiling["value"] is None:
        return None
    return Band("human ceiling", ceiling["value"], ceiling["low"], ceiling["high"])


def breakdown_plot(found: Breakdown, name: str) -> Plot | None:
    """Draw tau-b of one scorer in each group; None without groups or without the scorer."""
    if name not in found.names or not found.groups:
        return None
    place = found.names.index(name)
    rows = [
        Measured(f"{group.name} ({group.n})", "scorer", one.value, one.low, one.high)
        for group in found.groups
        for one in (group.cells[place],)
    ]
    return interval_plot(f"{found.title}: tau-b of {found.labels[place]}", rows)


def scatter_names(document: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return name and label of each scorer that has a scatter, in the order of the table."""
    stored = document.get("scatter", {})
    return tuple(
        (name, label_of(document, name)) for name in scored_names(document) if name in stored
    )


def scatter(document: Mapping[str, Any], name: str) -> Scatter:
    """Return one scorer's scores against ratings, or its score differences against labels."""
    stored, label = document["scatter"][name], label_of(document, name)
    points = stored["points"]
    is_of_ratings = stored["kind"] == RATINGS
    title = f"{label}: " + ("scores by rating" if is_of_ratings else "differences by label")
    return Scatter(
        name=name,
        label=label,
        is_of_ratings=is_of_ratings,
        n=stored["n"],
        drawn=len(points),
        plot=(rating_plot if is_of_ratings else label_plot)(title, points),
        levels=(rating_levels if is_of_ratings else label_levels)(points),
        pearson=_known(stored.get("pearson")),
        spearman=_known(stored.get("spearman")),
        reason=stored.get("reason") or "",
    )


def _known(figure: Mapping[str, Any] | None) -> Cell | None:
    return None if figure is None else cell(figure)


NAME: Final = "scorer"
ASCENDING: Final = "asc"
DESCENDING: Final = "desc"
SORTABLE: Final = frozenset({NAME, *(key for key, _, _ in FIGURES)})


@dataclass(frozen=True, slots=True)
class Sorting:
    """By which figure rows are sorted; an empty key leaves the order that was asked for."""

    key: str = ""
    order: str = DESCENDING

    @classmethod
    def asked(cls, key: str, order: str) -> "Sorting":
        """Read what an address holds; what is no figure sorts nothing."""
        if key not in SORTABLE:
            return cls()
        return cls(key, ASCENDING if order == ASCENDING else DESCENDING)


UNSORTED: Final = Sorting()


@dataclass(frozen=True, slots=True)
class Heading:
    """A column that can be sorted: `aria` as it is now, `then` the order a click asks for."""

    key: str
    name: str
    meaning: str
    aria: str
    then: str


@dataclass(frozen=True, slots=True)
class Row:
    """One scorer or baseline with its figures, or why it was not scored."""

    name: str
    label: str
    kind: str
    version: str
    signature: str
    is_best: bool
    unavailable: str
    cells: tuple[Cell, ...]
    tie_rate: float | None
    confusion: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Undefined:
    """A reason why figures are undefined, and which ones by the scorer's label."""

    reason: str
    figures: tuple[tuple[str, str], ...]


def headings(sorting: Sorting) -> tuple[Heading, ...]:
    """Return the columns of the table, the name of the scorer first."""
    columns = ((NAME, "Scorer", ""), *FIGURES)
    return tuple(_heading(key, name, meaning, sorting) for key, name, meaning in columns)


def table_rows(document: Mapping[str, Any], sorting: Sorting = UNSORTED) -> tuple[Row, ...]:
    """Return scorers, then baselines, each group sorted; what has no figure comes last in it."""
    best = document.get("comparisons", {}).get("best", [])
    rows = [_row(kind, name, entry, best) for kind, name, entry in entries(document)]
    if not sorting.key:
        return tuple(rows)
    rows.sort(key=lambda row: _place(row, sorting), reverse=sorting.order == DESCENDING)
    rows.sort(key=lambda row: (row.kind == "baseline", _figure_of(row, sorting) is None))
    return tuple(rows)


def undefined_figures(rows: tuple[Row, ...]) -> tuple[Undefined, ...]:
    """Return each reason once with the figures that it explains; rows not scored show it above."""
    found: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        for (_, name, _), one in zip(FIGURES, row.cells, strict=True):
            if one.value is None and not row.unavailable:
                found.setdefault(one.reason, {}).setdefault(row.label, []).append(name)
    return tuple(
        Undefined(reason, tuple((label, ", ".join(names)) for label, names in of.items()))
        for reason, of in found.items()
    )


def _heading(key: str, name: str, meaning: str, sorting: Sorting) -> Heading:
    first = ASCENDING if key == NAME else DESCENDING
    other = DESCENDING if first == ASCENDING else ASCENDING
    if key != sorting.key:
        return Heading(key, name, meaning, "", first)
    aria = "ascending" if sorting.order == ASCENDING else "descending"
    return Heading(key, name, meaning, aria, other if sorting.order == first else first)


def _row(kind: str, name: str, entry: Mapping[str, Any], best: list[str]) -> Row:
    return Row(
        name=name,
        label=str(entry.get("label") or name),
        kind=kind,
        version=str(entry.get("version") or ""),
        signature=str(entry.get("signature") or ""),
        is_best=name in best,
        unavailable=str(entry.get("unavailable") or ""),
        cells=tuple(cell(entry.get(key)) for key, _, _ in FIGURES),
        tie_rate=entry.get("tie_rates", {}).get("scorer"),
        confusion=tuple(tuple(line) for line in entry["confusion"]["table"]),
    )


def _place(row: Row, sorting: Sorting) -> tuple[float, str]:
    if sorting.key == NAME:
        return (0.0, row.label.casefold())
    value = _figure_of(row, sorting)
    return (0.0 if value is None else value, "")


def _figure_of(row: Row, sorting: Sorting) -> float | None:
    if sorting.key == NAME:
        return 0.0
    keys = [key for key, _, _ in FIGURES]
    return row.cells[keys.index(sorting.key)].value


FEWEST_REFERENCES: Final = 10
NOT_TESTED: Final = (
    "This report was computed before scorers were compared by a test, so it calls none the best. "
    "Ask for it again to have them compared."
)


def verdict(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the verdict in sentences: who is better, what could be seen, how far people agree."""
    compared = document.get("comparisons", {}).get("best_sentence") or NOT_TESTED
    power = document.get("power", {}).get("sentence") or ""
    return tuple(sentence for sentence in (compared, power, _ceiling(document)) if sentence)


def cautions(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a reader must know before trusting a figure, the gravest first."""
    checks = document["checks"]
    found = (
        _not_scored(document),
        caution(checks["references"]),
        _by_admins(checks),
        _copies(checks),
        _shared(checks),
        _implied(checks),
        _contradicting(checks),
    )
    return tuple(sentence for sentence in found if sentence)


def caution(references: int) -> str:
    """Return what a reader must know of the intervals when there are few references; "" else."""
    if references >= FEWEST_REFERENCES:
        return ""
    return (
        f"Only {references} references: intervals clustered over so few mean little, narrow ones "
        "as much as wide ones."
    )


def _ceiling(document: Mapping[str, Any]) -> str:
    ceiling = document["human_ceiling"]
    if ceiling["value"] is None:
        return str(ceiling.get("reason") or "")
    interval = ""
    if ceiling["low"] is not None:
        interval = f" (95 % interval {ceiling['low']:.2f} to {ceiling['high']:.2f})"
    return (
        f"Human ceiling: an annotator agrees with the others at tau-b {ceiling['value']:.3f}"
        f"{interval}, over {ceiling.get('n')} items. A scorer that reaches it agrees with people "
        "as far as they agree with each other."
    )


def _not_scored(document: Mapping[str, Any]) -> str:
    labels = [
        str(entry.get("label") or name)
        for _, name, entry in entries(document)
        if entry.get("unavailable")
    ]
    if not labels:
        return ""
    return f"Not scored: {', '.join(labels)}. The table says what each lacks."


def _by_admins(checks: Mapping[str, Any]) -> str:
    by_admins = checks.get("by_admins") or {}
    if not by_admins.get("items"):
        return ""
    if by_admins["counted"]:
        return (
            f"{by_admins['items']} items rest on ratings of somebody who administers the campaign; "
            "they are counted, as was asked."
        )
    return (
        f"{by_admins['items']} items are left out, as they rest on ratings of somebody who "
        "administers the campaign."
    )


def _copies(checks: Mapping[str, Any]) -> str:
    copies = checks["contain_reference"]
    if not copies["items"]:
        return ""
    return (
        f"In {copies['items']} of {checks['items']} items the reference itself is a candidate; "
        f"people preferred it in {copies['reference_preferred']}. Look at the figures without them."
    )


def _shared(checks: Mapping[str, Any]) -> str:
    shared = checks.get("shared_texts") or {}
    if not shared.get("texts"):
        return ""
    splits = ", ".join(map(str, shared.get("splits") or ()))
    return (
        f"{shared['texts']} texts stand in more than one split{f' ({splits})' if splits else ''}: "
        "a model that was trained on this dataset has seen them."
    )


def _implied(checks: Mapping[str, Any]) -> str:
    share = (checks.get("implied") or {}).get("share")
    if not share:
        return ""
    return (
        f"{100 * share:.0f} % of these labels follow from training labels by transitivity: "
        "a trained model can know them without judging."
    )


def _contradicting(checks: Mapping[str, Any]) -> str:
    count = checks["duplicates"]["contradicting"]
    return f"{count} comparisons contradict an earlier one of the same candidates." if count else ""
