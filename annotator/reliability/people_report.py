"""All figures of each annotator on one criterion, as plain data: severity, drift, the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotator.reliability.against_others import against_others
from annotator.reliability.drift import Drift, drift
from annotator.reliability.plain import Plain, plain_estimate, scaled
from annotator.reliability.resampling import DRAWS
from annotator.reliability.self_consistency import self_consistency
from annotator.reliability.severity import Severity, SeverityReport, severities
from annotator.reliability.tables import Repeat, Table

# Two-sided 95 % of the standard normal distribution.
NORMAL = 1.959963984540054
MOST_ITEMS = 20
LEAST_CHANGE = 0.05


def severity_report(table: Table, unit: int = 1) -> Plain:
    """Fit severities and say what they change.

    Input: a table; units a point. Output, in points: `people` (a list, sorted as the columns:
    annotator, n of shared ratings, ratings in all, raw_mean, severity with low and high = severity
    -+ 1.96 standard errors, adjusted_mean = raw_mean + severity, misfit, reason), `groups` (number
    of groups of linked annotators), `warning`, `residual_sd`, `items` (the MOST_ITEMS whose mean
    moves most, by LEAST_CHANGE or more: item, raw, adjusted, n). Formula and source: severities().
    """
    found = severities(table)
    return {
        "people": [_person(table, one, unit) for one in found.severities],
        "groups": len(found.components),
        "warning": found.warning,
        "residual_sd": scaled(found.residual_sd, unit),
        "items": _moved(found, unit),
    }


def drift_report(table: Table, positions: Table, unit: int = 1) -> list[Plain]:
    """Return the drift of each annotator in points per 100 ratings, with low and high.

    Input: as drift(); units a point. Output: annotator, n, per_100, low, high, reason; the interval
    is -+ 1.96 standard errors.
    """
    return [_drifting(one, unit) for one in drift(table, positions)]


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


def _person(table: Table, found: Severity, unit: int) -> Plain:
    own = table.values[:, table.annotators.index(found.annotator)]
    mean = float(np.nanmean(own)) / unit
    value = scaled(found.value, unit)
    low, high = _interval(value, scaled(found.standard_error, unit))
    return {
        "annotator": found.annotator,
        "n": found.n,
        "ratings": int(np.count_nonzero(~np.isnan(own))),
        "raw_mean": mean,
        "severity": value,
        "low": low,
        "high": high,
        "adjusted_mean": None if value is None else mean + value,
        "misfit": found.misfit,
        "reason": found.reason,
    }


def _drifting(found: Drift, unit: int) -> Plain:
    value = scaled(found.per_100, unit)
    low, high = _interval(value, scaled(found.standard_error, unit))
    return {
        "annotator": found.annotator,
        "n": found.n,
        "per_100": value,
        "low": low,
        "high": high,
        "reason": found.reason,
    }


def _interval(value: float | None, error: float | None) -> tuple[float | None, float | None]:
    if value is None or error is None:
        return None, None
    return value - NORMAL * error, value + NORMAL * error


def _moved(found: SeverityReport, unit: int) -> list[Plain]:
    known = [(one, one.adjusted) for one in found.scores if one.adjusted is not None]
    known.sort(key=lambda pair: (-abs(pair[1] - pair[0].raw), pair[0].item))
    return [
        {"item": one.item, "raw": one.raw / unit, "adjusted": adjusted / unit, "n": one.n}
        for one, adjusted in known[:MOST_ITEMS]
        if abs(adjusted - one.raw) >= LEAST_CHANGE * unit
    ]
