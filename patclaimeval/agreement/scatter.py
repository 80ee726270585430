"""Score against rating point by point, or score difference against label where none is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from patclaimeval.agreement import correlation
from patclaimeval.agreement.ceiling import Unavailable
from patclaimeval.agreement.figures import figure_of, no_figure, resample_pearson
from patclaimeval.agreement.items import (
    Floats,
    Integers,
    Item,
    Question,
    ScorerScores,
    distinct_texts,
    number,
)
from patclaimeval.statistics import resampling

MOST_POINTS: Final = 1000
DIGITS: Final = 5
FEWEST: Final = 3
NO_SPREAD: Final = "One side is the same at every point, so there is nothing to correlate."
TOO_FEW: Final = f"A correlation needs {FEWEST} points."
METHOD: Final = (
    "Each point a candidate: its settled rating and its score; where no ratings are known, each "
    "point an item: its label and its score difference. Pearson's r and Spearman's rho over all "
    "points, of which at most 1,000 evenly drawn ones are shown; intervals clustered by reference, "
    "Spearman's with the ranks of all points. Scores of different references are compared here, "
    "unlike in tau-b."
)


@dataclass(frozen=True, slots=True)
class _Places:
    """The points of all scorers: what people judge at each, and its reference."""

    kind: str
    x: Floats
    clusters: Integers
    weights: NDArray[np.int16]
    texts: Sequence[tuple[str, str]]


def scatters(
    question: Question,
    items: Sequence[Item],
    scorers: Sequence[ScorerScores | Unavailable],
    differences: Mapping[str, Floats],
    points: Mapping[tuple[str, str], float],
) -> dict[str, Any]:
    """Set each scorer's scores against what people gave.

    Input: n >= 1 items; scorers; the n differences of each that can score; points by (reference,
    candidate) text, 0 to 10, empty where no ratings are known. Output: JSON-ready, by scorer: kind
    ("ratings" or "differences"), points ([x, y] each), n, pearson and spearman (figures or None),
    reason.
    """
    by_rating = _places(question, items, points)
    found = {}
    for scorer in scorers:
        compares = isinstance(scorer, ScorerScores) and scorer.verdicts is not None
        # What compares two candidates gives no score to set against the rating of one.
        places = _places(question, items, {}) if compares else by_rating
        if isinstance(scorer, Unavailable):
            found[scorer.name] = _nothing(places.kind, 0, scorer.reason)
        elif places.kind == "ratings":
            scores = np.array([scorer.scores[text] for text in places.texts], dtype=np.float64)
            found[scorer.name] = _scatter(places, scores)
        else:
            found[scorer.name] = _scatter(places, differences[scorer.name])
    return found


def _places(
    question: Question, items: Sequence[Item], points: Mapping[tuple[str, str], float]
) -> _Places:
    texts = [text for text in distinct_texts(items) if text in points]
    if texts:
        kind, x = "ratings", np.array([points[text] for text in texts], dtype=np.float64)
        clusters, names = number([reference for reference, _ in texts])
    else:
        kind, x = "differences", np.array([item.y for item in items], dtype=np.float64)
        clusters, names = number([item.reference_id for item in items])
    weights = resampling.bootstrap_weights(len(names), question.resamples, question.seed)
    return _Places(kind, x, clusters, weights, texts)


def _scatter(places: _Places, scores: Floats) -> dict[str, Any]:
    n = len(scores)
    from scipy.stats import rankdata

    if n < FEWEST:
        return _nothing(places.kind, n, TOO_FEW)
    shown = shown_places(n)
    return {
        "kind": places.kind,
        "points": [[_short(places.x[at]), _short(scores[at])] for at in shown.tolist()],
        "n": n,
        "pearson": _figure(places, places.x, scores),
        "spearman": _figure(places, rankdata(places.x), rankdata(scores)),
        "reason": "",
    }


def shown_places(n: int) -> Integers:
    """Return which of n points are drawn: all, or 1,000 of them evenly taken, in order."""
    return np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(np.int64))


def _figure(places: _Places, x: Floats, scores: Floats) -> dict[str, Any]:
    count = places.weights.shape[1]
    if np.ptp(x) == 0 or np.ptp(scores) == 0:
        return no_figure(NO_SPREAD)
    units = correlation.cluster_moments(scores, x, places.clusters, count)
    return figure_of(resample_pearson(units, places.weights), NO_SPREAD)


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _nothing(kind: str, n: int, reason: str) -> dict[str, Any]:
    nothing: dict[str, Any] = {"points": [], "n": n, "pearson": None, "spearman": None}
    return {"kind": kind, **nothing, "reason": reason}
