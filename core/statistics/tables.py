"""What the room measures: scores of items by annotators, and the pairs of scores on one item.

A measured number with its interval, its n, and a reason where either is undefined.

Figures as plain lists and dictionaries, in points, ready to be stored as JSON.

95 % intervals for any figure that follows from sums over references: bootstrap, jackknife t.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


class ReliabilityError(ValueError):
    """The question cannot be answered from what was given; the message is for a person."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Scores of I items by J annotators for one criterion.

    `values` is I x J, NaN where an annotator did not rate an item; `clusters` names the reference
    of each item; `items` and `annotators` name rows and columns. Raises ReliabilityError when
    lengths differ, names repeat or a value is infinite.
    """

    values: Floats
    clusters: tuple[str, ...]
    items: tuple[str, ...]
    annotators: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse a table whose names do not fit its values."""
        if self.values.shape != (len(self.items), len(self.annotators)):
            raise ReliabilityError("There must be one row an item and one column an annotator.")
        if len(self.clusters) != len(self.items):
            raise ReliabilityError("Each item needs exactly one reference.")
        if len(set(self.items)) < len(self.items):
            raise ReliabilityError("An item stands in the table twice.")
        if len(set(self.annotators)) < len(self.annotators):
            raise ReliabilityError("An annotator stands in the table twice.")
        if np.isinf(self.values).any():
            raise ReliabilityError("Every score must be a finite number.")

    @property
    def is_rated(self) -> Booleans:
        """Say where there is a score. Output: I x J of booleans."""
        return ~np.isnan(self.values)

    @property
    def counts(self) -> Integers:
        """Count the scores of each item. Output: I whole numbers from 0 to J."""
        return self.is_rated.sum(axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """All P unordered pairs of scores on one item: row, both columns, both scores, scores there."""

    item: Integers
    left: Integers
    right: Integers
    first: Floats
    second: Floats
    count: Integers


def table_of(rows: Iterable[tuple[str, str, str, float]]) -> Table:
    """Build a table from ratings.

    Input: (item, reference, annotator, score) in any order, one row a rating; scores are finite.
    Output: a table whose items and annotators are sorted by name, so that the order of the rows
    changes nothing. Raises ReliabilityError when an annotator rates an item twice, when an item
    has two references, or when a score is no finite number.
    """
    scores: dict[tuple[str, str], float] = {}
    references: dict[str, str] = {}
    for item, reference, annotator, score in rows:
        if (item, annotator) in scores:
            raise ReliabilityError("An annotator has two ratings of one item.")
        if references.setdefault(item, reference) != reference:
            raise ReliabilityError("An item belongs to two references.")
        if not np.isfinite(score):
            raise ReliabilityError("Every score must be a finite number.")
        scores[item, annotator] = float(score)
    items, annotators = sorted(references), sorted({annotator for _, annotator in scores})
    row, column = ({name: i for i, name in enumerate(names)} for names in (items, annotators))
    values = np.full((len(items), len(annotators)), np.nan)
    for (item, annotator), score in scores.items():
        values[row[item], column[annotator]] = score
    return Table(values, tuple(references[i] for i in items), tuple(items), tuple(annotators))


def shared_items(table: Table, least: int = 2) -> Table:
    """Keep the items with at least `least` scores. Output: a table with the same annotators."""
    kept = np.flatnonzero(table.counts >= least)
    return Table(
        table.values[kept],
        tuple(table.clusters[i] for i in kept),
        tuple(table.items[i] for i in kept),
        table.annotators,
    )


def rating_pairs(table: Table) -> Pairs:
    """List the unordered pairs of scores on each item; items with one score give none.

    Input: a table; an item with m scores gives m (m - 1) / 2 pairs. Output: P pairs, in which
    `left` < `right` are columns and `count` is m >= 2.
    """
    counts = table.counts
    widest = int(counts.max(initial=0))
    # Scores pushed to the left: an item with 3 of 40 annotators takes 3 columns, not 40.
    columns = np.argsort(~table.is_rated, axis=1, kind="stable")[:, :widest]
    packed = np.take_along_axis(table.values, columns, axis=1)
    parts = []
    for a in range(widest):
        for b in range(a + 1, widest):
            rows = np.flatnonzero(counts > b)
            ends = (columns[rows, a], columns[rows, b], packed[rows, a], packed[rows, b])
            parts.append((rows, *ends, counts[rows]))
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return Pairs(nothing, nothing, nothing, np.zeros(0), np.zeros(0), nothing)
    return Pairs(*(np.concatenate(column) for column in zip(*parts, strict=True)))


@dataclass(frozen=True, slots=True)
class Sentinel:
    """One annotator's scores by criterion of an untouched candidate and of its damaged twin."""

    annotator: str
    cluster: str
    criterion: str
    untouched: Mapping[str, float]
    damaged: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Repeat:
    """One annotator's score of an item at first and, unaware, again; with the item's reference."""

    annotator: str
    cluster: str
    first: float
    second: float


BOOTSTRAP = "bootstrap"
JACKKNIFE_T = "jackknife-t"

NO_OVERLAP = "No item was rated by two annotators, so there is nothing to compare."
ONE_ANNOTATOR = "There are ratings of one annotator only, so there is nobody to compare with."
NO_RATINGS = "There are no ratings yet."
ALL_SAME = "Every rating is the same, so agreement cannot be told from chance."


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and how sure it is.

    `value` is None where it is undefined and `low`, `high` where no 95 % interval can be given;
    `reason` then says why in a sentence, else it is "". `n` counts what the figure rests on (items,
    unless its function says otherwise), `clusters` their references. `interval` names the method:
    "bootstrap", "jackknife-t", or "" without an interval.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    reason: str = ""
    interval: str = ""


def undefined(reason: str, n: int = 0, clusters: int = 0) -> Estimate:
    """Return an estimate without a value. Input: a plain sentence and what there was to use."""
    return Estimate(None, None, None, n, clusters, reason)


Plain = dict[str, object]


def plain_estimate(key: str, found: Estimate, unit: float = 1.0) -> Plain:
    """Return an estimate as it is stored.

    Input: what the figure is called; the estimate; how many units of its scores make one point (1
    for a criterion, 11 for an overall numerator; 1 for a figure without unit). Output: key, value,
    low, high (numbers in points or None), n, clusters, reason, interval.
    """
    return {
        "key": key,
        "value": scaled(found.value, unit),
        "low": scaled(found.low, unit),
        "high": scaled(found.high, unit),
        "n": found.n,
        "clusters": found.clusters,
        "reason": found.reason,
        "interval": found.interval,
    }


def scaled(value: float | None, unit: float) -> float | None:
    """Return a number of units in points, or None as it is. Input: units > 0 a point."""
    return None if value is None else value / unit


DRAWS = 2_000
SMALL_CLUSTER_COUNT = 40
MAX_UNDEFINED_SHARE = 0.05
TAIL = 0.025
# Draws are made in blocks, so that memory stays small with thousands of references.
BLOCK = 200
# Differences below this are rounding, not spread.
NO_DIFFERENCE = 1e-12

ONE_REFERENCE = "All items belong to one reference; an interval needs two or more."
NO_SPREAD = "Every resample gives the same value, so the spread cannot be estimated."
UNDEFINED_RESAMPLES = "The value is undefined in too many resamples to give an interval."
UNDEFINED_WITHOUT_ONE = "The value is undefined without one of the references."


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as a function of sums: it maps W x P sums to W values, NaN where undefined.

    `reason` says why it is undefined on all items; `lowest` and `highest` end its range. A mean of
    many figures of few items each is biased in resamples, so it asks for the jackknife at any size;
    so may what is asked for too often to resample.
    """

    of_sums: Callable[[Floats], Floats]
    reason: str
    lowest: float = -np.inf
    highest: float = 1.0
    asks_for_jackknife: bool = False


def cluster_numbers(clusters: Sequence[str]) -> tuple[Integers, int]:
    """Number references by name. Input: n names. Output: n numbers 0..R-1, and R.

    Sorted by name, so that the order of the items does not change which references are drawn.
    """
    numbers = {name: i for i, name in enumerate(sorted(set(clusters)))}
    return np.asarray([numbers[name] for name in clusters], dtype=np.int64), len(numbers)


def sums_by_cluster(clusters: Sequence[str], rows: Any) -> Any:
    """Add up the rows of one reference.

    Input: n reference names; n x P numbers, a dense array or a scipy sparse one.
    Output: R x P sums, dense or sparse as given.
    """
    from scipy.sparse import csr_array

    numbers, count = cluster_numbers(clusters)
    places = (numbers, np.arange(len(numbers)))
    return csr_array((np.ones(len(numbers)), places), shape=(count, len(numbers))) @ rows


def estimate(sums: Any, figure: Figure, n: int, draws: int = DRAWS, seed: int = 0) -> Estimate:
    """Compute a figure on all items and its 95 % interval clustered by reference.

    Input: R x P sums, one row a reference, dense or sparse; the figure; the n to report; the number
    of resamples >= 1 and the seed of the bootstrap. Output: an Estimate; the same input gives the
    same numbers. Fewer than 40 references: jackknife t, which keeps its coverage there; else
    percentiles of the bootstrap. Source: as the two functions below.
    """
    count = int(sums.shape[0])
    total = np.asarray(sums.sum(axis=0), dtype=np.float64).reshape(1, -1)
    value = float(figure.of_sums(total)[0]) if count else np.nan
    if np.isnan(value):
        return Estimate(None, None, None, n, count, figure.reason)
    if count < 2:
        return Estimate(value, None, None, n, count, ONE_REFERENCE)
    if count < SMALL_CLUSTER_COUNT or figure.asks_for_jackknife:
        low, high, reason = jackknife_t_interval(value, without_each(sums, total, figure), figure)
        method = JACKKNIFE_T
    else:
        low, high, reason = percentile_interval(bootstrap_values(sums, figure, draws, seed))
        method = BOOTSTRAP
    return Estimate(value, low, high, n, count, reason, "" if reason else method)


def bootstrap_values(sums: Any, figure: Figure, draws: int, seed: int) -> Floats:
    """Compute the figure on resamples of R references with replacement.

    Input: R x P sums, R >= 1. Output: `draws` values, NaN where undefined.
    Source: Efron, 1979; resampling whole clusters: Field and Welsh, 2007.
    """
    blocks = bootstrap_weights(int(sums.shape[0]), draws, seed)
    return np.concatenate([figure.of_sums(np.asarray(weights @ sums)) for weights in blocks])


def bootstrap_weights(count: int, draws: int, seed: int) -> Iterator[Floats]:
    """Draw how often each of R references stands in a resample. Output: blocks of W x R numbers.

    All blocks together have `draws` rows of whole numbers >= 0 that sum to R.
    """
    random = np.random.default_rng(seed)
    for start in range(0, draws, BLOCK):
        size = min(BLOCK, draws - start)
        drawn = random.integers(count, size=(size, count))
        drawn += count * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count).astype(float)


def without_each(sums: Any, total: Floats, figure: Figure) -> Floats:
    """Compute the figure without each reference in turn. Output: R values, NaN where undefined."""
    values = []
    for start in range(0, int(sums.shape[0]), BLOCK):
        rows = sums[start : start + BLOCK]
        values.append(
            figure.of_sums(total - (rows if isinstance(rows, np.ndarray) else rows.toarray()))
        )
    return np.concatenate(values)


def percentile_interval(values: Floats) -> tuple[float | None, float | None, str]:
    """The 2.5th and 97.5th percentile of a figure over resamples.

    Input: W values, NaN where undefined. Output: low, high and ""; or None, None and the reason
    when more than 5 % of the values are undefined or when all are equal. Source: Efron, 1979.
    """
    defined = values[~np.isnan(values)]
    if len(defined) < (1 - MAX_UNDEFINED_SHARE) * len(values):
        return None, None, UNDEFINED_RESAMPLES
    if np.ptp(defined) < NO_DIFFERENCE:
        return None, None, NO_SPREAD
    low, high = np.quantile(defined, [TAIL, 1 - TAIL])
    return float(low), float(high), ""


def jackknife_t_interval(
    value: float, values: Floats, figure: Figure
) -> tuple[float | None, float | None, str]:
    """Value +- t x jackknife standard error, cut at the ends of the figure's range.

    Input: the value on all items; R >= 2 values without each reference, NaN where undefined.
    Output: low, high and ""; or None, None and the reason when a value is undefined or when all
    are equal. Formula: variance = (R - 1) / R x sum of squared deviations from their mean, t at
    R - 1 degrees of freedom. Source: Tukey, 1958; few clusters: Cameron, Gelbach, Miller, 2008.
    """
    from scipy.special import stdtrit

    if np.isnan(values).any():
        return None, None, UNDEFINED_WITHOUT_ONE
    if np.ptp(values) < NO_DIFFERENCE:
        return None, None, NO_SPREAD
    count = len(values)
    variance = (count - 1) / count * np.square(values - values.mean()).sum()
    half = float(stdtrit(count - 1, 1 - TAIL)) * float(np.sqrt(variance))
    return max(figure.lowest, value - half), min(figure.highest, value + half), ""


def divide(numerator: Floats, denominator: Floats) -> Floats:
    """Divide element by element; where the denominator is 0 the result is NaN (undefined)."""
    result = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=result, where=np.asarray(denominator) != 0)
    return result
