"""How many annotators an item needs, and how reliable their mean will be."""

from __future__ import annotations

import math

from annotator.reliability.components import Components
from annotator.reliability.tables import ReliabilityError

# Guards a whole number against being rounded up to the next one.
ROUNDING = 1e-9


def standard_error_of_mean(
    components: Components, annotators: float, is_shared: bool = False
) -> float:
    """Standard error of an item's mean score over k annotators.

    Input: the variance components; k > 0; whether the same annotators rate all items and only
    differences between items matter, so that their strictness cancels. Output: points >= 0.
    Components estimated below 0 count as 0. Raises ReliabilityError for k <= 0.
    Formula: sqrt((annotators + residual) / k), without `annotators` when they are shared.
    Source: Brennan, 2001, Generalizability theory (absolute and relative error).
    """
    if annotators <= 0:
        raise ReliabilityError("The number of annotators must be above 0.")
    return math.sqrt(_error_variance(components, is_shared) / annotators)


def annotators_needed(
    components: Components, standard_error: float, is_shared: bool = False
) -> int:
    """Fewest annotators an item needs for a wanted standard error of its mean.

    Input: the variance components; the standard error > 0 in points; `is_shared` as above. Output:
    a whole number >= 1. Raises ReliabilityError for a standard error <= 0.
    Formula: (annotators + residual) / standard error^2, rounded up. Source: Brennan, 2001.
    """
    if standard_error <= 0:
        raise ReliabilityError("The wanted standard error must be above 0.")
    wanted = _error_variance(components, is_shared) / standard_error**2
    return max(1, math.ceil(wanted - ROUNDING * max(1.0, wanted)))


def expected_icc(single: float, annotators: float) -> float | None:
    """ICC(2,k) to expect of the mean of k annotators from ICC(2,1).

    Input: an ICC(2,1) <= 1; k > 0. Output: a number <= 1, or None where an ICC(2,1) below 0 leaves
    no variance for the formula. Raises ReliabilityError for k <= 0 or an ICC above 1.
    Formula: k r / (1 + (k - 1) r). Source: Spearman, 1910; Brown, 1910.
    """
    if annotators <= 0:
        raise ReliabilityError("The number of annotators must be above 0.")
    if single > 1:
        raise ReliabilityError("An ICC is at most 1.")
    variance = 1 + (annotators - 1) * single
    return annotators * single / variance if variance > 0 else None


def _error_variance(components: Components, is_shared: bool) -> float:
    annotators = 0.0 if is_shared else max(0.0, components.annotators)
    return annotators + max(0.0, components.residual)
