"""Two reports side by side, and two scorers within one report."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from annotator.rubric import NAMES
from scoring.plots.intervals import Measured, interval_plot
from scoring.plots.shapes import Plot
from scoring.queries.reports.parts import Compared, compared_pair
from scoring.queries.reports.plots import ceiling_band
from scoring.report_files.figures import FIGURES, Cell, cell, entries, label_of, scored_names

SIDE_BY_SIDE: Final = ("tau_b", "tau_paper", "spearman", "accuracy", "f1_weighted")
QUESTION: Final = (
    ("criterion", "Criterion"),
    ("dataset", "Dataset"),
    ("dataset_sha256", "Digest of the dataset"),
    ("split", "Split"),
    ("tie_threshold", "Tie threshold"),
    ("resamples", "Resamples"),
    ("seed", "Seed"),
    ("code_version", "Code"),
)
COUNTS: Final = (("items", "Items"), ("references", "References"), ("candidates", "Candidates"))
NOTHING_SHARED: Final = (
    "These two reports share neither criterion nor dataset, so nothing in them can be compared. "
    "Choose two of the same criterion, or of the same dataset."
)
NOT_TESTED: Final = "The report holds no test of these two: it was computed before there were any."


@dataclass(frozen=True, slots=True)
class Line:
    """A scorer in two reports: each figure in the first, in the second, and their difference."""

    label: str
    figures: tuple[tuple[Cell, Cell, float | None], ...]
    is_same_version: bool


@dataclass(frozen=True, slots=True)
class TwoReports:
    """What two reports ask and find: `asked` tells what differs, `same` whether nothing does."""

    asked: tuple[tuple[str, Any, Any, bool], ...]
    is_same_data: bool
    headings: tuple[str, ...]
    lines: tuple[Line, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TwoScorers:
    """Two scorers of one report; `both` counts what the first says by what the second says."""

    first: str
    second: str
    tested: Compared | None
    sentence: str
    figures: tuple[tuple[str, Cell, Cell], ...]
    tables: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...]
    both: tuple[tuple[int, ...], ...]
    agreed: int
    n: int
    plot: Plot


def compare_reports(first: Mapping[str, Any], second: Mapping[str, Any]) -> TwoReports | None:
    """Compare two reports of one criterion or one dataset; None where they share neither."""
    one, other = first["question"], second["question"]
    if one["criterion"] != other["criterion"] and one["dataset"] != other["dataset"]:
        return None
    earlier, later = _by_name(first), _by_name(second)
    lines = tuple(
        _line(label_of(second, name), earlier[name], later[name])
        for name in later
        if name in earlier
    )
    return TwoReports(
        asked=tuple(_asked(first, second)),
        is_same_data=one["dataset_sha256"] == other["dataset_sha256"]
        and (one["split"], one["criterion"]) == (other["split"], other["criterion"]),
        headings=tuple(name for key, name, _ in FIGURES if key in SIDE_BY_SIDE),
        lines=lines,
        only_first=tuple(label_of(first, name) for name in earlier if name not in later),
        only_second=tuple(label_of(second, name) for name in later if name not in earlier),
    )


def compare_scorers(document: Mapping[str, Any], first: str, second: str) -> TwoScorers:
    """Compare two scorers that stand in a report."""
    found = _by_name(document)
    labels = (label_of(document, first), label_of(document, second))
    pair = _pair(document, first, second)
    both = _both(pair, first)
    return TwoScorers(
        first=labels[0],
        second=labels[1],
        tested=None if pair is None else _turned(document, pair, first),
        sentence=NOT_TESTED if pair is None else str(pair.get("sentence") or ""),
        figures=tuple(
            (name, cell(found[first].get(key)), cell(found[second].get(key)))
            for key, name, _ in FIGURES
        ),
        tables=tuple(
            (label, tuple(tuple(line) for line in found[name]["confusion"]["table"]))
            for label, name in zip(labels, (first, second), strict=True)
        ),
        both=both,
        agreed=sum(line[place] for place, line in enumerate(both)),
        n=sum(map(sum, both)),
        plot=_plot(document, found, (first, second)),
    )


def scorer_choices(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return name and label of each row that was scored, scorers before baselines."""
    return [(name, label_of(document, name)) for name in scored_names(document)]


def _by_name(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {name: entry for _, name, entry in entries(document)}


def _asked(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[tuple[str, Any, Any, bool]]:
    lines = []
    for part, keys in (("question", QUESTION), ("checks", COUNTS)):
        for key, name in keys:
            one, other = first[part].get(key), second[part].get(key)
            is_same = one == other
            if key == "criterion":
                one, other = NAMES[one], NAMES[other]
            lines.append((name, one, other, is_same))
    return lines


def _line(label: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> Line:
    figures = []
    for key, _, _ in FIGURES:
        if key in SIDE_BY_SIDE:
            before, after = cell(one.get(key)), cell(other.get(key))
            is_known = before.value is not None and after.value is not None
            figures.append(
                (before, after, (after.value or 0) - (before.value or 0) if is_known else None)
            )
    return Line(label, tuple(figures), one.get("version") == other.get("version"))


def _pair(document: Mapping[str, Any], first: str, second: str) -> Mapping[str, Any] | None:
    pairs = (
        pair
        for family in document.get("comparisons", {}).get("families", [])
        for pair in family["pairs"]
    )
    return next((one for one in pairs if {one["first"], one["second"]} == {first, second}), None)


def _turned(document: Mapping[str, Any], pair: Mapping[str, Any], first: str) -> Compared:
    """Return a stored test with the scorer that was named first as its first."""
    if pair["first"] == first:
        return compared_pair(document, pair)
    verdicts = {"better": "worse", "worse": "better"}
    turned = {
        **pair,
        "first": pair["second"],
        "second": pair["first"],
        "difference": _less(pair["difference"]),
        "low": _less(pair["high"]),
        "high": _less(pair["low"]),
        "verdict": verdicts.get(pair["verdict"], pair["verdict"]),
    }
    return compared_pair(document, turned)


def _less(value: float | None) -> float | None:
    return None if value is None else -value


def _both(pair: Mapping[str, Any] | None, first: str) -> tuple[tuple[int, ...], ...]:
    """Return the labels of the first by those of the second; () where the report has none."""
    table = (pair or {}).get("labels")
    if pair is None or not table:
        return ()
    if pair["first"] != first:
        table = list(zip(*table, strict=True))
    return tuple(tuple(line) for line in table)


def _plot(
    document: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]], names: tuple[str, str]
) -> Plot:
    rows = []
    for name in names:
        one = cell(found[name]["tau_b"])
        rows.append(Measured(label_of(document, name), "scorer", one.value, one.low, one.high))
    return interval_plot("tau-b of the two with people", rows, ceiling_band(document))
