"""What the page of an agreement report shows: the stored JSON, ready for its template."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from annotator.rubric import NAMES
from scoring.metrics.registry import BASELINE_NAMES
from scoring.models import AgreementReport
from scoring.plots.shapes import Plot
from scoring.queries.reports import parts, plots
from scoring.queries.reports.table import (
    UNSORTED,
    Heading,
    Row,
    Sorting,
    Undefined,
    headings,
    table_rows,
    undefined_figures,
)
from scoring.queries.reports.verdict import caution, cautions, verdict
from scoring.report_files.figures import FIGURES as EVERY_FIGURE
from scoring.report_files.figures import Cell, label_of

# What a command prints: those that every stored report has.
FIGURES: Final = tuple(
    figure for figure in EVERY_FIGURE if figure[0] not in {"pearson", "decisive_accuracy"}
)
LABELS: Final = {"1": "better", "0": "equal", "-1": "worse"}
__all__ = ["FIGURES", "ReportPage", "Wishes", "caution", "ordered_result", "page_of", "report_page"]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a reader asked to see: how the table is sorted, and whose plots are drawn."""

    sorting: Sorting = UNSORTED
    scorer: str = ""


@dataclass(frozen=True, slots=True)
class ReportPage:
    """A finished report, ready for its template."""

    criterion: str
    question: dict[str, Any]
    verdict: tuple[str, ...]
    cautions: tuple[str, ...]
    headings: tuple[Heading, ...]
    rows: tuple[Row, ...]
    undefined: tuple[Undefined, ...]
    plot: Plot
    families: tuple[parts.Family, ...]
    tests: dict[str, Any]
    with_and_without: tuple[parts.WithAndWithout, ...]
    undefined_items: tuple[str, ...]
    calibrations: tuple[parts.Calibration, ...]
    drawn: str
    scatter_names: tuple[tuple[str, str], ...]
    scatters: tuple[plots.Scatter, ...]
    breakdowns: tuple[tuple[parts.Breakdown, Plot | None], ...]
    ceiling: dict[str, Any]
    ceiling_figures: tuple[tuple[str, Cell], ...]
    ceiling_people: tuple[tuple[str, int | None, Cell], ...]
    dropped: dict[str, Any]
    dropped_scorers: tuple[tuple[str, dict[str, Any]], ...]
    published: tuple[parts.Published, ...]
    checks: dict[str, Any]
    labels: dict[str, int]
    implied: str
    method: tuple[tuple[str, str], ...]
    signature: str


def report_page(report: AgreementReport, wishes: Wishes | None = None) -> ReportPage | None:
    """Return the page of a finished report; None while there is no result."""
    result = ordered_result(report)
    return None if result is None else page_of(result, wishes or Wishes())


def page_of(document: Mapping[str, Any], wishes: Wishes, *, is_whole: bool = False) -> ReportPage:
    """Return the page of a document; `is_whole` draws the scatter of every scorer, not of one."""
    rows = table_rows(document, wishes.sorting)
    both, calibrated = parts.with_and_without(document), parts.calibrations(document)
    pairs = [pair for row in both for pair in row.pairs]
    pairs += [pair for row in calibrated if not row.reason for pair in row.pairs]
    names = plots.scatter_names(document)
    drawn = _drawn(wishes.scorer, names, rows)
    shown = [name for name, _ in names if is_whole or name == drawn]
    return ReportPage(
        criterion=NAMES[document["question"]["criterion"]],
        question=dict(document["question"]),
        verdict=verdict(document),
        cautions=cautions(document),
        headings=headings(wishes.sorting),
        rows=rows,
        undefined=undefined_figures(rows),
        plot=plots.scorer_plot(document),
        families=parts.families(document),
        tests=document.get("comparisons", {}),
        with_and_without=both,
        undefined_items=parts.reasons(one for pair in pairs for one in pair),
        calibrations=calibrated,
        drawn=drawn,
        scatter_names=names,
        scatters=tuple(plots.scatter(document, name) for name in shown),
        breakdowns=tuple(
            (one, plots.breakdown_plot(one, drawn)) for one in parts.breakdowns(document)
        ),
        ceiling=document["human_ceiling"],
        ceiling_figures=parts.ceiling_figures(document),
        ceiling_people=parts.ceiling_people(document),
        dropped=document.get("dropped", {}),
        dropped_scorers=_dropped(document),
        published=parts.published(document),
        checks=document["checks"],
        labels={word: document["checks"]["labels"][key] for key, word in LABELS.items()},
        implied=_implied(document["checks"]),
        method=tuple(sorted(document["method"].items())),
        signature=document["signature"],
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


def _drawn(asked: str, names: tuple[tuple[str, str], ...], rows: tuple[Row, ...]) -> str:
    """Return whose plots are drawn: the one asked for, else the first that has some."""
    known = [name for name, _ in names] or [row.name for row in rows if not row.unavailable]
    return asked if asked in known else next(iter(known), "")


def _implied(checks: Mapping[str, Any]) -> str:
    share = (checks.get("implied") or {}).get("share")
    return "" if share is None else f"{100 * share:.1f} %"


def _dropped(document: Mapping[str, Any]) -> tuple[tuple[str, dict[str, Any]], ...]:
    by_scorer = document.get("dropped", {}).get("scorers", {})
    return tuple(
        (label_of(document, name), by_scorer[name])
        for name in (*document["scorers"], *document["baselines"])
        if name in by_scorer and (by_scorer[name]["missing"] or by_scorer[name]["infinite"])
    )
