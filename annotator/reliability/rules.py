"""All figures of agreement on one criterion as plain data: coefficients, order, damage, plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from patclaimeval.statistics.coefficients import (
    Components,
    Kappas,
    Level,
    cohen_kappas,
    gwet_ac2,
    intraclass_correlations,
    krippendorff_alpha,
    quadratic_kappas,
    raw_agreement,
    tau_b_of_counts,
)
from patclaimeval.statistics.resampling import (
    DRAWS,
    Figure,
    cluster_numbers,
    divide,
    estimate,
    sums_by_cluster,
)
from patclaimeval.statistics.tables import (
    NO_OVERLAP,
    NO_RATINGS,
    ONE_ANNOTATOR,
    Estimate,
    Floats,
    Plain,
    ReliabilityError,
    Sentinel,
    Table,
    plain_estimate,
    undefined,
)

NO_COMPARISON = "No two annotators rated the same two candidates of one reference."
ALL_TIES = "Every comparison is a tie for somebody, so there is no order to agree on."


@dataclass(frozen=True, slots=True)
class OrderAgreement:
    """Counts of comparisons, each two annotators on two candidates of one reference, and figures.

    `tau` is a tau-b with both margins alike; `flips` the share of comparisons in opposite order.
    """

    concordant: int
    discordant: int
    tied_by_one: int
    tied_by_both: int
    tau: Estimate
    flips: Estimate


def order_agreement(table: Table, draws: int = DRAWS, seed: int = 0) -> OrderAgreement:
    """Compare how pairs of annotators order pairs of candidates of the same reference.

    Input: a table in which the items of one reference are its candidates; resamples and seed.
    Output: counts, a tau in [-1, 1], a share in [0, 1]; `n` counts comparisons, `clusters` the
    references that hold any. Undefined, with the reason, without a comparison, and tau where no
    two annotators both prefer a candidate.
    Formula: tau = (C - D) / (C + D + T / 2), flips = D / (C + D + T + both); C the same order,
    D opposite, T a tie for one of the two, both = a tie for both. Annotators have no first and
    second, so T counts half on either side of tau-b. Source: Kendall, 1945.
    """
    numbers, count = cluster_numbers(table.clusters)
    rows = np.array([_comparisons(table.values[numbers == c]) for c in range(count)]).reshape(-1, 4)
    used = rows[rows.sum(axis=1) > 0]
    names = tuple(np.array(sorted(set(table.clusters)))[rows.sum(axis=1) > 0].tolist())
    concordant, discordant, by_one, by_both = used.sum(axis=0).astype(int).tolist()
    n = int(used.sum())
    tau = flips = undefined(NO_COMPARISON)
    if len(used):
        sums = sums_by_cluster(names, used)
        tau = estimate(sums, Figure(_tau_of_sums, ALL_TIES, -1.0), n, draws, seed)
        opposite = Figure(lambda sums: divide(sums[:, 1], sums.sum(axis=1)), "", 0.0)
        flips = estimate(sums, opposite, n, draws, seed)
    return OrderAgreement(concordant, discordant, by_one, by_both, tau, flips)


def _comparisons(values: Floats) -> tuple[int, int, int, int]:
    """Count C, D, T and both in one reference. Input: candidates x annotators, NaN for a gap."""
    left, right = np.triu_indices(len(values), k=1)
    steps = np.sign(values[left] - values[right])
    up, down, tie = ((steps == sign).sum(axis=1) for sign in (1, -1, 0))
    same = up * (up - 1) // 2 + down * (down - 1) // 2
    both = tie * (tie - 1) // 2
    return int(same.sum()), int((up * down).sum()), int((tie * (up + down)).sum()), int(both.sum())


def _tau_of_sums(sums: Floats) -> Floats:
    concordant, discordant, by_one, _ = np.moveaxis(sums, -1, 0)
    # Without a decided comparison by both, 0 would mean chance where nothing was compared.
    decided = concordant + discordant
    untied = decided + by_one / 2
    tau = tau_b_of_counts(np.stack([concordant - discordant, untied, untied]))
    return np.where(decided > 0, tau, np.nan)


# Guards a whole number against being rounded up to the next one.
ROUNDING = 1e-9


def annotators_needed(components: Components, standard_error: float) -> int:
    """Fewest annotators an item needs for a wanted standard error of its mean.

    Input: the variance components; the standard error > 0 in points. Output: a whole number >= 1.
    Components estimated below 0 count as 0. Raises ReliabilityError for a standard error <= 0.
    Formula: (annotators + residual) / standard error^2, rounded up.
    Source: Brennan, 2001, Generalizability theory (absolute error).
    """
    if standard_error <= 0:
        raise ReliabilityError("The wanted standard error must be above 0.")
    error_variance = max(0.0, components.annotators) + max(0.0, components.residual)
    wanted = error_variance / standard_error**2
    return max(1, math.ceil(wanted - ROUNDING * max(1.0, wanted)))


NO_SENTINELS = "No damaged candidate and its untouched twin have both been rated yet."
ONE_CRITERION = "No criterion but the damaged one was rated."
# The smallest fall, in points, that counts as noticed.
LEAST_DROP = 1.0


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Figures over the sentinels of one annotator, one criterion, both, or all (None = all)."""

    annotator: str | None
    criterion: str | None
    detected: Estimate
    drop_aimed: Estimate
    drop_elsewhere: Estimate


def sensitivity(
    sentinels: Sequence[Sentinel], draws: int = DRAWS, seed: int = 0
) -> tuple[Sensitivity, ...]:
    """Measure how scores fall on the damaged criterion and on the others.

    Input: sentinels whose two ratings hold the same criteria, among them the one aimed at;
    resamples and seed. Output: the figures over all, then by
    annotator, by criterion, and by both: `detected` a share in [0, 1], the two drops in points,
    negative where the damaged candidate got more. A drop elsewhere as large as the one aimed at
    means that damage is felt but not placed. `n` counts sentinels. Undefined, with the reason,
    without any. Raises ReliabilityError when the two ratings hold different criteria.
    Formula: share of untouched - damaged >= LEAST_DROP; mean of untouched - damaged on the aimed
    criterion; the same over all other scores. Source: own definition.
    """
    rows = np.array([_row(sentinel) for sentinel in sentinels]).reshape(-1, 5)
    people: list[str | None] = [*sorted({s.annotator for s in sentinels})]
    criteria: list[str | None] = [*sorted({s.criterion for s in sentinels})]
    kinds: list[tuple[str | None, str | None]] = [(None, None)]
    kinds += [(person, None) for person in people] + [(None, criterion) for criterion in criteria]
    kinds += [(person, criterion) for person in people for criterion in criteria]
    found = []
    for person, criterion in kinds:
        places = [
            place
            for place, sentinel in enumerate(sentinels)
            if person in (None, sentinel.annotator) and criterion in (None, sentinel.criterion)
        ]
        clusters = [sentinels[place].cluster for place in places]
        found.append(_figures((person, criterion), rows[places], clusters, draws, seed))
    return tuple(found)


def _row(sentinel: Sentinel) -> tuple[float, ...]:
    """1, noticed or not, drop aimed at, number of other scores, their drops added up."""
    if set(sentinel.untouched) != set(sentinel.damaged):
        raise ReliabilityError("The two ratings of a sentinel must hold the same criteria.")
    if sentinel.criterion not in sentinel.damaged:
        raise ReliabilityError("The criterion that was damaged must be among the scores.")
    drops = {key: sentinel.untouched[key] - sentinel.damaged[key] for key in sentinel.damaged}
    aimed = drops.pop(sentinel.criterion)
    return 1.0, float(aimed >= LEAST_DROP), aimed, float(len(drops)), sum(drops.values())


def _figures(
    kind: tuple[str | None, str | None], rows: Floats, clusters: list[str], draws: int, seed: int
) -> Sensitivity:
    if not len(rows):
        return Sensitivity(*kind, *[undefined(NO_SENTINELS)] * 3)
    sums = sums_by_cluster(clusters, rows)
    figures = (
        Figure(lambda sums: divide(sums[:, 1], sums[:, 0]), "", 0.0),
        Figure(lambda sums: divide(sums[:, 2], sums[:, 0]), "", highest=np.inf),
        Figure(lambda sums: divide(sums[:, 4], sums[:, 3]), ONE_CRITERION, highest=np.inf),
    )
    return Sensitivity(
        *kind, *(estimate(sums, figure, len(rows), draws, seed) for figure in figures)
    )


def sentinels_report(sentinels: Sequence[Sentinel], seed: int = 0) -> list[Plain]:
    """Return sensitivity() as it is stored: annotator, criterion and three figures a line."""
    figures = ("detected", "drop_aimed", "drop_elsewhere")
    return [
        {
            "annotator": one.annotator,
            "criterion": one.criterion,
            "figures": [plain_estimate(key, getattr(one, key)) for key in figures],
        }
        for one in sensitivity(sentinels, seed=seed)
    ]


STANDARD_ERRORS = (0.25, 0.5, 1.0)
HIGHEST_POINTS = 10
LEVELS: tuple[Level, ...] = ("interval", "ordinal", "nominal")

Check = Callable[[], None]


def criterion_report(
    table: Table,
    unit: int = 1,
    check: Check = lambda: None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Plain:
    """Measure how far annotators agree on one criterion.

    Input: a table of whole scores 0 to 10 x `unit`; units a point (11 for overall numerators);
    a function called between figures, which may raise to stop; resamples, seed. Output: `figures`
    (a list of plain estimates), `pairs` (quadratic kappa of each two annotators), `order` (counts),
    `histogram` (11 counts, scores rounded half up to whole points), `components` (variances
    in points squared, or None), `ratings_per_item`, `plan` (annotators for each of
    STANDARD_ERRORS); all distances in points. Formulas: see the functions called.
    """
    figures: list[Plain] = []

    def add(key: str, found: Estimate, of_points: bool = False) -> None:
        figures.append(plain_estimate(key, found, unit if of_points else 1))
        check()

    for level in LEVELS:
        add(f"alpha_{level}", krippendorff_alpha(table, level, draws, seed))
    icc = intraclass_correlations(table, None, draws, seed)
    add("icc_single", icc.single)
    add("icc_mean", icc.mean)
    kappas = quadratic_kappas(table, draws=draws, seed=seed)
    add("kappa_quadratic", kappas.mean)
    add("ac2", gwet_ac2(table, "quadratic", HIGHEST_POINTS * unit, draws, seed))
    raw = raw_agreement(table, unit, draws, seed)
    add("exact", raw.exact)
    add("within_one", raw.within)
    add("mean_difference", raw.mean_difference, of_points=True)
    order = order_agreement(table, draws, seed)
    add("order_tau", order.tau)
    add("order_flips", order.flips)
    counts = ("concordant", "discordant", "tied_by_one", "tied_by_both")
    variances = ("items", "annotators", "residual")
    found = icc.components
    return {
        "figures": figures,
        "pairs": plain_pairs(kappas),
        "order": {name: getattr(order, name) for name in counts},
        "histogram": histogram(table, unit),
        "components": found and {name: getattr(found, name) / unit**2 for name in variances},
        "ratings_per_item": icc.k,
        "plan": [
            {
                "standard_error": wanted,
                "annotators": annotators_needed(found, wanted * unit) if found else None,
                "reason": "" if found else icc.single.reason,
            }
            for wanted in STANDARD_ERRORS
        ],
    }


def plain_pairs(kappas: Kappas) -> list[Plain]:
    """List the kappa of each two annotators. Output: `first`, `second` and a plain estimate."""
    return [
        {"first": pair.first, "second": pair.second} | plain_estimate("kappa", pair.estimate)
        for pair in kappas.pairs
    ]


def histogram(table: Table, unit: int) -> list[int]:
    """Count the scores by whole points, rounded half up. Output: 11 counts, for 0 to 10."""
    scores = table.values[table.is_rated].astype(np.int64)
    points = (2 * scores + unit) // (2 * unit)
    return [int(count) for count in np.bincount(points, minlength=HIGHEST_POINTS + 1)]


ANSWERS = (-1, 0, 1)
# Tables of answers are measured by the functions for ratings, whose reasons name ratings.
OF_PREFERENCES = {
    NO_RATINGS: "No preference answers this criterion.",
    ONE_ANNOTATOR: "There are preferences of one annotator only, so nothing can be compared.",
    NO_OVERLAP: "No two annotators compared the same pair of candidates.",
}


def preference_report(table: Table, draws: int = DRAWS, seed: int = 0) -> Plain:
    """Measure how far annotators agree on which of two candidates is better.

    Input: a table whose items are pairs of candidates in one fixed orientation, with answers -1, 0
    (equal) and 1; resamples and seed. Output: `answers` (counts of -1, 0, 1), `figures` (exact,
    kappa = mean unweighted kappa, alpha_ordinal, alpha_nominal, ac1), `pairs` (kappa of each two
    annotators). Formulas and sources: see the functions called; AC1 is AC2 with identity weights.
    An undefined figure says so in terms of preferences.
    """
    answers = table.values[table.is_rated]
    kappas = cohen_kappas(table, draws=draws, seed=seed)
    # The three answers as 0, 1, 2: a scale that AC2 knows.
    counted = Table(table.values + 1, table.clusters, table.items, table.annotators)
    figures = [
        plain_estimate("exact", raw_agreement(table, 0, draws, seed).exact),
        plain_estimate("kappa", kappas.mean),
        plain_estimate("alpha_ordinal", krippendorff_alpha(table, "ordinal", draws, seed)),
        plain_estimate("alpha_nominal", krippendorff_alpha(table, "nominal", draws, seed)),
        plain_estimate("ac1", gwet_ac2(counted, "identity", 2, draws, seed)),
    ]
    for figure in figures:
        reason = str(figure["reason"])
        figure["reason"] = OF_PREFERENCES.get(reason, reason)
    return {
        "answers": [int(np.count_nonzero(answers == answer)) for answer in ANSWERS],
        "figures": figures,
        "pairs": plain_pairs(kappas),
    }
