"""Systems ranked by ratings: the mean of what their candidates got."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scoring.agreement.items import Floats, Integers
from scoring.agreement.tables import divide
from scoring.ranking.intervals import Bootstrap, figures_of

NOT_RATED: Final = "No candidate of this system has a settled rating."
METHOD: Final = (
    "Mean of the settled ratings of a system's candidates, in points; interval: 95 %, clustered by "
    "reference. Systems that wrote for other references were rated on other work: compare them "
    "with care."
)


@dataclass(frozen=True, slots=True)
class SystemRatings:
    """The settled ratings of n candidates.

    `names`: K systems; `system`: n numbers of systems, 0 to K - 1; `points`: n ratings, 0 to 10;
    `clusters`: n reference numbers, 0 to R - 1.
    """

    names: Sequence[str]
    system: Integers
    points: Floats
    clusters: Integers
    references: int


def rank_by_ratings(found: SystemRatings, resamples: int, seed: int) -> dict[str, Any]:
    """Rank systems by their mean rating.

    Input: n >= 1 ratings; resamples >= 1 and a whole seed >= 0 of the bootstrap.
    Output: JSON-ready: n, references, method, and systems, the highest mean first, each with its
    system, n, references, and mean in [0, 10] as value, low, high.
    """
    size = (found.references, len(found.names))
    counts, sums = np.zeros(size), np.zeros(size)
    np.add.at(counts, (found.clusters, found.system), 1.0)
    np.add.at(sums, (found.clusters, found.system), found.points)

    def means_of(weights: Floats) -> Floats:
        return divide(weights @ sums, weights @ counts)

    figures = figures_of(
        means_of, Bootstrap(found.references, resamples, seed), (0.0, 10.0), NOT_RATED
    )
    rows = [
        {
            "system": name,
            "n": int(counts[:, k].sum()),
            "references": int(np.count_nonzero(counts[:, k])),
            "mean": figures[k],
        }
        for k, name in enumerate(found.names)
    ]
    rows.sort(key=_highest_first)
    return {
        "n": len(found.points),
        "references": found.references,
        "systems": rows,
        "method": METHOD,
    }


def _highest_first(row: dict[str, Any]) -> tuple[bool, float, str]:
    value = row["mean"]["value"]
    return value is None, -(value or 0.0), row["system"]
