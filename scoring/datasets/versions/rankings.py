"""How people rank the systems of a version, once its campaign is closed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from annotator.adjudication.settled.queries import references_with_candidates, settled_references
from annotator.models import GENUINE, Campaign, Candidate
from core.plots.intervals import Measured, interval_plot
from core.plots.shapes import Plot
from patclaimeval.agreement.items import Integers
from scoring.access.scopes import read_rows
from scoring.models import DatasetVersion
from scoring.ranking import Comparisons, SystemRatings, rank_by_comparisons, rank_by_ratings

RESAMPLES: Final = 1000
SEED: Final = 0
BATCH: Final = 200
MOST_SYSTEMS: Final = 60
# A page waits for it: all rows of the file are read.
MOST_ROWS: Final = 30_000

NO_CAMPAIGN: Final = (
    "This dataset was imported, and an imported file does not say which system wrote a candidate."
)
NO_SYSTEMS: Final = (
    "The claim sets of the campaign do not say which systems wrote the candidates of this version."
)
ONE_SYSTEM: Final = "No two candidates of different systems are compared for this criterion."
TOO_MANY: Final = f"There are more than {MOST_SYSTEMS} systems, too many for a ranking."
TOO_LONG: Final = f"A version of more than {MOST_ROWS} quadruplets is too large for this page."
NOT_RATED: Final = "No candidate with a known system has a settled rating."

Systems = Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rankings of one criterion: JSON-ready, or None with the reason; `left_out`: quadruplets."""

    by_comparisons: dict[str, Any] | None = None
    by_ratings: dict[str, Any] | None = None
    comparisons_reason: str = ""
    ratings_reason: str = ""
    left_out: int = 0

    @property
    def shows_systems(self) -> bool:
        return self.by_comparisons is not None or self.by_ratings is not None


def ranking_of(version: DatasetVersion, criterion: str) -> Ranking:
    """Rank the systems of a version by its quadruplets, and by the ratings of its campaign.

    For a version of a closed campaign only. Raises StoredFileDamaged as read_rows() does.
    """
    campaign = version.dataset.campaign
    if campaign is None:
        return Ranking(comparisons_reason=NO_CAMPAIGN, ratings_reason=NO_CAMPAIGN)
    assert not campaign.is_open, "systems stay hidden while a campaign is open"
    systems = _systems(campaign)
    if not 0 < len(set(systems.values())) <= MOST_SYSTEMS:
        reason = TOO_MANY if systems else NO_SYSTEMS
        return Ranking(comparisons_reason=reason, ratings_reason=reason)
    by_ratings = _by_ratings(campaign, criterion)
    ratings_reason = "" if by_ratings else NOT_RATED
    if version.items > MOST_ROWS:
        return Ranking(None, by_ratings, TOO_LONG, ratings_reason)
    found, left_out = _comparisons(version, criterion, systems)
    if found is None:
        return Ranking(None, by_ratings, ONE_SYSTEM, ratings_reason, left_out)
    by_comparisons = rank_by_comparisons(found, RESAMPLES, SEED)
    return Ranking(by_comparisons, by_ratings, "", ratings_reason, left_out)


def comparisons_plots(ranking: Ranking) -> list[Plot | None]:
    """Return for each group of compared systems a plot of what it is ordered by.

    That is their strengths or, where these are undefined, the share that each has won.
    """
    if ranking.by_comparisons is None:
        return []
    groups = ranking.by_comparisons["groups"]
    plots = []
    for number, group in enumerate(groups, start=1):
        is_strong = any(row["strength"]["value"] is not None for row in group["systems"])
        key, name = ("strength", "Strength") if is_strong else ("share", "Share won")
        title = f"{name} of systems" + (f", group {number}" if len(groups) > 1 else "")
        figures = [(row["system"], row[key]) for row in group["systems"]]
        plots.append(_plot(title, figures, name.lower()))
    return plots


def ratings_plot(ranking: Ranking) -> Plot | None:
    """Return a plot of the systems' mean ratings; None where there are none."""
    if ranking.by_ratings is None:
        return None
    rows = [(row["system"], row["mean"]) for row in ranking.by_ratings["systems"]]
    return _plot("Mean rating of systems", rows, "mean rating")


def _plot(title: str, figures: Sequence[tuple[str, Mapping[str, Any]]], unit: str) -> Plot | None:
    if all(one["value"] is None for _, one in figures):
        return None
    rows = [
        Measured(name, "scorer", one["value"], one["low"], one["high"]) for name, one in figures
    ]
    return interval_plot(title, rows, unit=unit)


def _systems(campaign: Campaign) -> dict[tuple[str, str], str]:
    """Return who wrote each candidate, by its reference's id and its own, where that is known."""
    rows = Candidate.objects.filter(campaign=campaign, purpose__in=GENUINE).exclude(system="")
    names = rows.values_list("reference__reference_id", "candidate_id", "system")
    return {(reference, candidate): system for reference, candidate, system in names}


def _comparisons(
    version: DatasetVersion, criterion: str, systems: Systems
) -> tuple[Comparisons | None, int]:
    """Return the comparisons of two known and different systems, and how many others there are."""
    compared = []
    left_out = 0
    for row in read_rows(version):
        if criterion not in row.y:
            continue
        of_b, of_c = (systems.get((row.reference_id, one), "") for one in (row.b_id, row.c_id))
        if of_b and of_c and of_b != of_c:
            compared.append((of_b, of_c, row.y[criterion], row.reference_id))
        else:
            left_out += 1
    if not compared:
        return None, left_out
    all_b, all_c, y, references = (list(column) for column in zip(*compared, strict=True))
    names, numbers = _numbers([*all_b, *all_c])
    b, c = np.split(numbers, 2)
    distinct, clusters = _numbers(references)
    return Comparisons(names, b, c, np.array(y), clusters, len(distinct)), left_out


def _by_ratings(campaign: Campaign, criterion: str) -> dict[str, Any] | None:
    rated = list(_settled(campaign, criterion))
    if not rated:
        return None
    names, system = _numbers([row[0] for row in rated])
    distinct, clusters = _numbers([row[2] for row in rated])
    points = np.array([row[1] for row in rated])
    ratings = SystemRatings(names, system, points, clusters, len(distinct))
    return rank_by_ratings(ratings, RESAMPLES, SEED)


def _settled(campaign: Campaign, criterion: str) -> Iterator[tuple[str, float, str]]:
    """Yield the system, the settled points and the reference of each candidate that has them."""
    references = list(references_with_candidates(campaign))
    for first in range(0, len(references), BATCH):
        for reference in settled_references(campaign, references[first : first + BATCH]):
            for candidate in reference.candidates:
                value = next(one for one in candidate.values if one.criterion == criterion)
                if candidate.system and candidate.is_settled and value.settled is not None:
                    yield candidate.system, float(value.settled), reference.reference_id


def _numbers(names: Sequence[str]) -> tuple[list[str], Integers]:
    """Return the distinct names in the order of the alphabet, and the place of each name there."""
    distinct, numbers = np.unique(np.array(names), return_inverse=True)
    return distinct.tolist(), numbers
