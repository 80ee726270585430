"""Whether an annotator's scores move up or down in the course of the work."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotator.reliability.least_squares import residual_sd
from annotator.reliability.tables import Floats, ReliabilityError, Table, shared_items

PER = 100.0
# A slope is identified when the fit can reproduce it on its own up to this.
IDENTIFIED = 1e-6
# Directions weaker than this share of the strongest are rounding.
WEAKEST = 1e-10

NO_SHARED = "This annotator shares no item with another, so drift cannot be told from the items."
CONFOUNDED = (
    "Annotators rated the shared items at the same points of their work, so drift cannot be told "
    "from the items."
)
NO_ERROR = "There are too few shared ratings to say how sure the slope is."
NO_REST = "The scores fit without any rest, so nothing says how sure the slope is."


@dataclass(frozen=True, slots=True)
class Drift:
    """Change of an annotator's scores in points per 100 ratings; n = ratings of shared items."""

    annotator: str
    per_100: float | None
    standard_error: float | None
    n: int
    reason: str = ""


def drift(table: Table, positions: Table) -> tuple[Drift, ...]:
    """Fit  score = item + annotator + slope of the annotator x position + rest  by least squares.

    Input: a table of scores, and a table of the same items, annotators and gaps that holds the
    position of each rating in the annotator's own work (1, 2, 3 ...). Output: a slope for each
    annotator with a score, sorted as the columns are; above 0 = scores rise. Items are held fixed,
    so that easy items at the end do not look like drift. None, with the reason, where an annotator
    shares no item, or where all see the items in step. Raises ReliabilityError when cells differ.
    Formula: items are swept out of scores, marks of annotators and positions; the pseudo-inverse of
    the cross products gives slopes and, times the residual variance, their variances.
    Source: Frisch and Waugh, 1933 (sweeping out); Searle, 1987 (what is estimable).
    """
    same_names = positions.items == table.items and positions.annotators == table.annotators
    if not same_names or not np.array_equal(positions.is_rated, table.is_rated):
        raise ReliabilityError("Every score needs its position in the annotator's work.")
    kept = shared_items(table)
    rows = np.flatnonzero(table.counts >= 2)
    item, column = np.nonzero(kept.is_rated)
    scale = _Scale(positions.values[rows][item, column], column, len(table.annotators))
    scores = kept.values[item, column]
    slopes, errors, is_identified = _fit(item, column, scores, scale.standard)
    n = np.bincount(column, minlength=len(table.annotators))
    found = []
    for place in np.flatnonzero(table.is_rated.any(axis=0)).tolist():
        name, count = table.annotators[place], int(n[place])
        if not count:
            found.append(Drift(name, None, None, 0, NO_SHARED))
        elif not is_identified[place] or scale.spread[place] == 0:
            found.append(Drift(name, None, None, count, CONFOUNDED))
        else:
            unit = PER / float(scale.spread[place])
            error, reason = _error(errors, place, unit)
            found.append(Drift(name, float(slopes[place]) * unit, error, count, reason))
    return tuple(found)


class _Scale:
    """Positions of P ratings, each annotator's brought to mean 0 and spread 1."""

    def __init__(self, positions: Floats, column: np.ndarray, width: int) -> None:
        n = np.maximum(np.bincount(column, minlength=width), 1)
        mean = np.bincount(column, weights=positions, minlength=width) / n
        centred = positions - mean[column]
        self.spread = np.sqrt(np.bincount(column, weights=centred**2, minlength=width) / n)
        self.standard = centred / np.where(self.spread > 0, self.spread, 1)[column]


def _error(errors: Floats | None, place: int, unit: float) -> tuple[float | None, str]:
    if errors is None:
        return None, NO_ERROR
    error = float(errors[place]) * unit
    return (error, "") if error else (None, NO_REST)


def _fit(
    item: np.ndarray, column: np.ndarray, scores: Floats, standard: Floats
) -> tuple[Floats, Floats | None, np.ndarray]:
    """Slopes, standard errors (None without freedom) and which slopes are identified."""
    width = int(column.max(initial=-1)) + 1
    marks = np.zeros((len(scores), 2 * width))
    marks[np.arange(len(scores)), column] = 1
    marks[np.arange(len(scores)), width + column] = standard
    swept, deviations = _without_items(item, marks), _without_items(item, scores[:, None])[:, 0]
    products = swept.T @ swept
    inverse = np.linalg.pinv(products, rcond=WEAKEST, hermitian=True)
    coefficients = inverse @ (swept.T @ deviations)
    reproduced = inverse @ products
    is_identified = np.abs(reproduced - np.eye(2 * width)).max(axis=1, initial=0) < IDENTIFIED
    rank = round(float(np.trace(reproduced)))
    freedom = len(scores) - len(np.unique(item)) - rank
    sd = residual_sd(deviations - swept @ coefficients, deviations, freedom)
    errors = None if sd is None else sd * np.sqrt(np.diag(inverse)[width:])
    return coefficients[width:], errors, is_identified[width:]


def _without_items(item: np.ndarray, values: Floats) -> Floats:
    """Take each item's mean from its rows. Input: P item numbers, P x Q. Output: P x Q."""
    counts = np.maximum(np.bincount(item), 1)
    sums = np.zeros((len(counts), values.shape[1]))
    np.add.at(sums, item, values)
    means: Floats = (sums / counts[:, None])[item]
    return values - means
