"""The figures of a reliability report about people as tables: severity, drift, repeats and more."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from annotator.queries.figure_grids import (
    CHANGE,
    COEFFICIENT,
    HEADS,
    POINTS,
    SHARE,
    UNDEFINED,
    Cell,
    Figure,
    Grid,
    Notes,
    Row,
    by_criterion,
    cell,
    figures_by_key,
)
from annotator.rubric import NAMES

Result = Mapping[str, Any]

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
    notes = Notes()
    rows = tuple(
        Row(
            person["annotator"],
            f"{person['ratings']:,} ratings, {person['n']:,} shared",
            (
                Cell(POINTS.text(person["raw_mean"])),
                cell(person, CHANGE, notes, "severity"),
                _bare(person["adjusted_mean"], POINTS.text),
                _bare(person["misfit"], POINTS.text),
            ),
        )
        for person in people
    )
    columns = ("Raw mean", "Severity", "Adjusted mean", "Misfit")
    overall = Grid("Overall quality, in points", columns, rows, tuple(notes.found))
    by_name = _by_person(result, "Severity by criterion, in points", "severity", _severities)
    return overall, by_name


def drift_grid(result: Result) -> Grid:
    """Return how scores move per 100 ratings, by annotator and criterion."""
    return _by_person(result, "Change per 100 ratings, in points", "per_100", _drifts)


def repeat_grids(result: Result) -> tuple[Grid, ...]:
    """Return self-consistency over all, then of each annotator in overall quality."""
    stored = [entry["repeats"] for entry in result["criteria"]]
    caption = "First and second rating of the same candidate by the same annotator"
    grids = [by_criterion(caption, [entry[0] for entry in stored], REPEATS, "repeat{s}")]
    people = _in_order(one for one in stored[-1] if one["annotator"])
    if people:
        notes = Notes()
        rows = tuple(_own_repeats(person, notes) for person in people)
        columns = tuple(name for _, name, _ in REPEATS)
        caption = "Overall quality, by annotator"
        grids.append(Grid(caption, columns, rows, tuple(notes.found)))
    return tuple(grids)


def sentinel_grids(result: Result) -> tuple[Grid, ...]:
    """Return what was noticed of damaged candidates: over all, by criterion, by annotator."""
    groups = result["sentinels"]["groups"]
    notes = Notes()
    general = [one for one in groups if one["annotator"] is None]
    rows = tuple(sensed(one, NAMES.get(one["criterion"], "All"), notes) for one in general)
    columns = SENSED
    grids = [Grid("By damaged criterion", columns, rows, tuple(notes.found))]
    people = _in_order(one for one in groups if one["annotator"] and one["criterion"] is None)
    if people:
        notes = Notes()
        rows = tuple(sensed(one, one["annotator"], notes) for one in people)
        grids.append(Grid("By annotator", columns, rows, tuple(notes.found)))
    return tuple(grids)


def _own_repeats(person: Mapping[str, Any], notes: Notes) -> Row:
    found = figures_by_key(person)
    cells = tuple(cell(found[key], form, notes) for key, _, form in REPEATS)
    return Row(person["annotator"], f"{found['exact']['n']:,} repeats", cells)


def sensed(group: Mapping[str, Any], head: str, notes: Notes) -> Row:
    """Return a line on damaged candidates: noticed or not, and how far scores fell where."""
    found = figures_by_key(group)
    forms = (("detected", SHARE), ("drop_aimed", CHANGE), ("drop_elsewhere", CHANGE))
    cells = tuple(cell(found[key], form, notes) for key, form in forms)
    return Row(head, f"n = {found['detected']['n']:,}", cells)


def _by_person(
    result: Result,
    caption: str,
    key: str,
    people_of: Callable[[Mapping[str, Any]], Iterable[Figure]],
) -> Grid:
    notes = Notes()
    stored = [{one["annotator"]: one for one in people_of(entry)} for entry in result["criteria"]]
    rows = tuple(
        Row(
            person["annotator"],
            f"n = {person['n']:,}",
            tuple(cell(entry[person["annotator"]], CHANGE, notes, key) for entry in stored),
        )
        for person in _in_order(stored[-1].values())
    )
    return Grid(caption, HEADS, rows, tuple(notes.found))


def _severities(entry: Mapping[str, Any]) -> Iterable[Figure]:
    people: Iterable[Figure] = entry["severity"]["people"]
    return people


def _drifts(entry: Mapping[str, Any]) -> Iterable[Figure]:
    people: Iterable[Figure] = entry["drift"]
    return people


def _in_order(people: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return people by name, "Annotator 2" before "Annotator 10"."""
    return sorted(people, key=lambda one: NUMBERS.sub(_padded, one["annotator"]))


def _padded(number: re.Match[str]) -> str:
    return number[0].zfill(6)


def _bare(value: float | None, text: Callable[[float], str]) -> Cell:
    return Cell(UNDEFINED if value is None else text(value))
