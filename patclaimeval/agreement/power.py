"""What the planned tests can find: their power, and how many references would show a lead.

Each planned test swaps two scorers within whole references, which flips the sign of what a
reference contributes to the difference in tau-b. Power is simulated with that same test: references
are drawn with replacement, the signs of their contributions are flipped, and Holm's correction over
the planned tests must leave p below alpha.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from patclaimeval.agreement.comparisons import MARGIN_FOR_HOLM
from patclaimeval.agreement.correlation import count_pairs, leave_one_reference_out, tau_b
from patclaimeval.agreement.figures import Sample
from patclaimeval.agreement.items import Floats
from patclaimeval.agreement.verdicts import ALPHA, BETTER, PLANNED

POWER: Final = 0.8
DRAWS: Final = 400
MOST_EXACT: Final = 11
"""Up to this many references every way to flip signs is counted once, at most 2,048."""
FLIPS: Final = 1_999
NORMAL_FROM: Final = 50
"""From so many references on the flipped sums are taken as normal, which they nearly are."""
SIZES: Final = (
    *(5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 160, 200),
    *(240, 320, 400, 500, 600, 800, 1000),
)
"""The numbers of references that are tried. Nothing is promised beyond the last."""
FEWEST: Final = 5
"""References below which their spread is not known well enough to draw from."""
LARGEST_DIFFERENCE: Final = 2.0
PRECISION: Final = 0.005
ROUNDING: Final = 1e-9

POWER_METHOD: Final = (
    "Smallest true difference in tau-b that the planned test finds with 80 % power, simulated with "
    "that test: references are drawn with replacement 400 times, their jackknife pseudo-values are "
    "moved to that difference, and the signs of whole references are flipped, as the permutation "
    "test does; from 50 references on the flipped sums are taken as normal. The p-value times the "
    "number of planned tests, the strictest step of Holm, must be below 0.05. The references "
    "needed for a lead are found in the same way."
)
NOTHING_PLANNED: Final = "Only one scorer could be measured, so no test is planned."
NO_SPREAD: Final = (
    "The smallest difference that the planned tests find is unknown: there are too few references, "
    "or no difference between the scorers varies between them."
)


@dataclass(frozen=True, slots=True)
class Spread:
    """What each of k references contributes to a difference in tau-b.

    `lead`: the difference. `around`: k contributions less their mean, widened by sqrt(k / (k - 1))
    because that mean is estimated from the same k references.
    """

    lead: float
    around: Floats

    @property
    def is_known(self) -> bool:
        """Return whether draws from these references say anything."""
        has_enough = len(self.around) >= FEWEST and bool(np.isfinite(self.around).all())
        return has_enough and float(np.abs(self.around).max()) > ROUNDING


def measure_spread(sample: Sample, first: Floats, second: Floats) -> Spread:
    """Measure what each reference contributes to tau-b of the first scorer less the second's.

    Input: the sample of n items of k >= 2 references; n score differences of each scorer.
    Formula: pseudo-value r = k D - (k - 1) D(without r), where D is the difference.
    Source: Efron and Tibshirani, 1993, chapter 11.
    """
    count = sample.cluster_count
    values, without = [], []
    for found in (first, second):
        pairs = count_pairs(found, sample.y, sample.clusters, count)
        value = tau_b(found, sample.y).value
        values.append(np.nan if value is None else value)
        without.append(leave_one_reference_out(pairs))
    # k D is the same for every reference, so it drops out once the mean is taken off.
    pseudo = (1 - count) * (without[0] - without[1])
    around = (pseudo - pseudo.mean()) * np.sqrt(count / (count - 1))
    return Spread(float(values[0] - values[1]), around)


class Simulation:
    """Studies of R references that are drawn from one spread and tested by flips of signs."""

    def __init__(self, spread: Spread, references: int, tests: int, seed: int) -> None:
        """Draw the studies; `tests` is the number of planned tests, `seed` a whole number >= 0."""
        random = np.random.default_rng([seed, references])
        drawn = random.integers(len(spread.around), size=(DRAWS, references))
        self._around, self._tests = spread.around[drawn], tests
        self._signs: Floats = np.empty((0, references))
        if references <= MOST_EXACT:
            ways = np.arange(2**references)[:, None] >> np.arange(references) & 1
            self._signs = np.asarray(1 - 2 * ways, dtype=np.float64)
        elif references < NORMAL_FROM:
            size = (max(FLIPS, MARGIN_FOR_HOLM * tests), references)
            ways = random.integers(2, size=size, dtype=np.int64)
            self._signs = np.asarray(1 - 2 * ways, dtype=np.float64)
        # A sum of flipped contributions is linear in the difference, so it is computed once.
        self._flipped = self._around @ self._signs.T

    def power(self, difference: float) -> float:
        """Return the share of studies that show the first scorer better.

        Input: the true difference in tau-b, >= 0. Output: a share in [0, 1].
        """
        is_better = (self._around + difference).sum(axis=1) > 0
        return float(np.mean((self._p_values(difference) * self._tests < ALPHA) & is_better))

    def _p_values(self, difference: float) -> Floats:
        """Return the two-sided p of each study.

        Formula: the share of flips e with |e'g| >= |sum of g|, for the contributions g, and
        (k + 1) / (P + 1) of drawn flips; of many references 2 (1 - Phi(|sum g| / |g|)), because e'g
        has mean 0 and variance g'g.
        """
        moved = self._around + difference
        observed = np.abs(moved.sum(axis=1))
        if not len(self._signs):
            from scipy.special import ndtr

            return np.asarray(2 * ndtr(-observed / np.sqrt((moved**2).sum(axis=1))))
        flipped = np.abs(self._flipped + difference * self._signs.sum(axis=1))
        as_far = (flipped >= observed[:, None] - ROUNDING).sum(axis=1)
        drawn = 0 if moved.shape[1] <= MOST_EXACT else 1
        return np.asarray((as_far + drawn) / (len(self._signs) + drawn))

    def smallest_difference(self) -> float | None:
        """Return the smallest true difference shown with POWER; None where no difference is."""
        low, high = 0.0, LARGEST_DIFFERENCE
        if self.power(high) < POWER:
            return None
        while high - low > PRECISION:
            middle = (low + high) / 2
            low, high = (low, middle) if self.power(middle) >= POWER else (middle, high)
        return high


def plan_references(spread: Spread, tests: int, shown_from: int, seed: int) -> dict[str, Any]:
    """Return how many references would show a lead, and half of it, with POWER.

    Input: the spread, with a lead above 0; the number of planned tests; the number of references
    that has not shown it: more than these are asked for. Output: `as_seen` and `half`, each of
    SIZES, or None beyond the last.
    """
    sizes = [size for size in SIZES if size > shown_from]
    known: dict[int, Simulation] = {}

    def least(difference: float) -> int | None:
        low, high = 0, len(sizes)
        while low < high:
            middle = (low + high) // 2
            size = sizes[middle]
            if size not in known:
                known[size] = Simulation(spread, size, tests, seed)
            if known[size].power(difference) >= POWER:
                high = middle
            else:
                low = middle + 1
        return sizes[low] if low < len(sizes) else None

    return {"as_seen": least(spread.lead), "half": least(spread.lead / 2)}


def plan_study(
    sample: Sample,
    differences: Mapping[str, Floats],
    compared: Mapping[str, Any],
    names: Mapping[str, str],
    seed: int = 0,
) -> dict[str, Any]:
    """Return what the planned tests can find on these items, and what would show each lead.

    Input: the sample of n items; n score differences by scorer; what compare_scorers() found; what
    the scorers are called; a seed >= 0.
    Output: JSON-ready: power, alpha, tests; by_scorer (each other scorer with the
    smallest_difference in (0, 2] that POWER finds, or None); smallest_difference (the largest of
    these, found against whichever scorer, or None); references_needed (each lead that the tests
    leave undecided, with `as_seen` and `half`); sentence and plan.
    """
    tests, focus = compared["tests"], compared["planned_scorer"]
    (pairs,) = (one["pairs"] for one in compared["families"] if one["name"] == PLANNED)
    verdicts = {pair["second"]: pair["verdict"] for pair in pairs if pair["p"] is not None}
    spreads = _known_spreads(sample, differences, focus, list(verdicts))
    found = _smallest_differences(sample, spreads, tests, seed) if compared["is_reachable"] else []
    needed = [
        {"other": other, "lead": spread.lead}
        | plan_references(spread, tests, sample.cluster_count, seed)
        for other, spread in spreads.items()
        if spread.lead > 0 and verdicts[other] != BETTER
    ]
    sizes = [one["smallest_difference"] for one in found]
    return {
        "smallest_difference": max(sizes) if sizes and None not in sizes else None,
        "by_scorer": found,
        "power": POWER,
        "alpha": ALPHA,
        "tests": tests,
        "sentence": _power_sentence(sample, compared, found, names),
        "references_needed": needed,
        "plan": plan_sentence(focus, needed, names, tests),
    }


def _known_spreads(
    sample: Sample, differences: Mapping[str, Floats], focus: str, others: Sequence[str]
) -> dict[str, Spread]:
    if sample.cluster_count < FEWEST:
        return {}
    found = {
        other: measure_spread(sample, differences[focus], differences[other]) for other in others
    }
    return {other: spread for other, spread in found.items() if spread.is_known}


def _smallest_differences(
    sample: Sample, spreads: Mapping[str, Spread], tests: int, seed: int
) -> list[dict[str, Any]]:
    found = []
    for other, spread in spreads.items():
        simulation = Simulation(spread, sample.cluster_count, tests, seed)
        found.append({"other": other, "smallest_difference": simulation.smallest_difference()})
    return found


def _power_sentence(
    sample: Sample,
    compared: Mapping[str, Any],
    found: Sequence[Mapping[str, Any]],
    names: Mapping[str, str],
) -> str:
    """Say which true differences the planned tests find; "" where the verdict says it is none."""
    if not compared["tests"]:
        return NOTHING_PLANNED
    if not compared["is_reachable"]:
        return ""
    if not found:
        return NO_SPREAD
    items = f"With {len(sample.y)} items of {sample.cluster_count} references"
    known = sorted(
        (one["smallest_difference"], names.get(one["other"], one["other"]))
        for one in found
        if one["smallest_difference"] is not None and one["smallest_difference"] <= 1
    )
    if not known:
        return (
            f"{items}, only a true difference in tau-b of more than 1 would be found with 80 % "
            f"power{_corrected(compared['tests'])}: these are too few references to tell the "
            "scorers apart."
        )
    (low, easiest), (high, hardest) = known[0], known[-1]
    size = f"{low:.2f} or more"
    if f"{low:.2f}" != f"{high:.2f}":
        size = f"{low:.2f} (against {easiest}) to {high:.2f} (against {hardest}) or more"
    sentence = (
        f"{items}, a true difference in tau-b of {size} is found with 80 % "
        f"power{_corrected(compared['tests'])}. Smaller differences may go unseen."
    )
    unseen = len(found) - len(known)
    return (
        f"{sentence} Against {unseen} of the scorers it takes more than 1." if unseen else sentence
    )


def _corrected(tests: int) -> str:
    return f", after Holm's correction over {tests} planned tests" if tests > 1 else ""


def plan_sentence(
    focus: str, needed: Sequence[Mapping[str, Any]], names: Mapping[str, str], tests: int
) -> str:
    """Say how many references would show each undecided lead, and half of it; "" without any."""
    if not needed:
        return ""
    leads = (
        f"{_number(one['as_seen'])} for the lead over {names.get(one['other'], one['other'])} "
        f"({one['lead']:+.3f}; {_number(one['half'])} if the true lead is half of that)"
        for one in needed
    )
    return (
        f"To show with 80 % power that {names.get(focus, focus)} is better"
        f"{_corrected(tests)}, a study needs this many references: {', '.join(leads)}."
    )


def _number(count: int | None) -> str:
    return f"more than {SIZES[-1]:,}" if count is None else f"about {count:,}"
