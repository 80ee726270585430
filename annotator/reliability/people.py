"""Each annotator on one criterion: drift, repeats, beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotator.reliability.severity import normal_interval, residual_sd
from patclaimeval.statistics.coefficients import intraclass_correlations, raw_agreement
from patclaimeval.statistics.resampling import DRAWS, Figure, divide, estimate, sums_by_cluster
from patclaimeval.statistics.tables import (
    NOT_COMPUTED,
    Estimate,
    Floats,
    Plain,
    ReliabilityError,
    Repeat,
    Table,
    plain_estimate,
    scaled,
    shared_items,
    undefined,
)

PER = 100.0
# A slope is identified when the fit can reproduce it on its own up to this.
IDENTIFIED = 1e-6
# Directions weaker than this share of the strongest are rounding.
WEAKEST = 1e-10

NO_SHARED = (
    "This annotator shares no item with another, so drift cannot be separated from the items."
)
CONFOUNDED = (
    "Annotators rated the shared items at the same points of their work, so drift cannot be told "
    "from the items."
)
NO_DRIFT_ERROR = "There are too few shared ratings for an interval of the slope."
NO_DRIFT_REST = "The scores fit without any rest, so nothing says how sure the slope is."


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
    shares no item, where all see the items in step, or where the fit could not be computed.
    Raises ReliabilityError when cells differ.
    Formula: items are swept out of scores, marks of annotators and positions; the pseudo-inverse of
    the cross products gives slopes and, times the residual variance, their variances.
    Source: Frisch and Waugh, 1933 (sweeping out); Searle, 1987 (what is estimable).
    """
    same_names = positions.items == table.items and positions.annotators == table.annotators
    if not same_names or not np.array_equal(positions.is_rated, table.is_rated):
        raise ReliabilityError("Every score needs its position in the annotator's work.")
    shared = shared_items(table)
    rows = np.flatnonzero(table.counts >= 2)
    item, column = np.nonzero(shared.is_rated)
    scale = _Scale(positions.values[rows][item, column], column, len(table.annotators))
    scores = shared.values[item, column]
    slopes, errors, is_identified = _fit(item, column, scores, scale.standard)
    n = np.bincount(column, minlength=len(table.annotators))
    found = []
    for place in np.flatnonzero(table.is_rated.any(axis=0)).tolist():
        name, count = table.annotators[place], int(n[place])
        if not count:
            found.append(Drift(name, None, None, 0, NO_SHARED))
        elif np.isnan(slopes[place]):
            found.append(Drift(name, None, None, count, NOT_COMPUTED))
        elif not is_identified[place] or scale.spread[place] == 0:
            found.append(Drift(name, None, None, count, CONFOUNDED))
        else:
            unit = PER / float(scale.spread[place])
            error, reason = None, NO_DRIFT_ERROR
            if errors is not None:
                error = float(errors[place]) * unit or None
                reason = "" if error else NO_DRIFT_REST
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


def _fit(
    item: np.ndarray, column: np.ndarray, scores: Floats, standard: Floats
) -> tuple[Floats, Floats | None, np.ndarray]:
    """Fit slopes; return them, their standard errors and which of them are identified.

    The errors are None without degrees of freedom. Slopes are NaN where the cross products have no
    pseudo-inverse.
    """
    width = int(column.max(initial=-1)) + 1
    marks = np.zeros((len(scores), 2 * width))
    marks[np.arange(len(scores)), column] = 1
    marks[np.arange(len(scores)), width + column] = standard
    swept, deviations = _without_items(item, marks), _without_items(item, scores[:, None])[:, 0]
    products = swept.T @ swept
    try:
        inverse = np.linalg.pinv(products, rcond=WEAKEST, hermitian=True)
    except np.linalg.LinAlgError:
        inverse = np.full_like(products, np.nan)
    if not np.isfinite(inverse).all():
        return np.full(width, np.nan), None, np.zeros(width, dtype=bool)
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


NO_REPEATS = "No item has come back to be rated again yet."


@dataclass(frozen=True, slots=True)
class SelfConsistency:
    """Figures over repeats of one annotator, or of all when `annotator` is None; n = repeats."""

    annotator: str | None
    exact: Estimate
    within: Estimate
    mean_difference: Estimate
    icc: Estimate


def self_consistency(
    repeats: Sequence[Repeat], within: float = 1, draws: int = DRAWS, seed: int = 0
) -> tuple[SelfConsistency, ...]:
    """Compare first and second scores, over all annotators and for each one.

    Input: repeats of one criterion, finite scores; the tolerance in their units; resamples, seed.
    Output: first the figures over all repeats, then by annotator, sorted by name: two shares in
    [0, 1], a mean absolute difference >= 0, and an ICC <= 1 that counts a shift between first and
    second time as disagreement. Undefined, with the reason, without repeats and, for the ICC,
    without spread. Formula and source: raw_agreement() and ICC(2,1) of intraclass_correlations(),
    with the two times in place of two annotators (McGraw and Wong, 1996).
    """
    names = sorted({repeat.annotator for repeat in repeats})
    own = [[repeat for repeat in repeats if repeat.annotator == name] for name in names]
    groups = [(None, list(repeats)), *zip(names, own, strict=True)]
    return tuple(_figures(name, group, within, draws, seed) for name, group in groups)


def _figures(
    annotator: str | None, repeats: list[Repeat], within: float, draws: int, seed: int
) -> SelfConsistency:
    if not repeats:
        return SelfConsistency(annotator, *[undefined(NO_REPEATS)] * 4)
    table = Table(
        np.array([(repeat.first, repeat.second) for repeat in repeats], dtype=np.float64),
        tuple(repeat.cluster for repeat in repeats),
        tuple(str(number) for number in range(len(repeats))),
        ("first", "second"),
    )
    raw = raw_agreement(table, within, draws, seed)
    icc = intraclass_correlations(table, draws=draws, seed=seed).single
    return SelfConsistency(annotator, raw.exact, raw.within, raw.mean_difference, icc)


NO_SHARED_ITEMS = "Nobody else rated an item of this annotator."


@dataclass(frozen=True, slots=True)
class AgainstOthers:
    """One annotator against the rest; each figure's `n` counts the items shared with somebody."""

    annotator: str
    difference: Estimate
    distance: Estimate
    within: Estimate


def against_others(table: Table, within: float = 1) -> tuple[AgainstOthers, ...]:
    """Compare each annotator with the mean of the others, item by item.

    Input: a table, gaps allowed; the tolerance >= 0 in units of the scores. Output: for each
    annotator with a score, in the order of the columns: mean of own score less the others' mean
    (above 0 = higher than they), mean of its size >= 0, and the share in [0, 1] of items on which
    it is at most the tolerance. Undefined, with the reason, for who shares no item.
    Intervals by jackknife at any number of references: for so many means of few references each, a
    bootstrap takes minutes and gives the same.
    Formula: own - (sum of the item's scores - own) / (their number - 1), averaged over items.
    Source: leave-one-out comparison, own definition.
    """
    shared = shared_items(table)
    counts, totals = shared.counts, np.nansum(shared.values, axis=1)
    found = []
    for column in np.flatnonzero(table.is_rated.any(axis=0)).tolist():
        name = table.annotators[column]
        rows = np.flatnonzero(shared.is_rated[:, column])
        if not len(rows):
            found.append(AgainstOthers(name, *[undefined(NO_SHARED_ITEMS)] * 3))
            continue
        own = shared.values[rows, column]
        apart = own - (totals[rows] - own) / (counts[rows] - 1)
        size = np.abs(apart)
        clusters = [shared.clusters[row] for row in rows]
        terms = np.column_stack([np.ones(len(rows)), apart, size, size <= within])
        sums = sums_by_cluster(clusters, terms)
        figures = (
            Figure(lambda sums: divide(sums[:, 1], sums[:, 0]), "", -np.inf, np.inf, True),
            Figure(lambda sums: divide(sums[:, 2], sums[:, 0]), "", 0.0, np.inf, True),
            Figure(lambda sums: divide(sums[:, 3], sums[:, 0]), "", 0.0, 1.0, True),
        )
        estimates = (estimate(sums, figure, len(rows)) for figure in figures)
        found.append(AgainstOthers(name, *estimates))
    return tuple(found)


def drift_report(table: Table, positions: Table, unit: int = 1) -> list[Plain]:
    """Return the drift of each annotator in points per 100 ratings, with low and high.

    Input: as drift(); units a point. Output: annotator, n, per_100, low, high, reason; the interval
    is -+ 1.96 standard errors.
    """
    found = []
    for one in drift(table, positions):
        value = scaled(one.per_100, unit)
        low, high = normal_interval(value, scaled(one.standard_error, unit))
        interval = {"per_100": value, "low": low, "high": high}
        found.append({"annotator": one.annotator, "n": one.n} | interval | {"reason": one.reason})
    return found


def others_report(table: Table, unit: int = 1) -> list[Plain]:
    """Return each annotator against the mean of the others.

    Input: a table; units a point. Output: annotator and `figures`: difference, distance (both in
    points) and within_one.
    """
    return [
        {
            "annotator": one.annotator,
            "figures": [
                plain_estimate("difference", one.difference, unit),
                plain_estimate("distance", one.distance, unit),
                plain_estimate("within_one", one.within),
            ],
        }
        for one in against_others(table, unit)
    ]


def repeats_report(
    repeats: Sequence[Repeat], unit: int = 1, draws: int = DRAWS, seed: int = 0
) -> list[Plain]:
    """Return self-consistency over all annotators (annotator None), then of each.

    Input: repeats; units a point; resamples and seed. Output: annotator and `figures`: exact,
    within_one, mean_difference (in points) and icc.
    """
    return [
        {
            "annotator": one.annotator,
            "figures": [
                plain_estimate("exact", one.exact),
                plain_estimate("within_one", one.within),
                plain_estimate("mean_difference", one.mean_difference, unit),
                plain_estimate("icc", one.icc),
            ],
        }
        for one in self_consistency(repeats, unit, draws, seed)
    ]
