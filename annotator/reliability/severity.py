"""How strict each annotator is, what the scores would be without it, and who fits the pattern."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from annotator.reliability.connectedness import component_numbers, components, connection_warning
from annotator.reliability.least_squares import AdditiveFit, fit_additive
from annotator.reliability.tables import ReliabilityError, Table

UNLINKED = (
    "This annotator shares no item with another, so strictness cannot be told from the items."
)
NO_ERROR = "There are too few shared ratings to say how sure the severity is."
NO_REST = "The scores fit without any rest, so nothing says how sure the severity is."
NO_MISFIT = "The fit follows this annotator's ratings exactly, so there is no rest to judge."
NO_FREEDOM = 1e-9


@dataclass(frozen=True, slots=True)
class Severity:
    """An annotator's strictness in points: above 0 means lower scores than the group's mean.

    `misfit` is the spread of this annotator's residuals over that of all (1 = as expected); `n` the
    ratings of items that another annotator rated too.
    """

    annotator: str
    value: float | None
    standard_error: float | None
    misfit: float | None
    n: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AdjustedScore:
    """An item's mean score as given, and as it would be from annotators of average strictness."""

    item: str
    raw: float
    adjusted: float | None
    n: int


@dataclass(frozen=True, slots=True)
class SeverityReport:
    """Severities, scores, the groups of linked annotators, and a warning or ""."""

    severities: tuple[Severity, ...]
    scores: tuple[AdjustedScore, ...]
    components: tuple[tuple[str, ...], ...]
    warning: str
    residual_sd: float | None

    @property
    def is_connected(self) -> bool:
        return len(self.components) <= 1


@dataclass(frozen=True, slots=True)
class CriterionSeverities:
    """Severity over all criteria, and for each criterion how far the annotator departs from it."""

    overall: SeverityReport
    departures: dict[str, tuple[Severity, ...]]


def severities(table: Table) -> SeverityReport:
    """Fit  score = item - severity of the annotator + rest  by least squares.

    Input: a table, gaps allowed. Output: severities in points, which sum to 0 within each group of
    linked annotators (that makes them unique; between groups they say nothing), their standard
    errors, misfits; each rated item's mean score and its fitted item effect. Severity and what
    follows are None, with the reason, for an annotator who shares no item with another.
    Formula: see least_squares.fit_additive; misfit = sqrt(sum of squared residuals of the annotator
    / their expected sum). Source: Linacre, 1989 (severity and fit, there in logits); Searle, 1987.
    """
    fit = fit_additive(table)
    groups = component_numbers(table)
    is_linked = np.bincount(groups)[groups] > 1 if len(groups) else np.zeros(0, dtype=bool)
    rated = table.is_rated
    people = tuple(
        _severity(table, fit, column, bool(is_linked[column]))
        for column in np.flatnonzero(rated.any(axis=0)).tolist()
    )
    return SeverityReport(
        people,
        _adjusted_scores(table, fit, is_linked),
        components(table),
        connection_warning(table),
        fit.residual_sd,
    )


def severities_by_criterion(tables: Mapping[str, Table]) -> CriterionSeverities:
    """Fit  score = item x criterion - severity - departure of annotator in criterion + rest.

    Input: one table a criterion with the same items, annotators and gaps. Output: the severities of
    the mean over criteria, and the severities of each criterion's distance from that mean; the
    departures of one annotator sum to 0. As every rating holds all criteria, this is the joint
    fit, with standard errors that allow for criteria of one rating going together.
    Raises ReliabilityError without tables or when their cells differ. Source: as severities().
    """
    if not tables:
        raise ReliabilityError("There must be at least one criterion.")
    first, *others = tables.values()
    for other in others:
        same_names = other.items == first.items and other.annotators == first.annotators
        if not same_names or not np.array_equal(other.is_rated, first.is_rated):
            raise ReliabilityError("Every rating must hold a score for each criterion.")
    mean = np.mean([table.values for table in tables.values()], axis=0)
    departures = {
        criterion: severities(_with_values(table, table.values - mean)).severities
        for criterion, table in tables.items()
    }
    return CriterionSeverities(severities(_with_values(first, mean)), departures)


def _with_values(table: Table, values: np.ndarray) -> Table:
    return Table(values, table.clusters, table.items, table.annotators)


def _severity(table: Table, fit: AdditiveFit, column: int, is_linked: bool) -> Severity:
    name = table.annotators[column]
    n = int((table.is_rated[:, column] & (table.counts >= 2)).sum())
    if not is_linked:
        return Severity(name, None, None, None, n, UNLINKED)
    value = -float(fit.effects[column])
    if fit.residual_sd is None:
        return Severity(name, value, None, None, n, NO_ERROR)
    if fit.residual_sd == 0:
        return Severity(name, value, None, None, n, NO_REST)
    error = fit.residual_sd * float(np.sqrt(fit.unit_covariance[column, column]))
    rest = np.nansum(np.square(fit.residuals[:, column]))
    expected = np.nansum(1 - fit.leverages[:, column])
    if expected < NO_FREEDOM:
        return Severity(name, value, error, None, n, NO_MISFIT)
    return Severity(name, value, error, float(np.sqrt(rest / expected)) / fit.residual_sd, n)


def _adjusted_scores(
    table: Table, fit: AdditiveFit, is_linked: np.ndarray
) -> tuple[AdjustedScore, ...]:
    # All annotators of one item are linked or it has only one.
    is_known = (table.is_rated & is_linked).any(axis=1)
    counts = table.counts
    raw = np.nansum(table.values, axis=1) / np.maximum(counts, 1)
    return tuple(
        AdjustedScore(
            table.items[row],
            float(raw[row]),
            float(fit.item_effects[row]) if is_known[row] else None,
            int(counts[row]),
        )
        for row in np.flatnonzero(counts).tolist()
    )
