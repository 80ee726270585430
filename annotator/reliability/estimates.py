"""A measured number with its interval, its n, and a reason where either is undefined."""

from __future__ import annotations

from dataclasses import dataclass

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
