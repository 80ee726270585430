"""Scorers against each other: differences in tau-b, tested by permutation.

With 2R groups of items (each reference once for either scorer) a sum over pairs of items is w'Mw,
w telling which groups a scorer holds. The two scorers hold all groups between them, so their sums
differ by a number that is linear in the swaps; only what they add up to needs pairs of references.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from patclaimeval.agreement.correlation import balances
from patclaimeval.agreement.figures import Resampled, Sample, interval_of, resample_tau_b
from patclaimeval.agreement.items import LABELS, AgreementError, Floats, Integers
from patclaimeval.agreement.verdicts import (
    ALPHA,
    EXPLORATORY,
    PLANNED,
    UNDECIDED,
    best_sentence,
    find_best,
    is_reachable,
    verdict,
    verdict_sentence,
)
from patclaimeval.statistics import resampling
from patclaimeval.statistics.coefficients import tau_b_of_counts

# Which of the scorers that were asked for is tested against the others: the first of these kinds.
PLANNED_FIRST: Final = ("model:", "patclaimeval-left-out", "patclaimeval-0")


def planned_scorer(names: Sequence[str]) -> str:
    """Return the scorer that the planned tests compare with every other one; "" without scorers.

    Input: the scorers' names in the order that was asked for. Output: the first trained model, else
    the recipe with each reference left out, else PatClaimEval-0, else the first scorer.
    """
    for kind in PLANNED_FIRST:
        for name in names:
            if name.startswith(kind):
                return name
    return names[0] if names else ""


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


# Up to so many references every pair of them is counted.
MOST_PAIRED = 100
CELLS_AT_ONCE = 500_000


@dataclass(frozen=True, slots=True)
class SwapSums:
    """What the two sums of tau-b are for any swap e (R numbers, 1 = as it is, -1 = swapped).

    Axis 0 of each array: concordant minus discordant pairs, pairs untied in the differences.
    linear: 2 x R, first scorer less second is linear @ e. total: 2, and quadratic: 2 x R x R or
    2 x 1 x 1: first plus second is (total + e'Qe) / 2; of more than 100 references Q is known by
    its mean over all swaps alone, about which e'Qe then moves by less than 1 / R of the total.
    as_is: 2, the true e'Qe without a swap. untied_labels: pairs untied in y, the same for both.
    """

    linear: Floats
    total: Floats
    quadratic: Floats
    as_is: Floats
    untied_labels: float


@dataclass(frozen=True, slots=True)
class _Stack:
    """The items of both scorers in one row of 2n; `side` is 1 for the first's, else -1."""

    ranks: Integers
    parts: Floats
    clusters: Integers
    side: Floats

    def meet(self, places: Integers | slice, weights: Floats) -> Floats:
        """Each item's two sums over some weighted items. Output: 2 x 2n."""
        ranks, size = self.ranks[places], int(self.ranks.max()) + 1
        at: Floats = np.stack(
            [np.bincount(ranks, part[places] * weights, minlength=size) for part in self.parts]
        )
        n, below_y, below_t = balances(at)[:, self.ranks]
        _, y, t = self.parts
        # With three levels, sign(y_i - y_k) = (y_i t_k - y_k t_i) / 2 where t = 2 - y squared.
        return np.stack([(y * below_t - t * below_y) / 2, n])

    def by_reference(self, sums: Floats, count: int) -> Floats:
        """First scorer's items less the other's. Output: 2 x R."""
        return np.stack([np.bincount(self.clusters, self.side * row, count) for row in sums])


def swap_sums(sample: Sample, first: Floats, second: Floats) -> SwapSums:
    """Count pairs of items for two scorers, ready for any swap of references.

    Input: the sample of n items; n numbers of the first and n of the second scorer, on one scale.
    Time grows with n log n, and with n R up to 100 references.
    """
    count = sample.cluster_count
    stack = _stack(sample, np.concatenate([first, second]))
    everybody = stack.meet(slice(None), np.ones(len(stack.side)))
    sides = stack.meet(slice(None), stack.side)
    levels = np.bincount(sample.y + 1, minlength=len(LABELS)).astype(np.float64)
    return SwapSums(
        linear=stack.by_reference(everybody, count),
        total=everybody.sum(axis=1),
        quadratic=_pairs(stack, count) if count <= MOST_PAIRED else _mean(stack),
        as_is=sides @ stack.side,
        untied_labels=float(len(sample.y) ** 2 - levels @ levels),
    )


def swapped_tau_b(sums: SwapSums, swaps: NDArray[np.int8]) -> tuple[Floats, Floats]:
    """tau-b of both scorers for P swaps.

    Input: the sums; a P x R array of 0 and 1, 1 where the scorers change places in a reference.
    Output: twice P numbers in [-1, 1], NaN = undefined: of the first and of the second scorer.
    """
    step = max(1, CELLS_AT_ONCE // swaps.shape[1])
    blocks = [
        _tau_b_of_signs(sums, 1 - 2 * swaps[start : start + step].astype(np.float64))
        for start in range(0, len(swaps), step)
    ]
    one, other = np.concatenate(blocks, axis=1)
    return one, other


def _stack(sample: Sample, numbers: Floats) -> _Stack:
    y = np.tile(sample.y, 2).astype(np.float64)
    _, ranks = np.unique(numbers, return_inverse=True)
    side = np.repeat([1.0, -1.0], len(sample.y))
    return _Stack(
        ranks, np.stack([np.ones_like(y), y, 2 - y**2]), np.tile(sample.clusters, 2), side
    )


def _pairs(stack: _Stack, count: int) -> Floats:
    """The sums over the items of every two references. Output: 2 x R x R."""
    found = np.empty((2, count, count))
    for reference in range(count):
        places = np.flatnonzero(stack.clusters == reference)
        found[:, :, reference] = stack.by_reference(stack.meet(places, stack.side[places]), count)
    return found


def _mean(stack: _Stack) -> Floats:
    """The mean of e'Qe over all swaps: the sums over pairs within references. Output: 2 x 1 x 1.

    Ranked by reference first, pairs of two references cancel: the sides have the same labels there.
    """
    keys = stack.clusters * (int(stack.ranks.max()) + 1) + stack.ranks
    _, ranks = np.unique(keys, return_inverse=True)
    inside = _Stack(ranks, stack.parts, stack.clusters, stack.side)
    return (inside.meet(slice(None), stack.side) @ stack.side).reshape(2, 1, 1)


def _tau_b_of_signs(sums: SwapSums, signs: Floats) -> Floats:
    difference = signs @ sums.linear.T
    if sums.quadratic.shape[1] == 1:
        is_as_is = np.abs(signs.sum(axis=1)) == signs.shape[1]
        square = np.where(is_as_is[:, None], sums.as_is, sums.quadratic[:, 0, 0])
    else:
        square = np.stack([((signs @ q) * signs).sum(axis=1) for q in sums.quadratic], axis=1)
    both = (sums.total + square) / 2
    labels = np.full(len(signs), sums.untied_labels)
    halves = ((both + difference) / 2, (both - difference) / 2)
    return np.stack(
        [tau_b_of_counts(np.stack([half[:, 0], half[:, 1], labels])) for half in halves]
    )


PERMUTATIONS: Final = 9_999
# Swaps times references, so that they take little memory; fewer references are not touched by it.
MOST_CELLS: Final = 50_000_000
# How far the smallest p must lie below alpha / tests for Holm to be able to find anything.
MARGIN_FOR_HOLM: Final = 40
ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Swaps:
    """P ways to swap two scorers, a P x R array of 0 and 1; exact: each possible way once."""

    by_reference: NDArray[np.int8]
    is_exact: bool

    @property
    def count(self) -> int:
        return len(self.by_reference)

    @property
    def smallest_p(self) -> float:
        """No difference can get a smaller p: the way back of each swap is as far from 0."""
        return 2 / self.count if self.is_exact else 1 / (self.count + 1)


def draw_swaps(sample: Sample, tests: int, seed: int) -> Swaps:
    """Draw the swaps that all tests of a report share.

    Input: the sample; the number of tests in the largest family; a whole seed >= 0.
    Output: every way once where there are at most 9,999, else 9,999 drawn ways, each reference
    swapped with probability 1/2; fewer above 5,000 references (50,000,000 / R), but at least 40 a
    test of the family, so that Holm's correction can still find a difference.
    """
    references = sample.cluster_count
    if references < PERMUTATIONS.bit_length():
        ways = np.arange(2**references)[:, None] >> np.arange(references)
        return Swaps((ways & 1).astype(np.int8), True)
    affordable = min(PERMUTATIONS, MOST_CELLS // references)
    count = max(affordable, MARGIN_FOR_HOLM * tests)
    random = np.random.default_rng([seed, references])
    return Swaps(random.integers(2, size=(count, references), dtype=np.int8), False)


def permutation_p(sample: Sample, first: Floats, second: Floats, swaps: Swaps) -> float:
    """Two-sided p-value of the difference in tau-b between two scorers of the same items.

    Input: the sample; n finite differences score(B) - score(C) of either scorer; the swaps.
    Output: a number in (0, 1], NaN where a tau-b is undefined.
    Formula: the scorers' differences are turned to signed ranks, which leaves each tau-b as it is
    and makes the scales alike; within each swapped reference the scorers change places. p is the
    share of swaps whose |difference in tau-b| is at least the observed one, or, for drawn swaps,
    (k + 1) / (P + 1). A swap that leaves a tau-b undefined counts as at least as far.
    Source: Fisher, 1935; blocks as units of exchange: Good, 2005; + 1: Phipson and Smyth, 2010.
    """
    as_is = np.zeros((1, sample.cluster_count), dtype=np.int8)
    sums = swap_sums(sample, signed_ranks(first), signed_ranks(second))
    one, other = swapped_tau_b(sums, np.vstack([as_is, swaps.by_reference]))
    found = np.abs(one - other)
    observed = found[0]
    if np.isnan(observed):
        return float("nan")
    nearer = np.count_nonzero(found[1:] < observed - ROUNDING)
    as_far = swaps.count - nearer
    return as_far / swaps.count if swaps.is_exact else (as_far + 1) / (swaps.count + 1)


def signed_ranks(differences: Floats) -> Floats:
    """sign(d) x rank of |d|, ties sharing their mean rank. Input, output: n numbers, in order."""
    from scipy.stats import rankdata

    return np.asarray(np.sign(differences) * rankdata(np.abs(differences)), dtype=np.float64)


UNDEFINED: Final = "We cannot compare them: tau-b is undefined for {name}."
COMPARISON_METHOD: Final = (
    "Difference in tau-b on the same items. p: permutation test that swaps two scorers within "
    "whole references, after both are turned to signed ranks. Planned tests: one scorer (the first "
    "trained model asked for, else PatClaimEval-0, else the first scorer) against each other "
    "scorer, adjusted by Holm. Every other pair, and every baseline, is exploratory: its p is not "
    "adjusted, and with many pairs some fall below alpha by chance. Interval: 95 %, paired, "
    "clustered by reference, for one difference alone. A verdict needs p below alpha, after Holm "
    "where the test is planned."
)


@dataclass(frozen=True, slots=True)
class Compared:
    """Scorers of the same n items: each one's n finite differences score(B) - score(C), by name.

    `names`: what a scorer is called in sentences, where it is not its name. `check` is called
    before each test and may raise to stop.
    """

    sample: Sample
    scorers: Mapping[str, Floats]
    baselines: Mapping[str, Floats] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    check: Callable[[], None] = lambda: None

    @property
    def differences(self) -> dict[str, Floats]:
        return {**self.baselines, **self.scorers}

    @property
    def focus(self) -> str:
        """The scorer of the planned tests; "" without scorers."""
        return planned_scorer(list(self.scorers))

    @property
    def planned(self) -> list[tuple[str, str]]:
        """The pairs of the planned tests, their scorer always first."""
        return [(self.focus, name) for name in self.scorers if name != self.focus]

    @property
    def exploratory(self) -> list[tuple[str, str]]:
        """All other pairs of scorers, and each scorer with each baseline, each pair once."""
        pairs = [*combinations(self.scorers, 2), *product(self.scorers, self.baselines)]
        seen = {frozenset(pair) for pair in self.planned}
        found = []
        for pair in pairs:
            if len(set(pair)) == 2 and frozenset(pair) not in seen:
                seen.add(frozenset(pair))
                found.append(pair)
        return found


def compare_scorers(compared: Compared, alpha: float = ALPHA) -> dict[str, Any]:
    """Test one scorer against every other one as planned, and every other pair as exploration.

    Input: the scorers and baselines of n >= 1 items; alpha in (0, 1).
    Output: JSON-ready: statistic, permutations (how many ways to swap), exact (whether these are
    all), alpha, smallest_p, planned_scorer, tests (how many planned tests could be made),
    is_reachable (whether the smallest p is below alpha after Holm), families (planned and
    exploratory, each a name, is_adjusted and its pairs: first, second, difference = tau-b of the
    first less that of the second, its low and high, standard_error by the jackknife, p, p_holm
    (None where exploratory), verdict, sentence), best (the planned scorer or none), best_sentence
    and method.
    Source: permutation_p, holm; paired resamples: Efron, 1979.
    """
    swaps = draw_swaps(compared.sample, len(compared.planned), compared.seed)
    taus = {name: resample_tau_b(compared.sample, d) for name, d in compared.differences.items()}
    planned = _tested(compared, taus, compared.planned, swaps, alpha, is_planned=True)
    others = _tested(compared, taus, compared.exploratory, swaps, alpha, is_planned=False)
    tests = sum(pair["p"] is not None for pair in planned)
    values = {name: tau.value for name, tau in taus.items() if not np.isnan(tau.value)}
    found = {
        "statistic": "tau_b",
        "permutations": swaps.count,
        "exact": swaps.is_exact,
        "alpha": alpha,
        "smallest_p": swaps.smallest_p,
        "references": compared.sample.cluster_count,
        "planned_scorer": compared.focus,
        "tests": tests,
        "is_reachable": tests > 0 and is_reachable(swaps.smallest_p, tests, alpha),
        "families": [
            {"name": PLANNED, "is_adjusted": True, "pairs": planned},
            {"name": EXPLORATORY, "is_adjusted": False, "pairs": others},
        ],
        "method": COMPARISON_METHOD,
    }
    best = find_best(found, values)
    sentence = best_sentence(found, values, list(compared.scorers), compared.names)
    return found | {"best": best, "best_sentence": sentence}


def planned_pairs(compared: Compared, alpha: float = ALPHA) -> list[dict[str, Any]]:
    """Make the planned tests alone. Output: their pairs, as compare_scorers() returns them."""
    swaps = draw_swaps(compared.sample, len(compared.planned), compared.seed)
    taus = {name: resample_tau_b(compared.sample, d) for name, d in compared.scorers.items()}
    return _tested(compared, taus, compared.planned, swaps, alpha, is_planned=True)


def _tested(
    compared: Compared,
    taus: Mapping[str, Resampled],
    names: Sequence[tuple[str, str]],
    swaps: Swaps,
    alpha: float,
    *,
    is_planned: bool,
) -> list[dict[str, Any]]:
    values = compared.differences
    p_values = np.empty(len(names))
    for place, (one, two) in enumerate(names):
        compared.check()
        p_values[place] = permutation_p(compared.sample, values[one], values[two], swaps)
    adjusted = holm(p_values)
    tests = int(np.count_nonzero(~np.isnan(p_values)))
    pairs = []
    for (one, two), p_value, p_holm in zip(
        names, p_values.tolist(), adjusted.tolist(), strict=True
    ):
        pair: dict[str, Any] = {"first": one, "second": two}
        if np.isnan(p_value):
            pairs.append(pair | _undefined(compared, taus, one, two))
            continue
        pair |= _difference(taus[one].minus(taus[two]))
        pair |= {"p": p_value, "p_holm": p_holm if is_planned else None}
        pair["verdict"] = verdict(pair["difference"], p_holm if is_planned else p_value, alpha)
        pair["sentence"] = verdict_sentence(pair, compared.names, tests)
        pairs.append(pair)
    return pairs


def _difference(difference: Resampled) -> dict[str, Any]:
    interval = interval_of(difference, -2.0, 2.0)
    error = None
    if len(difference.without_reference) > 1:
        variance = resampling.jackknife_variance(difference.without_reference)
        error = None if np.isnan(variance) else float(np.sqrt(variance))
    return {
        "difference": difference.value,
        "low": interval.low,
        "high": interval.high,
        "standard_error": error,
    }


def _undefined(
    compared: Compared, taus: Mapping[str, Resampled], one: str, two: str
) -> dict[str, Any]:
    without = [compared.names.get(name, name) for name in (one, two) if np.isnan(taus[name].value)]
    keys = ("difference", "low", "high", "standard_error", "p", "p_holm")
    sentence = UNDEFINED.format(name=" and for ".join(without))
    return {**dict.fromkeys(keys), "verdict": UNDECIDED, "sentence": sentence}
