"""Rankings of the systems that wrote candidates, from comparisons and from ratings; no Django."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from patclaimeval.agreement.figures import no_figure, with_interval
from patclaimeval.agreement.items import Floats, Integers
from patclaimeval.statistics import resampling
from patclaimeval.statistics.resampling import divide

STEPS: Final = 100
LONGEST_STEP: Final = 1.0
IS_STILL: Final = 1e-11


def fit_strengths(wins: Floats, ties: Floats) -> Floats:
    """Fit the strengths of K systems to what they won, lost and tied, for B sets of counts.

    Input: B x K x K numbers >= 0: wins[i, j] of i over j, and ties[i, j] = ties[j, i] between them.
    Output: B x K strengths b (natural logarithms, sum 0): any numbers; NaN in a set where they are
    not finite or not unique: see is_rankable().
    Formula: P(i beats j) : P(j beats i) : P(tie) = exp(b_i) : exp(b_j) : exp(d + (b_i + b_j) / 2),
    by maximum likelihood; Newton's method, as the likelihood is concave in b and d.
    Source: Davidson, 1970; Newman, 2023 (the model that evalica calls newman).
    """
    found = np.full(wins.shape[:2], np.nan)
    is_fitted = is_rankable(wins, ties)
    if is_fitted.any():
        found[is_fitted] = _newton(wins[is_fitted], ties[is_fitted])
    return found


def is_rankable(wins: Floats, ties: Floats) -> NDArray[np.bool_]:
    """Return for which of B sets of counts every strength is finite and unique.

    Input: as fit_strengths(). Output: B truth values: from each system a chain of wins or ties
    leads to every other one, and, where there are ties, some circle of comparisons has more wins
    along it than ties: else the likelihood grows without end as d and the strengths do.
    Source: Ford, 1957, without ties; with them, no direction of recession (Albert and Anderson,
    1984): no v with v_i - v_j >= 1 for each win of i over j and |v_i - v_j| <= 1 for each tie.
    """
    # The shortest ways, a win one step back, a tie one step on: a circle below 0 forbids any v.
    ways = np.where(ties > 0, 1.0, np.inf)
    ways[wins > 0] = -1.0
    systems = wins.shape[-1]
    ways[:, range(systems), range(systems)] = 0.0
    for k in range(systems):
        ways = np.minimum(ways, ways[:, :, k, None] + ways[:, None, k, :])
        # Around a circle below 0 a way shortens without end; how far it has come is all the same.
        ways = np.maximum(ways, -2.0 * systems)
    is_linked = np.isfinite(ways).all(axis=(1, 2))
    contradicts = np.diagonal(ways, axis1=1, axis2=2).min(axis=1) < 0
    has_ties = ties.any(axis=(1, 2))
    return np.asarray(is_linked & (contradicts | ~has_ties))


def _newton(wins: Floats, ties: Floats) -> Floats:
    sets, systems = wins.shape[:2]
    strengths, has_ties = np.zeros((sets, systems)), ties.sum(axis=(1, 2)) > 0
    # Without a tie the likelihood only grows as d falls: then it is the model without ties.
    draw = np.where(has_ties, 0.0, -np.inf)
    played = wins + wins.transpose(0, 2, 1) + ties
    won = (wins + ties / 2).sum(axis=2)
    for _ in range(STEPS):
        step, draw_step = _step(strengths, draw, played, won, ties)
        size = np.maximum(np.abs(step).max(axis=1), np.abs(draw_step))
        # Far from the top a full step may overshoot.
        cut = np.minimum(1.0, LONGEST_STEP / np.maximum(size, IS_STILL))
        strengths += cut[:, None] * step
        draw += cut * draw_step
        if size.max() < IS_STILL:
            break
    strengths[size >= IS_STILL] = np.nan
    return strengths - strengths.mean(axis=1, keepdims=True)


def _step(
    strengths: Floats, draw: Floats, played: Floats, won: Floats, ties: Floats
) -> tuple[Floats, Floats]:
    """One step of Newton's method: of the strengths, and of the readiness to tie, d."""
    systems = strengths.shape[1]
    gap = (strengths[:, :, None] - strengths[:, None, :]) / 2
    up, down, level = np.exp(gap), np.exp(-gap), np.exp(draw)[:, None, None]
    wins, tied = up / (up + down + level), level / (up + down + level)
    scored = wins + tied / 2
    spread = played * (wins + tied / 4 - scored**2)
    curvature = np.zeros((len(strengths), systems + 1, systems + 1))
    curvature[:, :systems, :systems] = np.eye(systems) * spread.sum(axis=2)[:, None] - spread
    # The sum of the strengths is free; a plane through it makes the system solvable.
    curvature[:, :systems, :systems] += 1 / systems
    cross = (played * tied * (wins.transpose(0, 2, 1) - wins) / 2).sum(axis=2)
    curvature[:, :systems, systems] = curvature[:, systems, :systems] = cross
    own = (played * tied * (1 - tied)).sum(axis=(1, 2)) / 2
    curvature[:, systems, systems] = np.where(own > 0, own, 1.0)
    slope = np.empty((len(strengths), systems + 1, 1))
    slope[:, :systems, 0] = won - (played * scored).sum(axis=2)
    slope[:, systems, 0] = (ties - played * tied).sum(axis=(1, 2)) / 2
    step = np.linalg.solve(curvature, slope)[:, :, 0]
    return step[:, :systems], step[:, systems]


# Resamples that are computed together, so that many systems take little memory.
AT_ONCE = 100

OfWeights = Callable[[Floats], Floats]
Range = tuple[float, float]
ANY: Range = (-np.inf, np.inf)


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """R >= 1 references, how many resamples of them to draw (>= 1), and the seed of the draw."""

    references: int
    resamples: int
    seed: int


def figures_of(
    of_weights: OfWeights, bootstrap: Bootstrap, ends: Range, reason: str
) -> list[dict[str, Any]]:
    """Compute K figures and the 95 % interval of each.

    Input: a function from W x R weights of references to W x K figures, NaN where undefined; the
    bootstrap; the ends of a figure's range; why a figure is undefined, if it is.
    Output: K times `value`, `low`, `high`, JSON-ready, with a `reason` where one is None: jackknife
    t below 1,000 references, else percentiles of the bootstrap.
    """
    references = bootstrap.references
    values = of_weights(np.ones((1, references)))[0]
    if resampling.interval_method(references) == "bootstrap":
        weights = resampling.bootstrap_weights(references, bootstrap.resamples, bootstrap.seed)
        drawn = np.concatenate(
            [
                of_weights(weights[first : first + AT_ONCE].astype(np.float64))
                for first in range(0, bootstrap.resamples, AT_ONCE)
            ]
        )
        intervals = [resampling.percentile_interval(column, references) for column in drawn.T]
    else:
        all_but_one = 1 - np.eye(references)
        without = np.concatenate(
            [
                of_weights(all_but_one[first : first + AT_ONCE])
                for first in range(0, references, AT_ONCE)
            ]
        )
        intervals = [
            resampling.jackknife_t_interval(float(value), column, *ends)
            for value, column in zip(values, without.T, strict=True)
        ]
    pairs = zip(values.tolist(), intervals, strict=True)
    return [
        no_figure(reason) if np.isnan(value) else with_interval(value, interval)
        for value, interval in pairs
    ]


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
    low, high, ordered by strength, or by share where `reason` is why there is no strength.
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


NOT_RATED: Final = "No candidate of this system has a settled rating."
RATING_METHOD: Final = (
    "Mean of the settled ratings of a system's candidates, in points; interval: 95 %, clustered by "
    "reference. Systems that wrote for other references were rated on other work: compare them "
    "with care."
)


@dataclass(frozen=True, slots=True)
class SystemRatings:
    """The settled ratings of n candidates.

    `names`: K systems; `system`: n numbers of systems, 0 to K - 1; `points`: n ratings, 0 to 10;
    `clusters`: n reference numbers, 0 to R - 1.
    """

    names: Sequence[str]
    system: Integers
    points: Floats
    clusters: Integers
    references: int


def rank_by_ratings(found: SystemRatings, resamples: int, seed: int) -> dict[str, Any]:
    """Rank systems by their mean rating.

    Input: n >= 1 ratings; resamples >= 1 and a whole seed >= 0 of the bootstrap.
    Output: JSON-ready: n, references, method, and systems, the highest mean first, each with its
    system, n, references, and mean in [0, 10] as value, low, high.
    """
    size = (found.references, len(found.names))
    counts, sums = np.zeros(size), np.zeros(size)
    np.add.at(counts, (found.clusters, found.system), 1.0)
    np.add.at(sums, (found.clusters, found.system), found.points)

    def means_of(weights: Floats) -> Floats:
        return divide(weights @ sums, weights @ counts)

    figures = figures_of(
        means_of, Bootstrap(found.references, resamples, seed), (0.0, 10.0), NOT_RATED
    )
    rows = [
        {
            "system": name,
            "n": int(counts[:, k].sum()),
            "references": int(np.count_nonzero(counts[:, k])),
            "mean": figures[k],
        }
        for k, name in enumerate(found.names)
    ]
    rows.sort(key=_highest_first)
    return {
        "n": len(found.points),
        "references": found.references,
        "systems": rows,
        "method": RATING_METHOD,
    }


def _highest_first(row: dict[str, Any]) -> tuple[bool, float, str]:
    value = row["mean"]["value"]
    return value is None, -(value or 0.0), row["system"]
