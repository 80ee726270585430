"""Strengths equal closed forms, Newman's own iteration and a general optimiser."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from scoring.ranking import fit_strengths, is_rankable


def counts(systems: int, *rows: tuple[int, int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """One set of counts out of rows (i, j, wins of i, ties)."""
    wins, ties = np.zeros((1, systems, systems)), np.zeros((1, systems, systems))
    for i, j, won, tied in rows:
        wins[0, i, j] += won
        ties[0, i, j] += tied
        ties[0, j, i] += tied
    return wins, ties


def drawn(seed: int, systems: int, games: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    strength = random.normal(size=systems)
    wins, ties = counts(systems)
    for _ in range(games):
        i, j = random.choice(systems, 2, replace=False)
        odds = np.exp([strength[i], strength[j], -0.4 + (strength[i] + strength[j]) / 2])
        outcome = random.choice(3, p=odds / odds.sum())
        one, other = ((i, j), (j, i), (i, j))[outcome]
        (ties if outcome == 2 else wins)[0, one, other] += 1
        if outcome == 2:
            ties[0, j, i] += 1
    return wins, ties


def newman(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Newman 2023, equations for ties: p and v in turn until nothing moves."""
    systems = len(wins)
    p, v = np.ones(systems), 1.0
    for _ in range(20_000):
        before = p
        root = np.sqrt(np.outer(p, p))
        total = p[:, None] + p[None, :] + 2 * v * root
        upper = np.triu_indices(systems, 1)
        played = (wins + wins.T + ties)[upper]
        v = (ties[upper].sum() / 2) / (played * root[upper] / total[upper]).sum()
        root_ratio = np.sqrt(p[None, :] / p[:, None])
        total = p[:, None] + p[None, :] + 2 * v * root
        above = ((wins + ties / 2) * (p[None, :] + v * root) / total).sum(axis=1)
        below = ((wins.T + ties / 2) * (1 + v * root_ratio) / total).sum(axis=1)
        p = above / below
        p /= np.exp(np.log(p).mean())
        if np.abs(p - before).max() < 1e-14:
            return np.log(p)
    raise AssertionError("the iteration does not come to rest")


@pytest.mark.parametrize(
    ("systems", "rows", "odds"),
    [
        (2, [(0, 1, 6, 0), (1, 0, 2, 0)], [3]),
        # Ties leave the odds as they are.
        (2, [(0, 1, 6, 5), (1, 0, 2, 0)], [3]),
        # Without ties and without 0 against 2, each pair is fitted exactly.
        (3, [(0, 1, 9, 0), (1, 0, 3, 0), (1, 2, 8, 0), (2, 1, 4, 0)], [3, 2]),
        (3, [(0, 1, 4, 1), (1, 2, 4, 1), (2, 0, 4, 1)], [1, 1]),
    ],
)
def test_strengths_are_centred_with_the_odds_of_wins_between_them(systems, rows, odds) -> None:
    (found,) = fit_strengths(*counts(systems, *rows))
    assert -np.diff(found) == pytest.approx(np.log(odds), abs=1e-9)
    assert found.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_strengths_are_those_of_newmans_iteration(seed) -> None:
    wins, ties = drawn(seed, 5, 200)
    assert fit_strengths(wins, ties)[0] == pytest.approx(newman(wins[0], ties[0]), abs=1e-8)


def test_sets_are_fitted_each_for_itself() -> None:
    one, other = drawn(1, 4, 120), drawn(2, 4, 90)
    both = fit_strengths(*(np.concatenate(pair) for pair in zip(one, other, strict=True)))
    assert both[0] == pytest.approx(fit_strengths(*one)[0], abs=1e-9)
    assert both[1] == pytest.approx(fit_strengths(*other)[0], abs=1e-9)


def test_who_never_lost_has_no_finite_strength() -> None:
    wins, ties = counts(3, (0, 1, 3, 0), (0, 2, 3, 0), (1, 2, 2, 0), (2, 1, 1, 0))
    assert not is_rankable(wins, ties)[0]
    assert np.isnan(fit_strengths(wins, ties)).all()
    tied = counts(3, (0, 1, 3, 1), (0, 2, 3, 0), (1, 2, 2, 0), (2, 1, 1, 0))
    assert is_rankable(*tied)[0]
    assert np.isfinite(fit_strengths(*tied)).all()


games = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=3, max_size=14
)


@given(games)
def test_a_strength_is_given_exactly_where_the_likelihood_has_one_top(played) -> None:
    rows = [(i, j, int(not tied), int(tied)) for i, j, tied in played if i != j]
    wins, ties = counts(4, *rows)
    assert is_rankable(wins, ties)[0] == has_one_top(rows)
    assert np.isfinite(fit_strengths(wins, ties)).all() == has_one_top(rows)


def has_one_top(rows: list[tuple[int, int, int, int]]) -> bool:
    """By linear programming: nothing is gained by going on in any direction (v, e).

    A win of i over j is as likely as possible far along (v, e) where v_i - v_j >= 2e and >= 0, a
    tie where 2e >= |v_i - v_j|. Without ties e does not count.
    """
    has_ties = any(tied for *_, tied in rows)
    above = []
    for i, j, won, _ in rows:
        step = np.zeros(5)
        step[[i, j]] = -1, 1
        e = np.array([0, 0, 0, 0, 2.0 if has_ties else 0.0])
        above += [step, step + e] if won else [step - e, -step - e]
    fixed = [[1, 1, 1, 1, 0]] if has_ties else [[1, 1, 1, 1, 0], [0, 0, 0, 0, 1]]
    for goal in (*np.eye(5), *-np.eye(5)):
        none = [0] * len(above) or None
        found = linprog(goal, above or None, none, fixed, [0] * len(fixed), (-1, 1))
        if abs(found.fun) > 1e-7:
            return False
    return True
