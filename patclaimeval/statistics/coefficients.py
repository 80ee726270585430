"""Agreement coefficients: raw agreement, kappa, alpha, AC2, ICC, and variance components."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from patclaimeval.statistics.resampling import DRAWS, Figure, divide, estimate, sums_by_cluster
from patclaimeval.statistics.tables import (
    ALL_SAME,
    NO_OVERLAP,
    NO_RATINGS,
    ONE_ANNOTATOR,
    Estimate,
    Floats,
    Integers,
    Pairs,
    ReliabilityError,
    Table,
    rating_pairs,
    shared_items,
    undefined,
)

Level = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, slots=True)
class Coincidences:
    """Observed coincidences as R x P sums: column p holds both orders of values low[p], high[p]."""

    sums: Any
    low: Integers
    high: Integers
    values: Floats


def krippendorff_alpha(table: Table, level: Level, draws: int = DRAWS, seed: int = 0) -> Estimate:
    """Krippendorff's alpha with its interval clustered by reference.

    Input: a table, any finite scores, gaps allowed; the level "nominal", "ordinal" or "interval";
    resamples and seed. Output: a number <= 1 (0 = as by chance, below 0 = systematic disagreement);
    `n` counts the items with two or more scores, the only ones used. Undefined, with the reason,
    without such items or when all their scores are equal.
    Formula: 1 - (N - 1) sum_{c<k} o_ck d_ck / sum_{c<k} n_c n_k d_ck, o_ck = coincidences of the
    values c and k, each pair of an item with m scores weighing 1 / (m - 1); n_c their margin,
    N their sum; d = 1, (r_c - r_k)^2 or (c - k)^2, r = mid-ranks of all N scores.
    Source: Krippendorff, 2011, Computing Krippendorff's alpha-reliability.
    """
    shared = shared_items(table)
    if not shared.items:
        return undefined(overlap_reason(table))
    found = coincidences(shared)
    figure = Figure(lambda sums: _alpha_of_sums(sums, found, level), ALL_SAME)
    return estimate(found.sums, figure, len(shared.items), draws, seed)


def overlap_reason(table: Table) -> str:
    """Return why a table gives no pair of scores on one item. Input: a table without such items."""
    annotators = int(table.is_rated.any(axis=0).sum())
    return (NO_RATINGS, ONE_ANNOTATOR)[annotators] if annotators < 2 else NO_OVERLAP


def coincidences(table: Table) -> Coincidences:
    """Count the coincidences of values, one row a reference.

    Input: a table whose items have two or more scores. Output: sparse R x P sums over the P pairs
    of values that occur, and the distinct values.
    """
    from scipy.sparse import csr_array

    pairs = rating_pairs(table)
    values, codes = np.unique(np.concatenate([pairs.first, pairs.second]), return_inverse=True)
    first, second = codes.reshape(2, -1)
    keys = np.minimum(first, second) * len(values) + np.maximum(first, second)
    kinds, kind = np.unique(keys, return_inverse=True)
    shape = (len(table.items), len(kinds))
    rows = csr_array((2 / (pairs.count - 1), (pairs.item, kind)), shape=shape)
    sums = sums_by_cluster(table.clusters, rows)
    return Coincidences(sums, kinds // len(values), kinds % len(values), values)


def _alpha_of_sums(sums: Floats, found: Coincidences, level: Level) -> Floats:
    """Alpha of W x P sums of coincidences. Output: W values, NaN where all scores are equal."""
    from scipy.sparse import csr_array

    places = np.arange(len(found.low))
    both = (np.concatenate([places, places]), np.concatenate([found.low, found.high]))
    halves = csr_array((np.full(2 * len(places), 0.5), both))
    margins = np.asarray(sums @ halves)
    count = margins.sum(axis=1)
    apart = found.low != found.high
    if level == "nominal":
        observed = sums[:, apart].sum(axis=1) / 2
        expected = (count**2 - np.square(margins).sum(axis=1)) / 2
    else:
        # Mid-ranks turn the ordinal metric into the interval one.
        ranks = np.cumsum(margins, axis=1) - margins / 2
        points = ranks if level == "ordinal" else found.values[None, :]
        squares = np.square(points[:, found.high] - points[:, found.low])
        observed = (sums * squares).sum(axis=1) / 2
        expected = _expected_squares(margins, points)
    ratio = divide((count - 1) * observed, expected)
    # One value in use: nothing is expected, whatever rounding leaves of it.
    return np.where(np.count_nonzero(margins, axis=1) < 2, np.nan, 1 - ratio)


def _expected_squares(margins: Floats, points: Floats) -> Floats:
    """Sum n_c n_k (x_c - x_k)^2 over c < k. Input: W x K margins and points. Output: W sums."""
    count = margins.sum(axis=1, keepdims=True)
    means = divide((margins * points).sum(axis=1, keepdims=True), count)
    spread: Floats = (count * margins * np.square(points - means)).sum(axis=1)
    return spread


@dataclass(frozen=True, slots=True)
class RawAgreement:
    """Share of equal pairs, share of pairs within a tolerance, mean absolute difference."""

    exact: Estimate
    within: Estimate
    mean_difference: Estimate


def raw_agreement(
    table: Table, within: float = 1, draws: int = DRAWS, seed: int = 0
) -> RawAgreement:
    """Compare the scores that different annotators gave to one item.

    Input: a table; the tolerance >= 0 in units of the scores (1 point of a criterion is 1, of an
    overall numerator 11); resamples and seed. Output: two shares in [0, 1] and a mean >= 0, in
    units of the scores; `n` counts the items with two or more scores. Undefined without them.
    Formula: mean over items of the mean over the item's pairs of scores, so that an item with many
    scores weighs no more than one with two (Fleiss, 1971, for the exact share).
    """
    shared = shared_items(table)
    if not shared.items:
        nothing = undefined(overlap_reason(table))
        return RawAgreement(nothing, nothing, nothing)
    pairs = rating_pairs(shared)

    def over_items(of_pairs: Callable[[Floats], Floats], highest: float) -> Estimate:
        per_item = item_means(shared, pairs, of_pairs(np.abs(pairs.first - pairs.second)))
        rows = np.column_stack([per_item, np.ones(len(per_item))])
        figure = Figure(lambda sums: divide(sums[:, 0], sums[:, 1]), "", 0.0, highest)
        sums = sums_by_cluster(shared.clusters, rows)
        return estimate(sums, figure, len(shared.items), draws, seed)

    return RawAgreement(
        over_items(lambda apart: (apart == 0).astype(float), 1.0),
        over_items(lambda apart: (apart <= within).astype(float), 1.0),
        over_items(lambda apart: apart, np.inf),
    )


def item_means(table: Table, pairs: Pairs, values: Floats) -> Floats:
    """Average a value of each pair over the pairs of its item.

    Input: I items with two or more scores each, their P pairs, P numbers. Output: I means.
    """
    weights = 2 / (pairs.count * (pairs.count - 1))
    sums = np.bincount(pairs.item, weights=weights * values, minlength=len(table.items))
    return sums.astype(np.float64)


Weights = Literal["identity", "ordinal", "quadratic"]


def gwet_ac2(
    table: Table,
    weights: Weights = "quadratic",
    highest: int = 10,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate:
    """Gwet's AC2 for many annotators and gaps; with "identity" weights it is AC1.

    Input: a table of whole scores 0..`highest`, the whole fixed scale of q = highest + 1 >= 2
    values (10 for a criterion, 110 for an overall numerator); resamples and seed. Output: a number
    <= 1; `n` counts the items with two or more scores. Undefined without such items. Where every
    score is the same, chance agreement is 0 and AC2 is 1 by its definition, without an interval.
    Raises ReliabilityError for a score off the scale.
    Formula: (pa - pe) / (1 - pe); pa = mean over items of the mean weight of the item's pairs of
    scores; pe = sum of weights / (q (q - 1)) x sum_k p_k (1 - p_k); p_k = mean over all rated items
    (also those with one score) of the share of the item's scores that are k.
    Source: Gwet, 2008 (AC1); Gwet, 2014, Handbook of Inter-Rater Reliability (AC2, gaps).
    """
    agreed = agreement_weights(weights, highest)
    rated = shared_items(table, least=1)
    if not np.isin(rated.values[rated.is_rated], np.arange(highest + 1)).all():
        raise ReliabilityError(f"Every score must be a whole number from 0 to {highest}.")
    is_shared = rated.counts >= 2
    if not is_shared.any():
        return undefined(overlap_reason(table))
    shares = value_shares(rated, highest)
    pairs = rating_pairs(rated)
    weight = agreed[pairs.first.astype(np.int64), pairs.second.astype(np.int64)]
    agreeing = item_means(rated, pairs, weight)
    rows = np.column_stack([agreeing, is_shared, np.ones(len(shares)), shares])
    chance = agreed.sum() / ((highest + 1) * highest)

    def of_sums(sums: Floats) -> Floats:
        observed = divide(sums[:, 0], sums[:, 1])
        p = divide(sums[:, 3:], sums[:, 2:3])
        expected = chance * (p * (1 - p)).sum(axis=1)
        return divide(observed - expected, 1 - expected)

    sums = sums_by_cluster(rated.clusters, rows)
    return estimate(sums, Figure(of_sums, ""), int(is_shared.sum()), draws, seed)


def agreement_weights(weights: Weights, highest: int) -> Floats:
    """Return how far two values count as agreeing: 1 on the diagonal, 0 at the ends of the scale.

    Input: the kind and the highest value h >= 1. Output: (h + 1) x (h + 1) numbers in [0, 1].
    Formula, d = distance of two values: identity [d = 0]; quadratic 1 - d^2 / h^2; ordinal
    1 - d (d + 1) / (h (h + 1)), the share of pairs of values between. Source: Gwet, 2014.
    """
    values = np.arange(highest + 1, dtype=np.float64)
    apart = np.abs(values[:, None] - values[None, :])
    if weights == "identity":
        return (apart == 0).astype(np.float64)
    if weights == "quadratic":
        return 1 - np.square(apart) / highest**2
    return 1 - apart * (apart + 1) / (highest * (highest + 1))


def value_shares(table: Table, highest: int) -> Floats:
    """Share of each item's scores that each value has. Output: I x (highest + 1), rows sum to 1."""
    row, column = np.nonzero(table.is_rated)
    cells = row * (highest + 1) + table.values[row, column].astype(np.int64)
    counts = np.bincount(cells, minlength=len(table.items) * (highest + 1))
    return counts.reshape(len(table.items), highest + 1) / table.counts[:, None]


HEAD = 6


@dataclass(frozen=True, slots=True)
class Components:
    """Variances, in squared units of the scores; `items` or `annotators` may be estimated below 0.

    `ratings_per_item` is the harmonic mean of the numbers of scores on an item.
    """

    items: float
    annotators: float
    residual: float
    ratings_per_item: float


def component_rows(table: Table) -> Floats:
    """Return what each item adds to the sums from which the components follow.

    Input: a table of I items with one or more scores each, J annotators; the scores are measured
    from their common mean, which changes no component and leaves rounding small.
    Output: I x (6 + 2 J): 1, scores, scores^2, 1 / scores (as counts), square of the item's sum
    over its count, sum of squares; then for each annotator a count and a sum.
    """
    is_rated = table.is_rated
    centred = np.where(is_rated, table.values - np.nanmean(table.values), 0.0)
    n = is_rated.sum(axis=1).astype(np.float64)
    total = centred.sum(axis=1)
    head = (np.ones(len(n)), n, n * n, 1 / n, total * total / n, np.square(centred).sum(axis=1))
    return np.column_stack([*head, is_rated, centred])


def components_of_sums(sums: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Estimate the components of  score = mean + item + annotator + residual,  all random.

    Input: W x (6 + 2 J) sums of component_rows(). Output: four times W numbers: variances of items,
    of annotators, of the rest, and the harmonic mean of scores an item; NaN without an estimate.
    Formula: Henderson's method 1. With T the sums of squares of all scores, of item means, of
    annotator means and of the grand mean (each times its number of scores N, I items, J annotators)
      (T - T_items) / (N - I) estimates annotators + residual,
      (T - T_annotators) / (N - J) estimates items + residual,
      T_items - T_mean estimates (N - a) items + (I - b) annotators + (I - 1) residual,
    a and b = sums of squared scores an item and an annotator, over N. On a complete table these are
    the estimates of the two-way analysis of variance. Source: Henderson, 1953; Searle, Casella and
    McCulloch, 1992, chapter 5.
    """
    items, n, squared, inverse, of_items, everything = np.moveaxis(sums[:, :HEAD], -1, 0)
    width = (sums.shape[1] - HEAD) // 2
    counts, totals = sums[:, HEAD : HEAD + width], sums[:, HEAD + width :]
    annotators = (counts > 0).sum(axis=1)
    of_annotators = np.nansum(divide(totals * totals, counts), axis=1)
    of_mean = divide(totals.sum(axis=1) ** 2, n)
    a, b = divide(squared, n), divide(np.square(counts).sum(axis=1), n)
    within_items = divide(everything - of_items, n - items)
    within_annotators = divide(everything - of_annotators, n - annotators)
    between = (n - a) * within_annotators + (items - b) * within_items - (of_items - of_mean)
    residual = divide(between, n - a - b + 1)
    ratings_per_item = divide(items, inverse)
    return within_annotators - residual, within_items - residual, residual, ratings_per_item


# Shares of the variance below this are rounding of zero.
NO_VARIANCE = 1e-12

TOO_FEW = "At least two items with two scores each are needed to tell items from annotators."
NO_SPREAD = "The scores do not vary enough to tell items, annotators and chance apart."


@dataclass(frozen=True, slots=True)
class Icc:
    """Reliability of one rating, of the mean of k ratings, k, and the variances behind both."""

    single: Estimate
    mean: Estimate
    k: float | None
    components: Components | None


def intraclass_correlations(
    table: Table, k: float | None = None, draws: int = DRAWS, seed: int = 0
) -> Icc:
    """ICC(2,1) and ICC(2,k) with gaps allowed.

    Input: a table; the number k >= 1 of ratings whose mean is asked about, by default the harmonic
    mean of scores an item; resamples and seed. Output: numbers <= 1; below 0 where items differ
    less than chance would have it, and not cut there. `n` counts the items with two or more scores,
    the only ones used. Undefined, with the reason, with fewer than two of them or without spread.
    Formula: items / (items + annotators + residual) and items / (items + (annotators + residual)
    / k) of the variance components; on a complete table exactly (BMS - EMS) / (BMS + (k - 1) EMS +
    k (JMS - EMS) / n) and (BMS - EMS) / (BMS + (JMS - EMS) / n). The components are Henderson's
    because a campaign's table is not complete: a block rated by all exists only where all rate all,
    and there both are the same.
    Source: Shrout and Fleiss, 1979; McGraw and Wong, 1996 (A,1 and A,k); Henderson, 1953.
    """
    shared = shared_items(table)
    if not shared.items:
        nothing = undefined(overlap_reason(table))
        return Icc(nothing, nothing, None, None)
    sums = sums_by_cluster(shared.clusters, component_rows(shared))
    n = len(shared.items)
    parts = [float(part[0]) for part in components_of_sums(sums.sum(axis=0, keepdims=True))]
    found = Components(*parts) if np.isfinite(parts).all() else None
    size = k if k is not None else found.ratings_per_item if found else None
    reason = TOO_FEW if n < 2 else NO_SPREAD
    of_one = Figure(lambda sums: _icc_of_sums(sums, 1.0), reason)
    of_mean = Figure(lambda sums: _icc_of_sums(sums, k), reason)
    single = estimate(sums, of_one, n, draws, seed)
    # Variances of nothing would promise that one annotator is enough.
    components = found if single.value is not None else None
    return Icc(single, estimate(sums, of_mean, n, draws, seed), size, components)


def _icc_of_sums(sums: Floats, ratings: float | None) -> Floats:
    """Reliability of the mean of `ratings` scores (None = the harmonic mean). Output: W values."""
    items, annotators, residual, mean_count = components_of_sums(sums)
    count = mean_count if ratings is None else ratings
    total = items + (annotators + residual) / count
    spread = divide(sums[:, 5], sums[:, 1])
    has_variance = total > NO_VARIANCE * spread
    return np.where(has_variance, divide(items, total), np.nan)


LEAST_ITEMS = 5

TOO_FEW_PAIRS = "The two annotators share fewer items than a kappa needs."
CONSTANT = (
    "One of the two gave the same score throughout; kappa would be 0 whatever the other gave."
)
NO_PAIR = "No two annotators share enough items with different scores for a kappa."


@dataclass(frozen=True, slots=True)
class PairKappa:
    """Kappa of two annotators; `estimate.n` counts the items both rated."""

    first: str
    second: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Kappas:
    """Kappa of each pair with a common item, by name, and the plain mean over the pairs."""

    pairs: tuple[PairKappa, ...]
    mean: Estimate


@dataclass(frozen=True, slots=True)
class Kind:
    """A kappa that follows from sums over common items.

    `terms` maps P scores x and P scores y to P x S numbers; `of_sums` maps W x ... x S sums of
    them to W x ... kappas, NaN where undefined.
    """

    terms: Callable[[Floats, Floats], Floats]
    of_sums: Callable[[Floats], Floats]


def kappas_by_pair(table: Table, kind: Kind, least_items: int, draws: int, seed: int) -> Kappas:
    """Kappa per pair of annotators and over all pairs.

    Input: a table, gaps allowed; the kappa; the fewest common items, >= 1, from which it is given;
    resamples and seed. Output: numbers in [-1, 1]; the mean's `n` counts the pairs of annotators in
    it. Undefined, with the reason, for a pair with fewer items or in which one annotator's scores
    are all equal, and for the mean when that leaves no pair.
    Formula: plain mean over the pairs. Source: Light, 1971.
    """
    found = rating_pairs(table)
    width = len(table.annotators)
    keys, which = np.unique(found.left * width + found.right, return_inverse=True)
    if not len(keys):
        return Kappas((), undefined(overlap_reason(table)))
    kappas, usable, rows = [], [], []
    # One sort brings the places of each pair together, however many pairs there are.
    ends = np.cumsum(np.bincount(which))[:-1]
    for key, places in zip(
        keys.tolist(), np.split(np.argsort(which, kind="stable"), ends), strict=True
    ):
        terms = kind.terms(found.first[places], found.second[places])
        clusters = [table.clusters[i] for i in found.item[places]]
        names = (table.annotators[key // width], table.annotators[key % width])
        result = _pair_estimate(kind, terms, clusters, least_items, draws, seed)
        kappas.append(PairKappa(*names, result))
        if result.value is not None:
            usable.append(places)
            rows.append(terms)
    order = sorted(kappas, key=lambda kappa: (kappa.first, kappa.second))
    return Kappas(tuple(order), _mean_estimate(table, kind, found, usable, rows, draws, seed))


def _pair_estimate(
    kind: Kind, terms: Floats, clusters: list[str], least_items: int, draws: int, seed: int
) -> Estimate:
    if len(terms) < least_items:
        return undefined(TOO_FEW_PAIRS, len(terms), len(set(clusters)))
    sums = sums_by_cluster(clusters, terms)
    return estimate(sums, Figure(kind.of_sums, CONSTANT, -1.0), len(terms), draws, seed)


def _mean_estimate(
    table: Table,
    kind: Kind,
    found: Pairs,
    usable: list[np.ndarray],
    rows: list[Floats],
    draws: int,
    seed: int,
) -> Estimate:
    from scipy.sparse import csr_array

    if not usable:
        return undefined(NO_PAIR)
    width = rows[0].shape[1]
    places = np.concatenate(usable)
    numbers = np.repeat(np.arange(len(usable)), [len(some) for some in usable])
    columns = (width * numbers[:, None] + np.arange(width)).ravel()
    cells = (np.repeat(np.arange(len(places)), width), columns)
    shape = (len(places), width * len(usable))
    by_place = csr_array((np.concatenate(rows).ravel(), cells), shape=shape)
    sums = sums_by_cluster([table.clusters[i] for i in found.item[places]], by_place)

    def mean_of_sums(flat: Floats) -> Floats:
        # A pair that a resample leaves without spread drops out of that mean.
        kappas = kind.of_sums(flat.reshape(len(flat), len(usable), width))
        is_defined = ~np.isnan(kappas)
        return divide(np.where(is_defined, kappas, 0).sum(axis=1), is_defined.sum(axis=1))

    return estimate(sums, Figure(mean_of_sums, NO_PAIR, -1.0, 1.0, True), len(usable), draws, seed)


def cohen_kappas(
    table: Table, least_items: int = LEAST_ITEMS, draws: int = DRAWS, seed: int = 0
) -> Kappas:
    """Cohen's unweighted kappa per pair of annotators and over all pairs.

    Input: a table of answers, each value a category, gaps allowed; the rest as in kappas_by_pair().
    Output: as there, numbers in [-1, 1].
    Formula: (po - pe) / (1 - pe); po = share of common items with equal answers, pe = sum over
    categories of the product of both annotators' shares. Source: Cohen, 1960; mean over pairs:
    Light, 1971.
    """
    values = np.unique(table.values[table.is_rated])

    def terms(x: Floats, y: Floats) -> Floats:
        of_x, of_y = (column[:, None] == values[None, :] for column in (x, y))
        return np.column_stack([np.ones(len(x)), x == y, of_x, of_y])

    return kappas_by_pair(table, Kind(terms, cohen_of_sums), least_items, draws, seed)


def cohen_of_sums(sums: Floats) -> Floats:
    """Kappa from n, the count of equal answers, and the counts of K categories by x and by y.

    Input: W x ... x (2 + 2 K) sums. Output: W x ... kappas, NaN where x or y is constant.
    """
    n, same = sums[..., 0], sums[..., 1]
    width = (sums.shape[-1] - 2) // 2
    of_x, of_y = sums[..., 2 : 2 + width], sums[..., 2 + width :]
    expected = (of_x * of_y).sum(axis=-1)
    is_constant = (of_x.max(axis=-1, initial=0) >= n) | (of_y.max(axis=-1, initial=0) >= n)
    kappa = divide(n * same - expected, n * n - expected)
    return np.where(is_constant, np.nan, kappa)


ROUNDING = 1e-12


def quadratic_kappas(
    table: Table, least_items: int = LEAST_ITEMS, draws: int = DRAWS, seed: int = 0
) -> Kappas:
    """Quadratic-weighted kappa per pair of annotators and over all pairs.

    Input: a table of scores on one fixed scale, gaps allowed; the rest as in kappas_by_pair().
    Output: as there, numbers in [-1, 1].
    Formula: 1 - mean (x - y)^2 / (mean x^2 + mean y^2 - 2 mean x mean y) over the common items;
    the length of the scale cancels. Source: Cohen, 1968; mean over pairs: Light, 1971.
    """

    def terms(x: Floats, y: Floats) -> Floats:
        return np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])

    return kappas_by_pair(table, Kind(terms, kappa_of_sums), least_items, draws, seed)


def kappa_of_sums(sums: Floats) -> Floats:
    """Kappa from n, sum x, sum y, sum x^2, sum y^2, sum xy.

    Input: W x ... x 6 sums. Output: W x ... kappas, NaN where x or y is constant.
    """
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    observed = n * (xx + yy - 2 * xy)
    expected = n * (xx + yy) - 2 * x * y
    is_constant = (n * xx - x * x <= ROUNDING * n * xx) | (n * yy - y * y <= ROUNDING * n * yy)
    return np.where(is_constant, np.nan, 1 - divide(observed, expected))


def tau_b_of_counts(counts: Floats) -> Floats:
    """Kendall's tau-b from counts of pairs of items, for many samples at once.

    Input: 3 x ... numbers: concordant less discordant pairs, pairs untied on the first side, pairs
    untied on the second; ordered or unordered pairs, but the same in all three.
    Output: ... numbers in [-1, 1], NaN (undefined) where no pair is untied on a side.
    Formula: the first over the root of the product of the others. Source: Kendall, 1945.
    """
    root = np.sqrt(counts[1] * counts[2])
    return np.clip(divide(counts[0], root), -1.0, 1.0)
