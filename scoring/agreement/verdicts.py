"""What a test of two scorers lets one say: Holm's correction, the verdict, and its sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from scoring.agreement.items import AgreementError, Floats

ALPHA: Final = 0.05

BETTER: Final = "better"
WORSE: Final = "worse"
CANNOT_TELL: Final = "cannot tell"

NO_SCORERS: Final = "No scorer could be measured, so none is marked as best."
ONE_SCORER: Final = "Only one scorer was measured, so there is none to compare it with."


def holm(p_values: Sequence[float] | Floats) -> Floats:
    """Adjust the p-values of one family of tests, so that alpha holds for all of them together.

    Input: m numbers in [0, 1]; NaN stands for a test that could not be made and is left out.
    Output: m numbers in [0, 1], each at least its p-value, NaN where the input is.
    Formula: the i-th smallest p times (m - i + 1), at most 1, never below an earlier one.
    Source: Holm, 1979.
    """
    given = np.asarray(p_values, dtype=np.float64).ravel()
    if ((given < 0) | (given > 1)).any():
        raise AgreementError("A p-value must lie between 0 and 1.")
    adjusted = np.full(len(given), np.nan)
    tested = np.flatnonzero(~np.isnan(given))
    order = tested[np.argsort(given[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(given[order] * factors))
    return adjusted


def verdict(difference: float, p_holm: float, alpha: float = ALPHA) -> str:
    """Say whether the first of two scorers is better, worse, or whether nobody can tell.

    Input: its tau-b less the other's; the adjusted p-value; either may be NaN.
    Output: "better", "worse" or "cannot tell"; only p_holm < alpha allows the first two.
    """
    if not p_holm < alpha or not abs(difference) > 0:
        return CANNOT_TELL
    return BETTER if difference > 0 else WORSE


def verdict_sentence(pair: Mapping[str, Any], names: Mapping[str, str], tests: int) -> str:
    """Say in words how two scorers compare.

    Input: first, second, difference, low, high, p_holm and verdict of a pair with a difference;
    what the scorers are called; the number of tests of the family. Output: one or two sentences.
    """
    first, second = (names.get(pair[key], pair[key]) for key in ("first", "second"))
    over = f"adjusted over {tests} tests" if tests > 1 else "one test"
    figures = f"{_interval_words(pair)}; {_p_words(pair['p_holm'])}, {over}"
    if pair["verdict"] == CANNOT_TELL:
        said = f"We cannot tell {first} and {second} apart"
    else:
        said = f"{first} agrees {pair['verdict']} with people than {second}"
    return f"{said}: {figures}.{_interval_caution(pair)}"


def best_of(names: Sequence[str], pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """The scorer that is better than every other one. Output: its name alone, or no name.

    Input: the scorers' names, and every pair of them with its verdict.
    """
    beaten: dict[str, set[str]] = {name: set() for name in names}
    for pair in pairs:
        if pair["verdict"] == BETTER:
            beaten[pair["first"]].add(pair["second"])
        elif pair["verdict"] == WORSE:
            beaten[pair["second"]].add(pair["first"])
    if len(names) < 2:
        return []
    return [name for name in names if len(beaten[name]) == len(names) - 1]


def best_sentence(
    best: Sequence[str], measured: Sequence[str], names: Mapping[str, str], alpha: float = ALPHA
) -> str:
    """Say which scorer is best, or why none is marked.

    Input: best_of(); the scorers with a value, the highest first; what they are called.
    """
    if best:
        return (
            f"{names.get(best[0], best[0])} agrees better with people than every other scorer here "
            f"(each difference at p < {alpha:g} after Holm's correction)."
        )
    if len(measured) < 2:
        return ONE_SCORER if measured else NO_SCORERS
    return (
        f"No scorer is marked as best: {names.get(measured[0], measured[0])} has the highest "
        "tau-b, but is not shown to be better than every other scorer."
    )


def _interval_words(pair: Mapping[str, Any]) -> str:
    difference = f"a difference in tau-b of {pair['difference']:+.3f}"
    if pair["low"] is None:
        return f"{difference}, without an interval"
    return f"{difference}, 95 % interval {pair['low']:+.3f} to {pair['high']:+.3f}"


def _p_words(p_value: float) -> str:
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def _interval_caution(pair: Mapping[str, Any]) -> str:
    """Say so where the interval and the test point to different answers."""
    if pair["low"] is None:
        return ""
    includes_zero = pair["low"] <= 0 <= pair["high"]
    if pair["verdict"] != CANNOT_TELL and includes_zero:
        return " The interval includes 0, so take this with care."
    if pair["verdict"] == CANNOT_TELL and not includes_zero:
        return " The interval alone leaves 0 out; the test does not."
    return ""
