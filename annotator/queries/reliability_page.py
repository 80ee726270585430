"""What the reliability page shows: figures as tables, each in its section."""

from dataclasses import dataclass
from typing import Any, Final

from annotator.models import Candidate, ReliabilityReport
from annotator.queries.agreement_grids import (
    Histogram,
    agreement_grid,
    histograms,
    pair_grid,
    plan_grid,
    preference_grids,
)
from annotator.queries.annotator_names import Names
from annotator.queries.figure_grids import CHANGE, POINTS, Cell, Grid, Row
from annotator.queries.people_grids import (
    drift_grid,
    repeat_grids,
    sentinel_grids,
    severity_grids,
)
from annotator.queries.reliability_reports import readable_result

SEVERITY_HINT: Final = (
    "Severity above 0 means lower scores than the group's mean on the same candidates; adjusted is "
    "what the mean would be without it. Misfit near 1 is as expected, far above 1 scattered."
)
PEOPLE_HINT: Final = "With fewer than three annotators nothing is told of each of them."
DRIFT_HINT: Final = (
    "Candidates are held fixed, so that easy ones at the end do not look like drift. "
    "Above 0 scores rise."
)
REPEATS_HINT: Final = "Hidden repeats: the same candidate came again, unannounced."
SENTINEL_HINT: Final = (
    "References that were damaged on purpose in one criterion. Noticed: at least one point lower "
    "than untouched."
)
ASSUMED_HINT: Final = (
    " For {assumed} of {n}, untouched is taken as 10 on every criterion, because the annotator "
    "rated no copy of the reference."
)
PLAN_HINT: Final = "From the variance between annotators and what is left beside it."


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its tables; `hint` says how to read them, `warning` what is wrong."""

    title: str
    grids: tuple[Grid, ...]
    hint: str = ""
    warning: str = ""


@dataclass(frozen=True, slots=True)
class ReliabilityPage:
    """Everything of one report that its page shows."""

    counts: dict[str, Any]
    sections: tuple[Section, ...]
    histograms: tuple[Histogram, ...]


def reliability_page(report: ReliabilityReport, names: Names, *, is_admin: bool) -> ReliabilityPage:
    """Return the page of a report that succeeded; only admins are shown single candidates."""
    result = readable_result(report, names)
    moved = _moved(report) if is_admin else ()
    sections = (
        Section("Agreement", (agreement_grid(result),)),
        Section("Preferences", preference_grids(result)),
        Section("How many annotators", (plan_grid(result),), PLAN_HINT),
        _severity(result, moved),
        Section("Pairs of annotators", tuple(filter(None, [pair_grid(result)]))),
        Section("Drift", _with_rows(drift_grid(result)), DRIFT_HINT),
        _repeats(result),
        _sentinels(result),
    )
    shown = tuple(section for section in sections if section.grids or section.warning)
    return ReliabilityPage(result["counts"], shown, histograms(result))


def _severity(result: dict[str, Any], moved: tuple[Grid, ...]) -> Section:
    grids = severity_grids(result)
    title = "Severity of annotators"
    if grids:
        warning = result["criteria"][-1]["severity"]["warning"]
        return Section(title, (*grids, *moved), SEVERITY_HINT, warning)
    return Section(title, (), warning=PEOPLE_HINT if result["counts"]["ratings"] else "")


def _repeats(result: dict[str, Any]) -> Section:
    grids = repeat_grids(result) if result["counts"]["repeats"] else ()
    return Section("Self-consistency", grids, REPEATS_HINT)


def _sentinels(result: dict[str, Any]) -> Section:
    found = result["sentinels"]
    hint = SENTINEL_HINT
    if found["assumed"]:
        hint += ASSUMED_HINT.format(assumed=found["assumed"], n=found["n"])
    return Section("Sentinels", sentinel_grids(result) if found["n"] else (), hint)


def _with_rows(grid: Grid) -> tuple[Grid, ...]:
    return (grid,) if grid.rows else ()


def _moved(report: ReliabilityReport) -> tuple[Grid, ...]:
    """Return the candidates whose mean moves most when strictness is taken out."""
    items = report.result["criteria"][-1]["severity"]["items"]
    known = Candidate.objects.filter(pk__in=[one["item"] for one in items]).values_list(
        "pk", "reference__reference_id", "reference__title"
    )
    titles = {str(pk): title or name for pk, name, title in known}
    rows = tuple(
        Row(
            titles.get(one["item"], "a candidate that is gone"),
            f"{one['n']} ratings",
            tuple(
                Cell(text)
                for text in (
                    POINTS.text(one["raw"]),
                    POINTS.text(one["adjusted"]),
                    CHANGE.text(one["adjusted"] - one["raw"]),
                )
            ),
        )
        for one in items
    )
    caption = "Candidates whose overall mean moves most, by reference"
    return (Grid(caption, ("Raw", "Adjusted", "Change"), rows),) if rows else ()
