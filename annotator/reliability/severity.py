"""How severe each annotator is on one criterion: an additive fit of shared items, and its links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from patclaimeval.statistics.tables import NOT_COMPUTED, Floats, Integers, Plain, Table, scaled

# Rest of this share of the spread is rounding of a perfect fit.
PERFECT = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class AdditiveFit:
    """The fit  score = item effect + annotator effect + residual  of an I x J table.

    `unit_covariance` x residual variance is the covariance of the J annotator effects;
    `residuals` and `leverages` are I x J, NaN in gaps; `residual_sd` is None without degrees of
    freedom.
    """

    effects: Floats
    item_effects: Floats
    unit_covariance: Floats
    residuals: Floats
    leverages: Floats
    residual_sd: float | None


def fit_additive(table: Table) -> AdditiveFit:
    """Fit item and annotator effects; the latter sum to 0 within each group of linked annotators.

    Input: a table of I x J scores with gaps; items without a score get NaN as their effect.
    Output: effects in points and what is needed to judge them.
    Formula: with the items swept out, L b = r; L = diag(scores an annotator) - sum over items of
    z z' / m (z marks the annotators of an item with m scores), r = sums of deviations from item
    means. The pseudo-inverse of L gives the solution that sums to 0 within groups, and its
    covariance over the residual variance, which has N - I - J + groups degrees of freedom. The
    leverage of a score is its variance of fit over the residual variance. What cannot be computed
    is NaN, or None in `residual_sd`.
    Source: Searle, 1987, chapter 4; the matrix L is a graph Laplacian.
    """
    rated = table.is_rated.astype(np.float64)
    counts = rated.sum(axis=1)
    weights = rated / np.maximum(counts, 1)[:, None]
    means = np.nansum(table.values, axis=1) / np.where(counts > 0, counts, np.nan)
    deviations = np.where(table.is_rated, table.values - means[:, None], 0.0)
    laplacian = np.diag(rated.sum(axis=0)) - rated.T @ weights
    groups = component_numbers(table)
    inverse = invert_within_groups(laplacian, groups)
    effects = inverse @ deviations.sum(axis=0)
    item_effects = means - weights @ effects
    fitted = item_effects[:, None] + effects[None, :]
    residuals = np.where(table.is_rated, table.values - fitted, np.nan)
    rank = len(groups) - len(np.unique(groups))
    freedom = int(rated.sum()) - int((counts > 0).sum()) - rank
    is_solved = bool(np.isfinite(effects).all())
    sd = residual_sd(residuals, deviations, freedom) if is_solved else None
    # Of a score: 1 / m + (e - z / m)' inverse (e - z / m), e its annotator.
    carried = weights @ inverse
    of_item = (carried * weights).sum(axis=1)[:, None]
    own = np.diag(inverse)[None, :] - 2 * carried + of_item
    leverages = np.where(table.is_rated, 1 / np.maximum(counts, 1)[:, None] + own, np.nan)
    return AdditiveFit(effects, item_effects, inverse, residuals, leverages, sd)


def invert_within_groups(laplacian: Floats, groups: Integers) -> Floats:
    """Return the pseudo-inverse of a graph Laplacian whose connected groups are known.

    Input: J x J, and J group numbers. Output: J x J, NaN throughout where it cannot be computed.
    Formula: (L + c P)^-1 - P / c; P takes the mean within each group, which is exactly what L maps
    to 0, and c > 0 gives P the scale of L. No cut-off has to tell a small eigenvalue from rounding,
    which grows with the number of items.
    """
    is_same = groups[:, None] == groups[None, :]
    projection = is_same / np.maximum(is_same.sum(axis=1), 1)
    scale = max(1.0, float(np.max(np.diag(laplacian), initial=0.0)))
    try:
        inverse: Floats = np.linalg.inv(laplacian + scale * projection) - projection / scale
    except np.linalg.LinAlgError:
        return np.full_like(laplacian, np.nan)
    return inverse


def residual_sd(residuals: Floats, deviations: Floats, freedom: int) -> float | None:
    """Root of the residual variance; 0 where only rounding is left, None without freedom.

    Input: residuals with NaN in gaps, deviations from item means, degrees of freedom.
    """
    if freedom < 1:
        return None
    rest, spread = np.nansum(np.square(residuals)), np.square(deviations).sum()
    return 0.0 if rest <= PERFECT * spread else float(np.sqrt(rest / freedom))


def component_numbers(table: Table) -> Integers:
    """Number the groups of annotators who are linked by items that several of them rated.

    Input: a table. Output: J numbers, equal where a chain of shared items leads from one annotator
    to the other. Source: Searle, 1987, Linear models for unbalanced data (connected designs).
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rated = csr_array(table.is_rated.astype(np.int32))
    _, numbers = connected_components((rated.T @ rated).tocsr(), directed=False)
    return np.asarray(numbers, dtype=np.int64)


UNCONNECTED = (
    "The annotators fall into {groups} groups that share no item with each other. Severities and "
    "adjusted scores can be compared within a group only; let annotators of different groups rate "
    "some of the same items."
)
UNLINKED = (
    "This annotator shares no item with another, so strictness cannot be separated from the items."
)
NO_ERROR = "There are too few shared ratings for an interval of the severity."
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
    """Severities, scores, and how many groups of linked annotators with scores there are."""

    severities: tuple[Severity, ...]
    scores: tuple[AdjustedScore, ...]
    groups: int
    residual_sd: float | None

    @property
    def warning(self) -> str:
        """The sentence that a page shows when annotators are not all linked, else ""."""
        return UNCONNECTED.format(groups=self.groups) if self.groups > 1 else ""


def severities(table: Table) -> SeverityReport:
    """Fit  score = item - severity of the annotator + rest  by least squares.

    Input: a table, gaps allowed. Output: severities in points, which sum to 0 within each group of
    linked annotators (that makes them unique; between groups they mean nothing), their standard
    errors, misfits; each rated item's mean score and its fitted item effect. Severity and what
    follows are None, with the reason, for an annotator who shares no item with another, and where
    the fit could not be computed.
    Formula: see fit_additive(); misfit = sqrt(sum of squared residuals of the annotator
    / their expected sum). Source: Linacre, 1989 (severity and fit, there in logits); Searle, 1987.
    """
    fit = fit_additive(table)
    numbers = component_numbers(table)
    is_linked = np.bincount(numbers)[numbers] > 1 if len(numbers) else np.zeros(0, dtype=bool)
    columns = np.flatnonzero(table.is_rated.any(axis=0))
    people = tuple(
        _severity(table, fit, column, bool(is_linked[column])) for column in columns.tolist()
    )
    scores = _adjusted_scores(table, fit, is_linked)
    return SeverityReport(people, scores, len(set(numbers[columns].tolist())), fit.residual_sd)


def _severity(table: Table, fit: AdditiveFit, column: int, is_linked: bool) -> Severity:
    name = table.annotators[column]
    n = int((table.is_rated[:, column] & (table.counts >= 2)).sum())
    if not is_linked:
        return Severity(name, None, None, None, n, UNLINKED)
    value = -float(fit.effects[column])
    if not np.isfinite(value):
        return Severity(name, None, None, None, n, NOT_COMPUTED)
    if not fit.residual_sd:
        return Severity(name, value, None, None, n, NO_REST if fit.residual_sd == 0 else NO_ERROR)
    error = fit.residual_sd * float(np.sqrt(fit.unit_covariance[column, column]))
    expected = np.nansum(1 - fit.leverages[:, column])
    if expected < NO_FREEDOM:
        return Severity(name, value, error, None, n, NO_MISFIT)
    rest = np.nansum(np.square(fit.residuals[:, column]))
    return Severity(name, value, error, float(np.sqrt(rest / expected)) / fit.residual_sd, n)


def _adjusted_scores(
    table: Table, fit: AdditiveFit, is_linked: np.ndarray
) -> tuple[AdjustedScore, ...]:
    # All annotators of one item are linked or it has only one.
    is_known = (table.is_rated & is_linked).any(axis=1) & np.isfinite(fit.item_effects)
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


# Two-sided 95 % of the standard normal distribution.
NORMAL = 1.959963984540054
MOST_ITEMS = 20
LEAST_CHANGE = 0.05


def severity_report(table: Table, unit: int = 1) -> Plain:
    """Fit severities and return what they change.

    Input: a table; units a point. Output, in points: `people` (a list, sorted as the columns:
    annotator, n of shared ratings, ratings in all, raw_mean, severity with low and high = severity
    -+ 1.96 standard errors, adjusted_mean = raw_mean + severity, misfit, reason), `groups` (number
    of groups of linked annotators), `warning`, `residual_sd`, `items` (the MOST_ITEMS whose mean
    moves most, by LEAST_CHANGE or more: item, raw, adjusted, n). Formula and source: severities().
    """
    found = severities(table)
    return {
        "people": [_person(table, one, unit) for one in found.severities],
        "groups": found.groups,
        "warning": found.warning,
        "residual_sd": scaled(found.residual_sd, unit),
        "items": _moved(found, unit),
    }


def _person(table: Table, found: Severity, unit: int) -> Plain:
    own = table.values[:, table.annotators.index(found.annotator)]
    mean = float(np.nanmean(own)) / unit
    value = scaled(found.value, unit)
    low, high = normal_interval(value, scaled(found.standard_error, unit))
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


def normal_interval(value: float | None, error: float | None) -> tuple[float | None, float | None]:
    """Return the 95 % interval of an estimate with a standard error; None twice without either."""
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
