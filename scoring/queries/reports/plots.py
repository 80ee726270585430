"""The plots of a report's page, made of its stored figures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from scoring.plots.intervals import Band, Measured, interval_plot
from scoring.plots.scatters import (
    Level,
    label_levels,
    label_plot,
    rating_levels,
    rating_plot,
)
from scoring.plots.shapes import Plot
from scoring.queries.reports.parts import Breakdown
from scoring.report_files.figures import Cell, cell, entries, label_of, scored_names

RATINGS: Final = "ratings"


@dataclass(frozen=True, slots=True)
class Scatter:
    """The scores of one scorer against what people gave; `levels` tells the plot as a table."""

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
