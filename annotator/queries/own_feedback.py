"""What an annotator is shown of their own work after a campaign is closed; nobody else's."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from annotator.models import ReliabilityReport
from annotator.queries.figure_grids import (
    CHANGE,
    POINTS,
    SHARE,
    Grid,
    Notes,
    by_criterion,
)
from annotator.queries.people_grids import REPEATS, SENSED, sensed
from annotator.rubric import NAMES

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
    """One annotator's own results: counts, and a table each where there is something to say."""

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
        _repeats(criteria, annotator),
        _sentinels(report.result["sentinels"]["groups"], annotator),
    )


def _figures(
    person: Mapping[str, Any], entry: Mapping[str, Any], annotator: str
) -> list[dict[str, Any]]:
    """Return the figures of a person on one criterion, each in the form of a stored one."""
    others = _own(entry["others"], annotator)
    plain = {"low": None, "high": None, "clusters": 0, "interval": "", "n": person["n"]}
    reason = person["reason"]
    own = [
        plain | {"key": "raw_mean", "value": person["raw_mean"], "n": person["ratings"]},
        plain
        | {"key": "severity", "value": person["severity"], "reason": reason}
        | {end: person[end] for end in ("low", "high")},
        plain | {"key": "adjusted_mean", "value": person["adjusted_mean"], "reason": reason},
    ]
    found = [*own, *(others["figures"] if others else ())]
    if person["n"] >= LEAST_SHARED or not person["n"]:
        return found
    hidden = {"value": None, "low": None, "high": None, "reason": TOO_FEW_SHARED}
    return [found[0], *(figure | hidden for figure in found[1:])]


def _repeats(criteria: Iterable[Mapping[str, Any]], annotator: str) -> Grid | None:
    own = [_own(entry["repeats"], annotator) for entry in criteria]
    entries = [entry for entry in own if entry is not None]
    if len(entries) < len(own):
        return None
    caption = "The same candidate, rated by you twice"
    return by_criterion(caption, entries, REPEATS, "repeat{s}")


def _sentinels(groups: Iterable[Mapping[str, Any]], annotator: str) -> Grid | None:
    own = [one for one in groups if one["annotator"] == annotator]
    rated = [one for one in own if one["figures"][0]["n"]]
    if not rated:
        return None
    notes = Notes()
    rows = tuple(sensed(one, NAMES.get(one["criterion"], "All"), notes) for one in rated)
    return Grid("References damaged on purpose", SENSED, rows, tuple(notes.found))


def _own(people: Iterable[Mapping[str, Any]], annotator: str) -> Mapping[str, Any] | None:
    return next((one for one in people if one["annotator"] == annotator), None)
