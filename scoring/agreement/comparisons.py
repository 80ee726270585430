"""Every scorer against every other one and against the baselines: differences in tau-b, tested."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any, Final

import numpy as np

from scoring.agreement import resampling
from scoring.agreement.figures import Sample
from scoring.agreement.items import Floats
from scoring.agreement.permutations import Swaps, draw_swaps, permutation_p
from scoring.agreement.resampled import Resampled, interval_of, resample_tau_b
from scoring.agreement.verdicts import (
    ALPHA,
    CANNOT_TELL,
    best_of,
    best_sentence,
    holm,
    verdict,
    verdict_sentence,
)

UNDEFINED: Final = "We cannot compare them: tau-b is undefined for {name}."
METHOD: Final = (
    "Difference in tau-b on the same items. p: permutation test that swaps two scorers within "
    "whole references, after both are turned to signed ranks; adjusted by Holm within a family "
    "(scorers with each other; scorers with baselines). Interval: 95 %, paired, clustered by "
    "reference, for one difference alone. A verdict needs an adjusted p below alpha."
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
    def families(self) -> dict[str, list[tuple[str, str]]]:
        """The pairs of each family; a baseline that is asked for as a scorer meets itself once."""
        others = [pair for pair in product(self.scorers, self.baselines) if pair[0] != pair[1]]
        return {"scorers": list(combinations(self.scorers, 2)), "baselines": others}


def compare_scorers(compared: Compared, alpha: float = ALPHA) -> dict[str, Any]:
    """Test every scorer against every other one, and against every baseline.

    Input: the scorers and baselines of n >= 1 items; alpha in (0, 1).
    Output: JSON-ready: statistic, permutations (how many ways to swap), exact (whether these are
    all), alpha, smallest_p, families (each a name and its pairs: first, second, difference = tau-b
    of the first less that of the second, its low and high, standard_error by the jackknife, p,
    p_holm, verdict, sentence), best (one name or none), best_sentence and method.
    Source: permutations.permutation_p, verdicts.holm; paired resamples: Efron, 1979.
    """
    families = compared.families
    most = max(len(pairs) for pairs in families.values())
    swaps = draw_swaps(compared.sample, most, compared.seed)
    taus = {name: resample_tau_b(compared.sample, d) for name, d in compared.differences.items()}
    tested = {
        name: _family(compared, taus, pairs, swaps, alpha) for name, pairs in families.items()
    }
    best = best_of(list(compared.scorers), tested["scorers"])
    defined = [name for name in compared.scorers if not np.isnan(taus[name].value)]
    measured = sorted(defined, key=lambda name: -taus[name].value)
    return {
        "statistic": "tau_b",
        "permutations": swaps.count,
        "exact": swaps.is_exact,
        "alpha": alpha,
        "smallest_p": swaps.smallest_p,
        "families": [{"name": name, "pairs": pairs} for name, pairs in tested.items()],
        "best": best,
        "best_sentence": best_sentence(best, measured, compared.names, alpha),
        "method": METHOD,
    }


def standard_errors(pairs: Iterable[Mapping[str, Any]]) -> list[float]:
    """The standard errors of those pairs of a family that have one above 0."""
    return [pair["standard_error"] for pair in pairs if pair["standard_error"]]


def _family(
    compared: Compared,
    taus: Mapping[str, Resampled],
    names: Sequence[tuple[str, str]],
    swaps: Swaps,
    alpha: float,
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
        pair |= _difference(taus[one].minus(taus[two])) | {"p": p_value, "p_holm": p_holm}
        pair["verdict"] = verdict(pair["difference"], p_holm, alpha)
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
    return {**dict.fromkeys(keys), "verdict": CANNOT_TELL, "sentence": sentence}
