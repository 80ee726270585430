"""Systems ranked by quadruplets: who is preferred to whom, as shares and as strengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scoring.agreement.items import Floats, Integers
from scoring.agreement.tables import divide
from scoring.ranking.intervals import ANY, Bootstrap, Range, figures_of
from scoring.ranking.strengths import fit_strengths

Statistic = Callable[[Floats, Floats], Floats]

NOT_FINITE: Final = (
    "The comparisons of these systems are too few, too one-sided or too often ties to give each a "
    "strength; look at the shares."
)
ALONE: Final = "Compared with no other system."
METHOD: Final = (
    "Share: comparisons won, a tie counting one half. Strength: Bradley-Terry model with ties "
    "(Davidson 1970, Newman 2023), natural logarithms around 0: exp(difference) is the odds of "
    "being preferred. Intervals: 95 %, clustered by reference. Systems of different groups were "
    "never compared, not even through others, and have no order."
)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """n comparisons of two different systems.

    `names`: K systems; `b`, `c`: n numbers of systems, 0 to K - 1; `y`: n labels, 1 where b is
    preferred, -1 where c is; `clusters`: n reference numbers, 0 to R - 1.
    """

    names: Sequence[str]
    b: Integers
    c: Integers
    y: Integers
    clusters: Integers
    references: int


def rank_by_comparisons(found: Comparisons, resamples: int, seed: int) -> dict[str, Any]:
    """Rank systems by the comparisons of their candidates.

    Input: n >= 1 comparisons; resamples >= 1 and a whole seed >= 0 of the bootstrap.
    Output: JSON-ready: n, references, ties, method, and groups, the largest first: systems that
    are linked by comparisons, each with wins, ties, losses, share in [0, 1] and strength as value,
    low, high, ordered by strength, or by share where `reason` says why there is no strength.
    Source: see fit_strengths().
    """
    counts = _Counts.of(found)
    wins, ties = counts.of_weights(np.ones((1, found.references)))
    groups = sorted(_groups(wins[0] + ties[0]), key=lambda members: (-len(members), members[0]))
    return {
        "n": len(found.y),
        "references": found.references,
        "ties": int(np.count_nonzero(found.y == 0)),
        "groups": [_group(found, counts, members, resamples, seed) for members in groups],
        "method": METHOD,
    }


@dataclass(frozen=True, slots=True)
class _Counts:
    """Wins and ties by reference: R x (2 K K), sparse, as a reference meets few of the pairs."""

    systems: int
    by_reference: Any

    @classmethod
    def of(cls, found: Comparisons) -> _Counts:
        from scipy.sparse import csr_array

        systems = len(found.names)
        winner = np.where(found.y < 0, found.c, found.b)
        other = np.where(found.y < 0, found.b, found.c)
        is_tie = found.y == 0
        cells = winner * systems + other + is_tie * systems**2
        shape = (found.references, 2 * systems**2)
        ones = np.ones(len(cells))
        return cls(systems, csr_array((ones, (found.clusters, cells)), shape=shape))

    def of_weights(self, weights: Floats) -> tuple[Floats, Floats]:
        """Wins and ties, each W x K x K, for W x R weights of references."""
        sums = np.asarray((self.by_reference.T @ weights.T).T)
        wins, ties = sums.reshape(-1, 2, self.systems, self.systems).transpose(1, 0, 2, 3)
        return wins, ties + ties.transpose(0, 2, 1)

    def among(self, members: Sequence[int], weights: Floats) -> tuple[Floats, Floats]:
        """The same among k of the systems. Output: twice W x k x k."""
        wins, ties = self.of_weights(weights)
        inside = np.ix_(range(len(weights)), members, members)
        return wins[inside], ties[inside]


def _groups(linked: Floats) -> list[list[int]]:
    """Number the systems of each group that comparisons link."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    count, numbers = connected_components(csr_array(linked), directed=False)
    return [np.flatnonzero(numbers == number).tolist() for number in range(count)]


def _group(
    found: Comparisons, counts: _Counts, members: list[int], resamples: int, seed: int
) -> dict[str, Any]:
    bootstrap = Bootstrap(found.references, resamples, seed)

    def figures(statistic: Statistic, place: Range, reason: str) -> list[dict[str, Any]]:
        def of_weights(weights: Floats) -> Floats:
            return statistic(*counts.among(members, weights))

        return figures_of(of_weights, bootstrap, place, reason)

    (wins,), (ties,) = counts.among(members, np.ones((1, found.references)))
    shares, strengths = (
        figures(shares_of, (0.0, 1.0), ALONE),
        figures(fit_strengths, ANY, NOT_FINITE),
    )
    rows: list[dict[str, Any]] = [
        {
            "system": found.names[member],
            "wins": int(wins[k].sum()),
            "ties": int(ties[k].sum()),
            "losses": int(wins[:, k].sum()),
            "share": shares[k],
            "strength": strengths[k],
        }
        for k, member in enumerate(members)
    ]
    is_ordered = strengths[0]["value"] is not None
    first = "strength" if is_ordered else "share"
    rows.sort(key=lambda row: (-row[first]["value"], row["system"]))
    return {"reason": "" if is_ordered else NOT_FINITE, "systems": rows}


def shares_of(wins: Floats, ties: Floats) -> Floats:
    """Share of comparisons won by each of K systems, a tie counting one half.

    Input: B x K x K counts, as fit_strengths(). Output: B x K shares in [0, 1], NaN without any.
    """
    won = (wins + ties / 2).sum(axis=2)
    return divide(won, won + (wins.transpose(0, 2, 1) + ties / 2).sum(axis=2))
