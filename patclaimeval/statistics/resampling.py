"""95 % intervals that respect that items of one reference belong together: bootstrap, jackknife t.

They hold for any figure that follows from sums over references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patclaimeval.statistics.tables import NOT_COMPUTED, Estimate, Floats, Integers

DRAWS = 2_000
SMALL_CLUSTER_COUNT = 1_000
MAX_UNDEFINED_SHARE = 0.05
TAIL = 0.025
# The same share as reports on scorers have computed it: the last digit of their lower bounds.
ROUNDED_TAIL = (1 - 0.95) / 2
# Draws whose figures are computed at once, so that memory stays small with many references.
BLOCK = 200
# Blocks of so many numbers stay in the processor's cache: larger ones take twice the time.
CELLS_AT_ONCE = 32_000
# Differences below this are rounding, not spread.
NO_DIFFERENCE = 1e-12

BOOTSTRAP = "bootstrap"
JACKKNIFE_T = "jackknife-t"

ONE_REFERENCE = "All items belong to one reference; an interval needs two or more."
NO_RESAMPLES = "No resamples were drawn, so there is no bootstrap interval."
NO_SPREAD = "Every resample gives the same value, so the spread cannot be estimated."
UNDEFINED_RESAMPLES = "The value is undefined in too many resamples to give an interval."
UNDEFINED_WITHOUT_ONE = "The value is undefined without one of the references."
NO_BOUNDS = "The spread between references could not be computed."


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds of a 95 % interval, or None twice with a plain reason."""

    low: float | None
    high: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as a function of sums: it maps W x P sums to W values, NaN where undefined.

    `reason` is why it is undefined on all items; `lowest` and `highest` end its range. A mean of
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
    same numbers. Method and source: see interval_method().
    """
    count = int(sums.shape[0])
    total = np.asarray(sums.sum(axis=0), dtype=np.float64).reshape(1, -1)
    value = float(figure.of_sums(total)[0]) if count else np.nan
    if not np.isfinite(value):
        return Estimate(None, None, None, n, count, figure.reason or NOT_COMPUTED)
    if count < 2:
        return Estimate(value, None, None, n, count, ONE_REFERENCE)
    method = JACKKNIFE_T if figure.asks_for_jackknife else interval_method(count)
    if method == JACKKNIFE_T:
        without = without_each(sums, total, figure)
        found = jackknife_t_interval(value, without, figure.lowest, figure.highest)
    else:
        found = percentile_interval(bootstrap_values(sums, figure, draws, seed), count, TAIL)
    if found.reason:
        return Estimate(value, None, None, n, count, found.reason)
    return Estimate(value, found.low, found.high, n, count, "", method)


def interval_method(cluster_count: int) -> str:
    """Name the interval that is given first for a number of references.

    Below 1,000 the jackknife t, which covers the true value as often as the bootstrap or more often
    (measured up to 200 references: benchmarks/RESULTS.md); from there on percentiles of the
    bootstrap, which then takes fewer computations. Source: as the two functions below.
    """
    return JACKKNIFE_T if cluster_count < SMALL_CLUSTER_COUNT else BOOTSTRAP


def bootstrap_values(sums: Any, figure: Figure, draws: int, seed: int) -> Floats:
    """Compute a figure on resamples of R references with replacement.

    Input: R x P sums, R >= 1. Output: `draws` values, NaN where undefined.
    Source: Efron, 1979; resampling whole clusters: Field and Welsh, 2007.
    """
    weights = bootstrap_weights(int(sums.shape[0]), draws, seed)
    drawn = (weights[at : at + BLOCK].astype(np.float64) for at in range(0, draws, BLOCK))
    return np.concatenate([figure.of_sums(np.asarray(block @ sums)) for block in drawn])


def bootstrap_weights(cluster_count: int, resamples: int, seed: int) -> NDArray[np.int16]:
    """Draw resamples of references with replacement, as numbers of times each one is drawn.

    Input: R >= 1 references, W >= 0 resamples, a whole seed >= 0.
    Output: a W x R array of whole numbers >= 0; each row sums to R. The same seed gives the same
    array, so that all scorers are compared on the same resamples. It takes 2 W R bytes: no
    reference is ever drawn as often as an int16 can count.
    """
    generator = np.random.default_rng(seed)
    weights = np.empty((resamples, cluster_count), dtype=np.int16)
    for rows in blocks(resamples, cluster_count):
        block = weights[rows]
        draws = generator.integers(0, cluster_count, block.shape)
        draws += cluster_count * np.arange(len(block))[:, None]
        block[:] = np.bincount(draws.ravel(), minlength=block.size).reshape(block.shape)
    return weights


def weighted_sums(weights: NDArray[np.int16], sums: Floats) -> Floats:
    """Add up what references hold, once for each resample.

    Input: a W x R array of whole numbers >= 0, and R x k sums. Output: W x k sums.
    """
    drawn = np.empty((len(weights), sums.shape[1]))
    for rows in blocks(*weights.shape):
        drawn[rows] = weights[rows].astype(np.float64) @ sums
    return drawn


def blocks(resamples: int, width: int) -> Iterator[slice]:
    """Divide W resamples into blocks of rows that are computed together.

    Input: W >= 0, and how many numbers each of them needs. Output: slices that cover 0..W-1.
    """
    step = max(1, CELLS_AT_ONCE // max(1, width))
    for first in range(0, resamples, step):
        yield slice(first, first + step)


def without_each(sums: Any, total: Floats, figure: Figure) -> Floats:
    """Compute a figure without each reference in turn. Output: R values, NaN where undefined."""
    values = []
    for start in range(0, int(sums.shape[0]), BLOCK):
        rows = sums[start : start + BLOCK]
        values.append(
            figure.of_sums(total - (rows if isinstance(rows, np.ndarray) else rows.toarray()))
        )
    return np.concatenate(values)


def percentile_interval(values: Floats, cluster_count: int, tail: float = ROUNDED_TAIL) -> Interval:
    """The 2.5th and 97.5th percentile of a statistic over bootstrap resamples of references.

    Input: W values, NaN where the statistic is undefined in a resample; the number of references;
    the share of the values below the interval, TAIL in one of its two roundings.
    Output: the interval over the defined values; without bounds for one reference, when more than
    5 % of the values are undefined, or when all are equal.
    Source: Efron, 1979; resampling whole clusters: Field and Welsh, 2007.
    Too narrow for few references: of simulated samples (benchmarks/RESULTS.md) it contains the
    true tau-b in 93 to 95 % from 40 references on, but in 79 to 85 % at 5.
    """
    if cluster_count < 2:
        return Interval(None, None, ONE_REFERENCE)
    if not len(values):
        return Interval(None, None, NO_RESAMPLES)
    defined = values[np.isfinite(values)]
    if len(defined) < (1 - MAX_UNDEFINED_SHARE) * len(values):
        return Interval(None, None, UNDEFINED_RESAMPLES)
    if np.ptp(defined) < NO_DIFFERENCE:
        return Interval(None, None, NO_SPREAD)
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high))


def jackknife_variance(leave_one_out: Floats) -> float:
    """Variance of a statistic from its values without each of k units in turn.

    Input: k >= 2 values. Output: a number >= 0, NaN where a value is undefined.
    Formula: (k - 1) / k x sum of squared deviations from their mean. Source: Tukey, 1958.
    """
    k = len(leave_one_out)
    return float((k - 1) / k * np.square(leave_one_out - leave_one_out.mean()).sum())


def jackknife_t_interval(
    value: float, leave_one_out: Floats, lowest: float, highest: float = 1.0
) -> Interval:
    """Value +- t x jackknife standard error over R references, cut at the statistic's range.

    Input: the value, its R values without each reference (NaN = undefined), the range's ends.
    Output: the interval with t at R - 1 degrees of freedom; without bounds for one reference,
    where a value is undefined, or when all are equal.
    Source: Tukey, 1958; for few clusters: Cameron, Gelbach and Miller, 2008.
    Of simulated samples it holds the true tau-b in 92 to 97 %, from 5 references on. Where
    references differ much, in their number of items and in how well the scorer does on them, it
    is too narrow too: 87 % at 5, 90 % at 10, 93 % at 20 references; the bootstrap is worse there.
    """
    count = len(leave_one_out)
    if count < 2:
        return Interval(None, None, ONE_REFERENCE)
    if not np.isfinite(leave_one_out).all():
        return Interval(None, None, UNDEFINED_WITHOUT_ONE)
    if np.ptp(leave_one_out) < NO_DIFFERENCE:
        return Interval(None, None, NO_SPREAD)
    half = t_quantile(count - 1) * np.sqrt(jackknife_variance(leave_one_out))
    if not np.isfinite(half):
        return Interval(None, None, NO_BOUNDS)
    return Interval(float(max(lowest, value - half)), float(min(highest, value + half)))


def t_quantile(degrees: int) -> float:
    """The 97.5 % point of Student's t. Input: degrees of freedom >= 1. Output: a number > 1.9."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 1 - TAIL))


def divide(numerator: Floats, denominator: Floats) -> Floats:
    """Divide element by element; where the denominator is 0 the result is NaN (undefined)."""
    result = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=result, where=np.asarray(denominator) != 0)
    return result
