"""Whether annotators put the candidates of one reference in the same order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotator.reliability.estimates import Estimate, undefined
from annotator.reliability.resampling import (
    DRAWS,
    Figure,
    cluster_numbers,
    divide,
    estimate,
    sums_by_cluster,
)
from annotator.reliability.tables import Floats, Table

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
    if not len(used):
        nothing = undefined(NO_COMPARISON)
        return OrderAgreement(0, 0, 0, 0, nothing, nothing)
    sums = sums_by_cluster(names, used)
    tau = Figure(_tau_of_sums, ALL_TIES, -1.0)
    flips = Figure(lambda sums: divide(sums[:, 1], sums.sum(axis=1)), "", 0.0)
    return OrderAgreement(
        concordant,
        discordant,
        by_one,
        by_both,
        estimate(sums, tau, n, draws, seed),
        estimate(sums, flips, n, draws, seed),
    )


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
    # Without a decided comparison by both, 0 would say chance where nothing was compared.
    decided = concordant + discordant
    tau = divide(concordant - discordant, decided + by_one / 2)
    return np.where(decided > 0, tau, np.nan)
