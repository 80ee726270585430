"""How many references would prove a lead: whole references are drawn again, as many as asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from core.statistics.resampling import t_quantile
from scoring.agreement.correlation import PairCounts, count_pairs, weighted_tau_b
from scoring.agreement.figures import Sample
from scoring.agreement.items import Floats

POWER: Final = 0.8
DRAWS: Final = 400
SIZES: Final = (
    *(5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 160, 200),
    *(240, 320, 400, 500, 600, 800, 1000),
)
"""The numbers of references that are tried; beyond the last nothing is promised."""
FEWEST: Final = 4
"""References below which their spread is not known well enough to draw from."""


def references_needed(
    sample: Sample, ours: Floats, others: Mapping[str, Floats], seed: int = 0
) -> list[dict[str, Any]]:
    """Say for each other scorer how many references would prove our lead, and half of it.

    Input: the sample of n items; n score differences of our scorer, and of each other by name; a
    seed >= 0. Output: one entry for each other that we lead, JSON-ready: `other`, `lead` (tau-b of
    ours less its own, in (0, 2]), `as_seen` and `half`: the least of SIZES with which POWER of
    the draws show the lead, or half of it, above 0; None beyond the last. [] with fewer than
    FEWEST references.
    Method: R references are drawn with replacement from those of the sample, DRAWS times; a draw
    shows the lead where it exceeds t at 97.5 % (R - 1 degrees) times the standard deviation over
    the draws, which is widened by sqrt(k / (k - 1)) for the k references that it rests on.
    """
    if sample.cluster_count < FEWEST:
        return []
    of = {
        name: count_pairs(found, sample.y, sample.clusters, sample.cluster_count)
        for name, found in {"": ours, **others}.items()
    }
    once = np.ones((1, sample.cluster_count), dtype=np.int64)
    first = {name: float(weighted_tau_b(pairs, once)[0]) for name, pairs in of.items()}
    leads = {name: first[""] - first[name] for name in others}
    drawn = _Draws(of, sample.cluster_count, seed)
    return [
        {
            "other": name,
            "lead": lead,
            "as_seen": _least(drawn, name, lead, 0.0),
            "half": _least(drawn, name, lead, 0.5),
        }
        for name, lead in leads.items()
        if lead > 0  # not where either tau-b is undefined
    ]


class _Draws:
    """Leads over drawn references, computed once for each number of them."""

    def __init__(self, of: Mapping[str, PairCounts], count: int, seed: int) -> None:
        self._of, self._count, self._seed = of, count, seed
        self._known: dict[tuple[str, int], Floats] = {}

    def leads(self, name: str, references: int) -> Floats:
        """Return our lead over a scorer in each draw, shape [DRAWS]."""
        return self._taus("", references) - self._taus(name, references)

    def spread(self, leads: Floats) -> float:
        """Return the standard deviation of such leads, as it would be over new references."""
        return float(np.nanstd(leads) * np.sqrt(self._count / (self._count - 1)))

    def _taus(self, name: str, references: int) -> Floats:
        if (name, references) not in self._known:
            rng = np.random.default_rng([self._seed, references])
            shares = np.full(self._count, 1 / self._count)
            weights = rng.multinomial(references, shares, size=DRAWS)
            self._known[name, references] = weighted_tau_b(self._of[name], weights)
        return self._known[name, references]


def _least(drawn: _Draws, name: str, lead: float, less: float) -> int | None:
    """Return the least number of references that proves ``lead`` less that share of it."""
    low, high = 0, len(SIZES)
    while low < high:
        middle = (low + high) // 2
        leads = drawn.leads(name, SIZES[middle])
        limit = t_quantile(SIZES[middle] - 1) * drawn.spread(leads)
        if np.mean(leads - less * lead > limit) >= POWER:
            high = middle
        else:
            low = middle + 1
    return SIZES[low] if low < len(SIZES) else None


def needed_sentence(ours: str, found: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """Say how many references would prove each lead, and half of it; "" where there is none."""
    if not found:
        return ""
    leads = (
        f"{_number(one['as_seen'])} over {names.get(one['other'], one['other'])} "
        f"({one['lead']:+.3f}; for half of it {_number(one['half'])})"
        for one in found
    )
    return (
        f"To prove the lead of {names.get(ours, ours)} with 80 % power takes references like "
        f"these: {', '.join(leads)}."
    )


def _number(count: int | None) -> str:
    return f"more than {SIZES[-1]:,}" if count is None else f"about {count:,}"
