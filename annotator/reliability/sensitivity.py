"""Whether annotators notice damage that was done on purpose to one criterion of a candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotator.reliability.estimates import Estimate, undefined
from annotator.reliability.resampling import DRAWS, Figure, divide, estimate, sums_by_cluster
from annotator.reliability.tables import Floats, ReliabilityError, Sentinel

NO_SENTINELS = "No damaged candidate and its untouched twin have both been rated yet."
ONE_CRITERION = "No criterion but the damaged one was rated."


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Figures over the sentinels of one annotator, one criterion, both, or all (None = all)."""

    annotator: str | None
    criterion: str | None
    detected: Estimate
    drop_aimed: Estimate
    drop_elsewhere: Estimate


def sensitivity(
    sentinels: Sequence[Sentinel], least_drop: float = 1, draws: int = DRAWS, seed: int = 0
) -> tuple[Sensitivity, ...]:
    """Measure how scores fall on the damaged criterion and on the others.

    Input: sentinels whose two ratings hold the same criteria, among them the one aimed at; the
    smallest fall that counts as noticed; resamples and seed. Output: the figures over all, then by
    annotator, by criterion, and by both: `detected` a share in [0, 1], the two drops in points,
    negative where the damaged candidate got more. A drop elsewhere as large as the one aimed at
    means that damage is felt but not placed. `n` counts sentinels. Undefined, with the reason,
    without any. Raises ReliabilityError when the two ratings hold different criteria.
    Formula: share of untouched - damaged >= least_drop; mean of untouched - damaged on the aimed
    criterion; the same over all other scores. Source: own definition.
    """
    rows = np.array([_row(sentinel, least_drop) for sentinel in sentinels]).reshape(-1, 5)
    people: list[str | None] = [*sorted({s.annotator for s in sentinels})]
    criteria: list[str | None] = [*sorted({s.criterion for s in sentinels})]
    kinds: list[tuple[str | None, str | None]] = [(None, None)]
    kinds += [(person, None) for person in people] + [(None, criterion) for criterion in criteria]
    kinds += [(person, criterion) for person in people for criterion in criteria]
    found = []
    for person, criterion in kinds:
        places = [
            place
            for place, sentinel in enumerate(sentinels)
            if person in (None, sentinel.annotator) and criterion in (None, sentinel.criterion)
        ]
        clusters = [sentinels[place].cluster for place in places]
        found.append(_figures((person, criterion), rows[places], clusters, draws, seed))
    return tuple(found)


def _row(sentinel: Sentinel, least_drop: float) -> tuple[float, ...]:
    """1, noticed or not, drop aimed at, number of other scores, their drops added up."""
    if set(sentinel.untouched) != set(sentinel.damaged):
        raise ReliabilityError("The two ratings of a sentinel must hold the same criteria.")
    if sentinel.criterion not in sentinel.damaged:
        raise ReliabilityError("The criterion that was damaged must be among the scores.")
    drops = {key: sentinel.untouched[key] - sentinel.damaged[key] for key in sentinel.damaged}
    aimed = drops.pop(sentinel.criterion)
    return 1.0, float(aimed >= least_drop), aimed, float(len(drops)), sum(drops.values())


def _figures(
    kind: tuple[str | None, str | None], rows: Floats, clusters: list[str], draws: int, seed: int
) -> Sensitivity:
    if not len(rows):
        nothing = undefined(NO_SENTINELS)
        return Sensitivity(*kind, nothing, nothing, nothing)
    sums = sums_by_cluster(clusters, rows)
    figures = (
        Figure(lambda sums: divide(sums[:, 1], sums[:, 0]), "", 0.0),
        Figure(lambda sums: divide(sums[:, 2], sums[:, 0]), "", highest=np.inf),
        Figure(lambda sums: divide(sums[:, 4], sums[:, 3]), ONE_CRITERION, highest=np.inf),
    )
    return Sensitivity(
        *kind, *(estimate(sums, figure, len(rows), draws, seed) for figure in figures)
    )
