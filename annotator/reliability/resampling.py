"""95 % intervals for any figure that follows from sums over references: bootstrap, jackknife t."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotator.reliability.estimates import BOOTSTRAP, JACKKNIFE_T, Estimate
from annotator.reliability.tables import Floats, Integers

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
