"""Strengths of systems from wins and ties: the Bradley-Terry model with ties, fitted exactly."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.agreement.items import Floats

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
    """Say for which of B sets of counts every strength is finite and unique.

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
    beats, tied = up / (up + down + level), level / (up + down + level)
    scored = beats + tied / 2
    spread = played * (beats + tied / 4 - scored**2)
    curvature = np.zeros((len(strengths), systems + 1, systems + 1))
    curvature[:, :systems, :systems] = np.eye(systems) * spread.sum(axis=2)[:, None] - spread
    # The sum of the strengths is free; a plane through it keeps the system solvable.
    curvature[:, :systems, :systems] += 1 / systems
    cross = (played * tied * (beats.transpose(0, 2, 1) - beats) / 2).sum(axis=2)
    curvature[:, :systems, systems] = curvature[:, systems, :systems] = cross
    own = (played * tied * (1 - tied)).sum(axis=(1, 2)) / 2
    curvature[:, systems, systems] = np.where(own > 0, own, 1.0)
    slope = np.empty((len(strengths), systems + 1, 1))
    slope[:, :systems, 0] = won - (played * scored).sum(axis=2)
    slope[:, systems, 0] = (ties - played * tied).sum(axis=(1, 2)) / 2
    step = np.linalg.solve(curvature, slope)[:, :, 0]
    return step[:, :systems], step[:, systems]
