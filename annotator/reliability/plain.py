"""Figures as plain lists and dictionaries, in points, ready to be stored as JSON."""

from __future__ import annotations

from annotator.reliability.estimates import Estimate

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
