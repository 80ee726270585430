"""Which figures a report shows of a scorer, in which order, under which name."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

FIGURES: Final = (
    ("tau_b", "tau-b", "of score differences; no tie threshold"),
    ("tau_b_labels", "tau-b of labels", "after the tie threshold"),
    ("tau_paper", "tau, papers'", "two-slot tau as in the papers"),
    ("spearman", "Spearman", "of labels"),
    ("pearson", "Pearson", "of score differences with labels"),
    ("accuracy", "accuracy", "share of items with the human label"),
    ("decisive_accuracy", "decisive", "accuracy where people prefer one candidate"),
    ("f1_weighted", "F1 weighted", "three classes, weighted"),
    ("f1_macro", "F1 macro", "three classes, plain mean"),
)
LATER: Final = "This report was computed before this figure was added."
KINDS: Final = (("scorers", "scorer"), ("baselines", "baseline"))


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure with its interval, or the reason why there is none."""

    value: float | None
    low: float | None
    high: float | None
    reason: str


def cell(figure: Mapping[str, Any] | None) -> Cell:
    """Read a stored figure; one that an older report does not have is undefined for that reason."""
    if figure is None:
        return Cell(None, None, None, LATER)
    return Cell(figure["value"], figure["low"], figure["high"], figure.get("reason") or "")


def entries(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield kind ("scorer" or "baseline"), name and entry of each row, scorers first."""
    for key, kind in KINDS:
        for name, entry in document[key].items():
            yield kind, name, entry


def scored_names(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of all that was scored, each once: a baseline may be a scorer too."""
    names = (name for _, name, entry in entries(document) if not entry.get("unavailable"))
    return tuple(dict.fromkeys(names))


def label_of(document: Mapping[str, Any], name: str) -> str:
    """Return what to call a scorer on screen; its name where the report does not say."""
    entry = document["scorers"].get(name) or document["baselines"].get(name) or {}
    return str(entry.get("label") or name)
