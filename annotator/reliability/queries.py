"""Reliability reports: which there are, what their page shows, an annotator's own results."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from annotator.access.scopes import LEAST_DISTINGUISHED, Names, pseudonyms, renamed, user_names
from annotator.models import Campaign, Candidate, ReliabilityReport
from annotator.records import Inputs, inputs_of
from annotator.reliability.grids import (
    CHANGE,
    POINTS,
    REPEATS,
    SHARE,
    Grid,
    Histogram,
    agreement_grid,
    by_criterion,
    drift_grid,
    histograms,
    pair_grid,
    plain_cells,
    plan_grid,
    preference_grids,
    repeat_grids,
    sensed_grid,
    sentinel_grids,
    severity_grids,
)
from annotator.reliability.verdicts import forest_plots, verdict
from core.clock import database_now
from core.jobs.rows import JobStatus
from core.plots.shapes import Plot

UNDER_WAY: Final = (JobStatus.QUEUED, JobStatus.RUNNING)
ENDED_WITHOUT: Final = (JobStatus.FAILED, JobStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a campaign stands: the last report there is, and what has happened since.

    `latest` is the last one that succeeded, `under_way` one that waits or runs, `ended` the one on
    the ratings as they are now when it failed or was cancelled.
    """

    inputs: Inputs
    latest: ReliabilityReport | None
    under_way: ReliabilityReport | None
    ended: ReliabilityReport | None

    @property
    def is_current(self) -> bool:
        """Whether the last report is on the ratings as they are now."""
        return self.latest is not None and self.latest.input_sha256 == self.inputs.sha256

    @property
    def finished_at(self) -> datetime | None:
        return self.latest.finished_at if self.latest else None

    @property
    def age(self) -> timedelta | None:
        return database_now() - self.finished_at if self.finished_at else None

    @property
    def since(self) -> dict[str, int]:
        """How many ratings, revisions and preferences came since; nothing that is zero."""
        if self.latest is None:
            return {}
        then, now = self.latest.result["inputs"], self.inputs
        changes = {
            "ratings": now.ratings.rows - then["ratings"],
            "revisions of ratings": now.ratings.revisions - then["revisions"],
            "preferences": now.preferences.rows - then["preferences"],
            "revisions of preferences": now.preferences.revisions - then["preference_revisions"],
        }
        return {what: count for what, count in changes.items() if count}

    @property
    def status(self) -> str:
        """In one word: that of what is under way or ended, else of the last report, else none."""
        row = self.under_way or self.ended or self.latest
        return row.status if row else "none"


def standing_of(campaign: Campaign) -> Standing:
    """Return where a campaign stands; no rating is read."""
    inputs = inputs_of(campaign)
    rows = ReliabilityReport.objects.filter(campaign=campaign)
    bare = rows.defer("result")
    now = bare.filter(input_sha256=inputs.sha256)
    done = rows.filter(status=JobStatus.SUCCEEDED)
    return Standing(
        inputs,
        done.filter(input_sha256=inputs.sha256).first() or done.order_by("-finished_at").first(),
        bare.filter(status__in=UNDER_WAY).order_by("-created_at").first(),
        now.filter(status__in=ENDED_WITHOUT).first(),
    )


def names_for(report: ReliabilityReport, *, is_admin: bool, has_names: bool = False) -> Names:
    """Return how a reader is shown the annotators of a report.

    Admins: the same pseudonyms in every report of the campaign, or the user names once they are
    shown. Others: pseudonyms of this report only, and none at all where there are too few.
    """
    ids: list[str] = report.result["annotators"]
    if has_names:
        return user_names(ids)
    if is_admin:
        return pseudonyms(ids, report.campaign_id)
    return pseudonyms(ids, report.pk) if len(ids) >= LEAST_DISTINGUISHED else {}


def readable_result(report: ReliabilityReport, names: Names) -> dict[str, Any]:
    """Return the figures with names in place of ids, and without what would reveal more."""
    result: dict[str, Any] = renamed(report.result, names)
    for entry in result["criteria"]:
        # Candidates by their inner ids: of use to a page that looks them up, to nobody else.
        entry["severity"].pop("items")
    return result | {"annotators": sorted(names.values())}


SEVERITY_HINT: Final = (
    "Severity above 0 means lower scores than the group's mean on the same candidates; adjusted is "
    "what the mean would be without it. Misfit near 1 is as expected, far above 1 scattered."
)
PEOPLE_HINT: Final = "With fewer than three annotators nothing is shown of each of them."
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
    """A heading with its tables; `hint` is how to read them, `warning` what is wrong."""

    title: str
    grids: tuple[Grid, ...]
    hint: str = ""
    warning: str = ""


@dataclass(frozen=True, slots=True)
class ReliabilityPage:
    """Everything of one report that its page shows."""

    verdict: str
    plots: tuple[Plot, ...]
    counts: dict[str, Any]
    preferences: dict[str, int]
    sections: tuple[Section, ...]
    histograms: tuple[Histogram, ...]


def reliability_page(report: ReliabilityReport, names: Names, *, is_admin: bool) -> ReliabilityPage:
    """Return the page of a report that succeeded; only admins are shown single candidates."""
    result = readable_result(report, names)
    counts, sentinels, drift = result["counts"], result["sentinels"], drift_grid(result)
    untold = PEOPLE_HINT if counts["ratings"] else ""
    severity = Section("Severity of annotators", (), warning=untold)
    if grids := severity_grids(result):
        warning = result["criteria"][-1]["severity"]["warning"]
        moved = _moved(report) if is_admin else ()
        severity = Section(severity.title, (*grids, *moved), SEVERITY_HINT, warning)
    assumed = ASSUMED_HINT.format_map(sentinels) if sentinels["assumed"] else ""
    repeats = repeat_grids(result) if counts["repeats"] else ()
    sensed = sentinel_grids(result) if sentinels["n"] else ()
    stated = _preference_counts(result)
    # Without ratings all their figures are undefined, and would bury those of preferences.
    has_scores = bool(counts["ratings"] or not stated["n"])
    agreement, plan = (agreement_grid(result),), (plan_grid(result),)
    sections = (
        Section("Agreement", agreement if has_scores else ()),
        Section("Preferences", preference_grids(result)),
        Section("How many annotators", plan if has_scores else (), PLAN_HINT),
        severity,
        Section("Pairs of annotators", tuple(filter(None, [pair_grid(result)]))),
        Section("Drift", (drift,) if drift.rows or drift.folded else (), DRIFT_HINT),
        Section("Self-consistency", repeats, REPEATS_HINT),
        Section("Sentinels", sensed, SENTINEL_HINT + assumed),
    )
    shown = tuple(section for section in sections if section.grids or section.warning)
    return ReliabilityPage(
        verdict=verdict(result),
        plots=forest_plots(result),
        counts=counts,
        preferences=stated,
        sections=shown,
        histograms=histograms(result) if has_scores else (),
    )


def _preference_counts(result: Mapping[str, Any]) -> dict[str, int]:
    """Count preferences, their annotators, the pairs and those compared by two or more."""
    found = result["preferences"]
    overall = found["criteria"][-1]["figures"] if found["criteria"] else ()
    shared = next((one["n"] for one in overall if one["key"] == "exact"), 0)
    return {name: found[name] for name in ("n", "pairs", "annotators")} | {"shared": shared}


def _moved(report: ReliabilityReport) -> tuple[Grid, ...]:
    """Return the candidates whose mean moves most when strictness is taken out."""
    items = report.result["criteria"][-1]["severity"]["items"]
    known = Candidate.objects.filter(pk__in=[one["item"] for one in items]).values_list(
        "pk", "reference__reference_id", "reference__title"
    )
    titles = {str(pk): title or name for pk, name, title in known}
    caption = "Candidates whose overall mean moves most, by reference"
    grid = Grid(caption, ("Raw", "Adjusted", "Change"))
    for one in items:
        means = [POINTS.text(one[mean]) for mean in ("raw", "adjusted")]
        cells = plain_cells([*means, CHANGE.text(one["adjusted"] - one["raw"])])
        grid.add(titles.get(one["item"], "a candidate that is gone"), f"{one['n']} ratings", cells)
    return (grid,) if items else ()


OWN: Final = (
    ("raw_mean", "Your mean", POINTS),
    ("severity", "Your severity", CHANGE),
    ("adjusted_mean", "Your mean without it", POINTS),
    ("difference", "You less the mean of the others", CHANGE),
    ("distance", "Distance to the mean of the others", POINTS),
    ("within_one", "At most one point from it", SHARE),
)
# With fewer shared candidates a figure would be as good as somebody else's single scores.
LEAST_SHARED: Final = 5
TOO_FEW_SHARED: Final = (
    f"You share fewer than {LEAST_SHARED} candidates with others; a figure would tell single "
    "ratings of theirs."
)


@dataclass(frozen=True, slots=True)
class OwnFeedback:
    """One annotator's own results: counts, and a table each where there is something to show."""

    ratings: int
    shared: int
    against_others: Grid
    repeats: Grid | None
    sentinels: Grid | None


def own_feedback(report: ReliabilityReport, annotator: str) -> OwnFeedback | None:
    """Return the results of one annotator by id; None when no rating of theirs is in the report."""
    criteria = report.result["criteria"]
    people = [_own(entry["severity"]["people"], annotator) for entry in criteria]
    overall = people[-1]
    if overall is None:
        return None
    entries = [
        {"figures": _figures(person, entry, annotator)}
        for person, entry in zip(people, criteria, strict=True)
        if person is not None
    ]
    caption = "You beside the others, in points; 95 % intervals below"
    return OwnFeedback(
        overall["ratings"],
        overall["n"],
        by_criterion(caption, entries, OWN, "shared candidate{s}"),
        _own_repeats(criteria, annotator),
        _own_sentinels(report.result["sentinels"]["groups"], annotator),
    )


def _figures(
    person: Mapping[str, Any], entry: Mapping[str, Any], annotator: str
) -> list[dict[str, Any]]:
    """Return the figures of a person on one criterion, each in the form of a stored one."""
    others = _own(entry["others"], annotator)
    plain = {"low": None, "high": None, "clusters": 0, "interval": "", "n": person["n"]}
    of_means = ("raw_mean", "severity", "adjusted_mean")
    raw, severity, adjusted = (plain | {"key": key, "value": person[key]} for key in of_means)
    found = [
        raw | {"n": person["ratings"]},
        severity | {key: person[key] for key in ("low", "high", "reason")},
        adjusted | {"reason": person["reason"]},
        *(others["figures"] if others else ()),
    ]
    if person["n"] >= LEAST_SHARED or not person["n"]:
        return found
    hidden = {"value": None, "low": None, "high": None, "reason": TOO_FEW_SHARED}
    return [found[0], *(figure | hidden for figure in found[1:])]


def _own_repeats(criteria: Iterable[Mapping[str, Any]], annotator: str) -> Grid | None:
    own = [_own(entry["repeats"], annotator) for entry in criteria]
    entries = [entry for entry in own if entry is not None]
    if len(entries) < len(own):
        return None
    caption = "The same candidate, rated by you twice"
    return by_criterion(caption, entries, REPEATS, "repeat{s}")


def _own_sentinels(groups: Iterable[Mapping[str, Any]], annotator: str) -> Grid | None:
    own = (dict(one, annotator=None) for one in groups if one["annotator"] == annotator)
    rated = [one for one in own if one["figures"][0]["n"]]
    return sensed_grid("References damaged on purpose", rated) if rated else None


def _own(people: Iterable[Mapping[str, Any]], annotator: str) -> Mapping[str, Any] | None:
    return next((one for one in people if one["annotator"] == annotator), None)
