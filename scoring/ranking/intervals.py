"""Figures of several systems at once, each with its interval clustered by reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.agreement import resampling
from scoring.agreement.items import Floats
from scoring.agreement.resampled import no_figure
from scoring.agreement.resampling import Interval

# Resamples that are computed together, so that many systems take little memory.
AT_ONCE = 100

OfWeights = Callable[[Floats], Floats]
Range = tuple[float, float]
ANY: Range = (-np.inf, np.inf)


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """R >= 1 references, how many resamples of them to draw (>= 1), and the seed of the draw."""

    references: int
    resamples: int
    seed: int


def figures_of(
    of_weights: OfWeights, bootstrap: Bootstrap, ends: Range, reason: str
) -> list[dict[str, Any]]:
    """Compute K figures and the 95 % interval of each.

    Input: a function from W x R weights of references to W x K figures, NaN where undefined; the
    bootstrap; the ends of a figure's range; why a figure is undefined, if it is.
    Output: K times `value`, `low`, `high`, JSON-ready, with a `reason` where one is None: jackknife
    t below 40 references, else percentiles of the bootstrap.
    """
    references = bootstrap.references
    values = of_weights(np.ones((1, references)))[0]
    if resampling.interval_method(references) == "bootstrap":
        weights = resampling.bootstrap_weights(references, bootstrap.resamples, bootstrap.seed)
        drawn = np.concatenate(
            [
                of_weights(weights[first : first + AT_ONCE].astype(np.float64))
                for first in range(0, bootstrap.resamples, AT_ONCE)
            ]
        )
        intervals = [resampling.percentile_interval(column, references) for column in drawn.T]
    else:
        without = of_weights(1 - np.eye(references))
        intervals = [
            resampling.jackknife_t_interval(float(value), column, *ends)
            for value, column in zip(values, without.T, strict=True)
        ]
    pairs = zip(values.tolist(), intervals, strict=True)
    return [_figure(value, interval, reason) for value, interval in pairs]


def _figure(value: float, interval: Interval, reason: str) -> dict[str, Any]:
    if np.isnan(value):
        return no_figure(reason)
    figure = {"value": value, "low": interval.low, "high": interval.high}
    return figure | ({"reason": interval.reason} if interval.reason else {})
