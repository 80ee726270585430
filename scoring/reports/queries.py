"""The list of reports, the page of one, and two side by side."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django.db.models import QuerySet
from django.db.models.fields.json import KT

from annotator.models import User
from core.plots.intervals import Measured, interval_plot
from core.plots.shapes import Plot
from patclaimeval.rubric import NAMES
from scoring.models import AgreementReport, Dataset
from scoring.reports import page_parts
from scoring.reports.files import FIGURES, cell, entries, label_of, scored_names
from scoring.reports.page_parts import Part, cautions, ceiling_band, compared_pair, verdict
from scoring.reports.scorers import STANDING_NAMES
from scoring.reports.table import UNSORTED, Row, Sorting, headings, table_rows, undefined_figures
from scoring.training.model_versions.queries import reports_for

MOST_LISTED: Final = 100


def listed_reports(user: User, dataset: str = "") -> tuple[Part, ...]:
    """Return the newest reports that the person may see; of one dataset where it is named."""
    rows = reports_for(user).defer("result")
    rows = rows.annotate(best_sentence=KT("result__comparisons__best_sentence"))
    if dataset:
        of_name = [row.pk for row in _reported(user) if dataset in (row.full_name, row.name)]
        rows = rows.filter(dataset_version__dataset__in=of_name)
    return tuple(
        Part(
            report=row,
            scorers=_named(row.scorers),
            verdict=row.message if row.status != "succeeded" else row.best_sentence or "",
        )
        for row in rows[:MOST_LISTED]
    )


def reported_datasets(user: User) -> list[str]:
    """Return the full names of the datasets that have a report, for the list's filter."""
    return sorted(row.full_name for row in _reported(user))


def _reported(user: User) -> QuerySet[Dataset]:
    reports = reports_for(user).order_by()
    rows = Dataset.objects.filter(versions__reports__in=reports).distinct()
    return rows.select_related("campaign")


def finished_reports(user: User) -> QuerySet[AgreementReport]:
    """Return the reports that have a result, for what compares two."""
    return reports_for(user).filter(status="succeeded")


def _named(names: Sequence[str], most: int = 6) -> str:
    """Return the first names, models by the first digits of their ids, and how many more."""
    short = [name[:14] if name.startswith("model:") else name for name in names]
    more = f" and {len(short) - most} more" if len(short) > most else ""
    return ", ".join(short[:most]) + more


# What a command prints.
PAGE_FIGURES: Final = tuple(
    figure for figure in FIGURES if figure[0] not in {"pearson", "decisive_accuracy"}
)
LABELS: Final = {"1": "better", "0": "equal", "-1": "worse"}


def page_of(
    document: Mapping[str, Any],
    sorting: Sorting = UNSORTED,
    scorer: str = "",
    *,
    is_whole: bool = False,
    addresses: Callable[[str], Sequence[str]] = lambda name: (),
) -> Part:
    """Return the page of a document, with the plots of one scorer; `is_whole`: every scatter.

    `addresses` gives of a scorer's scatter where each of its dots leads to.
    """
    rows = table_rows(document, sorting)
    both, calibrated = page_parts.with_and_without(document), page_parts.calibrations(document)
    pairs = [pair for row in both for pair in row.pairs]
    pairs += [pair for row in calibrated if not row.reason for pair in row.pairs]
    names = page_parts.scatter_names(document)
    drawn = _drawn(scorer, names, rows)
    implied = document["checks"]["implied"]["share"]
    shown = [name for name, _ in names if is_whole or name == drawn]
    return Part(
        criterion=NAMES[document["question"]["criterion"]],
        question=dict(document["question"]),
        verdict=verdict(document),
        cautions=cautions(document),
        headings=headings(sorting),
        rows=rows,
        undefined=undefined_figures(rows),
        orders=page_parts.orders(document),
        plot=page_parts.scorer_plot(document),
        families=page_parts.families(document),
        tests=document["comparisons"],
        with_and_without=both,
        undefined_items=page_parts.reasons(one for pair in pairs for one in pair),
        calibrations=calibrated,
        drawn=drawn,
        scatter_names=names,
        scatters=tuple(page_parts.scatter(document, name, addresses(name)) for name in shown),
        breakdowns=tuple(
            (one, page_parts.breakdown_plot(one, drawn)) for one in page_parts.breakdowns(document)
        ),
        ceiling=document["human_ceiling"],
        ceiling_figures=page_parts.ceiling_figures(document),
        ceiling_people=page_parts.ceiling_people(document),
        dropped=document["dropped"],
        dropped_scorers=_dropped(document),
        published=page_parts.published(document),
        checks=document["checks"],
        labels={word: document["checks"]["labels"][key] for key, word in LABELS.items()},
        languages=page_parts.languages_named(document),
        implied="" if implied is None else f"{100 * implied:.1f} %",
        method=tuple(sorted(document["method"].items())),
        signature=document["signature"],
    )


def plots_of(page: Part) -> tuple[Plot | None, ...]:
    """Return every plot of a page."""
    scatters = (one.plot for one in page.scatters)
    return (page.plot, *scatters, *(plot for _, plot in page.breakdowns))


def ordered_result(report: AgreementReport) -> dict[str, Any] | None:
    """Return the stored result with its scorers and baselines in the order that was asked for.

    PostgreSQL stores JSON objects without the order of their keys.
    """
    if report.result is None:
        return None
    scorers, baselines = report.result["scorers"], report.result["baselines"]
    order = [name for name in ("majority", *STANDING_NAMES) if name in baselines]
    return {
        **report.result,
        "scorers": {name: scorers[name] for name in report.scorers},
        "baselines": {name: baselines[name] for name in dict.fromkeys([*order, *baselines])},
    }


def _drawn(asked: str, names: tuple[tuple[str, str], ...], rows: tuple[Row, ...]) -> str:
    """Return whose plots are drawn: the one asked for, else the first that has some."""
    known = [name for name, _ in names] or [row.name for row in rows if not row.unavailable]
    return asked if asked in known else next(iter(known), "")


def _dropped(document: Mapping[str, Any]) -> tuple[tuple[str, dict[str, Any]], ...]:
    by_scorer = document["dropped"]["scorers"]
    return tuple(
        (label_of(document, name), by_scorer[name])
        for name in (*document["scorers"], *document["baselines"])
        if name in by_scorer and (by_scorer[name]["missing"] or by_scorer[name]["infinite"])
    )


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
NOT_TESTED: Final = (
    "The report holds no test of these two: baselines are not compared with each other."
)


def compare_reports(first: Mapping[str, Any], second: Mapping[str, Any]) -> Part | None:
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
    return Part(
        asked=tuple(_asked(first, second)),
        is_same_data=one["dataset_sha256"] == other["dataset_sha256"]
        and (one["split"], one["criterion"]) == (other["split"], other["criterion"]),
        headings=tuple(name for key, name, _ in FIGURES if key in SIDE_BY_SIDE),
        lines=lines,
        only_first=tuple(label_of(first, name) for name in earlier if name not in later),
        only_second=tuple(label_of(second, name) for name in later if name not in earlier),
    )


def compare_scorers(document: Mapping[str, Any], first: str, second: str) -> Part:
    """Compare two scorers of a report; `both` counts the first's labels by the second's."""
    found = _by_name(document)
    labels = (label_of(document, first), label_of(document, second))
    families = document["comparisons"]["families"]
    pairs = (pair for family in families for pair in family["pairs"])
    pair = next((one for one in pairs if {one["first"], one["second"]} == {first, second}), None)
    both = _both(pair, first)
    return Part(
        first_name=first,
        second_name=second,
        first=labels[0],
        second=labels[1],
        tested=None if pair is None else _turned(document, pair, first),
        sentence=NOT_TESTED if pair is None else pair["sentence"],
        figures=tuple(
            (name, cell(found[first][key]), cell(found[second][key])) for key, name, _ in FIGURES
        ),
        tables=tuple(
            (name, label, tuple(tuple(line) for line in found[name]["confusion"]["table"]))
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
            one, other = first[part][key], second[part][key]
            is_same = one == other
            if key == "criterion":
                one, other = NAMES[one], NAMES[other]
            lines.append((name, one, other, is_same))
    return lines


def _line(label: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> Part:
    figures = []
    for key, _, _ in FIGURES:
        if key in SIDE_BY_SIDE:
            before, after = cell(one[key]), cell(other[key])
            is_known = before.value is not None and after.value is not None
            figures.append(
                (before, after, (after.value or 0) - (before.value or 0) if is_known else None)
            )
    is_same_version = one["version"] == other["version"]
    return Part(label=label, figures=figures, is_same_version=is_same_version)


def _turned(document: Mapping[str, Any], pair: Mapping[str, Any], first: str) -> Part:
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
