"""What the page of an agreement report shows: the stored JSON as rows of a table."""

from dataclasses import dataclass
from typing import Any

from annotator.rubric import NAMES
from scoring.metrics.registry import BASELINE_NAMES
from scoring.models import AgreementReport

FIGURES = (
    ("tau_b", "tau-b", "of score differences; no tie threshold"),
    ("tau_b_labels", "tau-b of labels", "after the tie threshold"),
    ("tau_paper", "tau, papers'", "two-slot tau as in the papers"),
    ("spearman", "Spearman", "of labels"),
    ("accuracy", "accuracy", "share of items with the human label"),
    ("f1_weighted", "F1 weighted", "three classes, weighted"),
    ("f1_macro", "F1 macro", "three classes, plain mean"),
)
FEWEST_REFERENCES = 10


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure with its interval, or the reason why there is none."""

    value: float | None
    low: float | None
    high: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Row:
    """One scorer or baseline, on all items and on those without the reference."""

    name: str
    kind: str
    cells: tuple[Cell, ...]
    without: Cell
    confusion: Any


@dataclass(frozen=True, slots=True)
class ReportPage:
    """A finished report, ready for its template."""

    criterion: str
    figures: tuple[tuple[str, str, str], ...]
    rows: tuple[Row, ...]
    published: tuple[tuple[str, dict[str, Any]], ...]
    checks: dict[str, Any]
    ceiling: dict[str, Any]
    signature: str
    caution: str


def report_page(report: AgreementReport) -> ReportPage | None:
    """Return the page of a finished report; None while there is no result."""
    result = ordered_result(report)
    if result is None:
        return None
    rows = [_row(name, "scorer", entry) for name, entry in result["scorers"].items()]
    rows += [_row(name, "baseline", entry) for name, entry in result["baselines"].items()]
    return ReportPage(
        criterion=NAMES[report.criterion],
        figures=FIGURES,
        rows=tuple(rows),
        published=tuple(result["published"].items()),
        checks=result["checks"],
        ceiling=result["human_ceiling"],
        signature=result["signature"],
        caution=caution(result["checks"]["references"]),
    )


def ordered_result(report: AgreementReport) -> dict[str, Any] | None:
    """Return the stored result with its scorers and baselines in the order that was asked for.

    PostgreSQL keeps JSON objects without the order of their keys.
    """
    if report.result is None:
        return None
    scorers = report.result["scorers"]
    baselines = report.result["baselines"]
    return {
        **report.result,
        "scorers": {name: scorers[name] for name in report.scorers},
        "baselines": {name: baselines[name] for name in sorted(baselines, key=_place)},
    }


def _place(baseline: str) -> int:
    order = ("majority", *BASELINE_NAMES)
    return order.index(baseline) if baseline in order else len(order)


def caution(references: int) -> str:
    """Say what a reader must know of the intervals when there are few references; "" else."""
    if references >= FEWEST_REFERENCES:
        return ""
    return (
        f"Only {references} references: intervals clustered over so few mean little, narrow ones "
        "as much as wide ones."
    )


def _row(name: str, kind: str, entry: dict[str, Any]) -> Row:
    without = entry["without_reference_items"]
    return Row(
        name=name,
        kind=kind,
        cells=tuple(_cell(entry[key]) for key, _, _ in FIGURES),
        without=_cell(without["tau_b"]),
        confusion=entry["confusion"],
    )


def _cell(figure: dict[str, Any]) -> Cell:
    return Cell(figure["value"], figure["low"], figure["high"], figure.get("reason") or "")
