"""Order agreement equals counting by hand, by loops, and scipy's tau where nothing is tied."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau

from annotator.reliability.rules import ALL_TIES, NO_COMPARISON, order_agreement
from tests.amounts import tries
from tests.core.statistics.conftest import GAP, make_table, random_tables, shuffled


def slow_counts(values: np.ndarray, clusters: tuple[str, ...]) -> list[int]:
    counts = [0, 0, 0, 0]
    for i, k in combinations(range(len(values)), 2):
        for a, b in combinations(range(values.shape[1]), 2):
            cells = values[[i, i, k, k], [a, b, a, b]]
            if clusters[i] == clusters[k] and not np.isnan(cells).any():
                one, two = cells[0] - cells[2], cells[1] - cells[3]
                kind = 0 if one * two > 0 else 1 if one * two < 0 else 2 if one or two else 3
                counts[kind] += 1
    return counts


def test_order_agreement_by_hand() -> None:
    # Reference r: 1 2 3 against 1 3 2: two alike, one flip. Reference s: 5 5 against 4 6: one tie.
    values = [[1, 1], [2, 3], [3, 2], [5, 4], [5, 6]]
    found = order_agreement(make_table(values, "rrrss"))
    assert (found.concordant, found.discordant, found.tied_by_one, found.tied_by_both) == (
        2, 1, 1, 0,
    )  # fmt: skip
    assert found.tau.value == pytest.approx((2 - 1) / (3 + 0.5))
    assert found.flips.value == pytest.approx(1 / 4)
    assert (found.tau.n, found.tau.clusters) == (4, 2)


def test_counts_and_figures_equal_loops_on_random_tables() -> None:
    for table in random_tables():
        found = order_agreement(table)
        c, d, one, both = slow_counts(table.values, table.clusters)
        assert [found.concordant, found.discordant, found.tied_by_one, found.tied_by_both] == [
            c, d, one, both,
        ]  # fmt: skip
        tau = (c - d) / (c + d + one / 2) if c + d else None
        flips = d / (c + d + one + both) if c + d + one + both else None
        assert found.tau.value == (None if tau is None else pytest.approx(tau, abs=1e-9))
        assert found.flips.value == (None if flips is None else pytest.approx(flips, abs=1e-9))


def test_without_ties_tau_is_kendalls() -> None:
    random = np.random.default_rng(7)
    for _ in range(50):
        values = np.column_stack([random.permutation(8), random.permutation(8)])
        expected = kendalltau(values[:, 0], values[:, 1]).statistic
        assert order_agreement(make_table(values, "r" * 8)).tau.value == pytest.approx(expected)


def test_the_order_of_items_and_annotators_changes_no_order_agreement() -> None:
    for table in random_tables(tries(50), seed=1):
        one, two = order_agreement(table), order_agreement(shuffled(table))
        assert one == two


def test_candidates_of_different_references_are_not_compared() -> None:
    found = order_agreement(make_table([[1, 2], [2, 1]]))
    assert found.tau.value is found.flips.value is None
    assert found.tau.reason == NO_COMPARISON


def test_ties_everywhere_leave_tau_undefined_but_not_the_flips() -> None:
    found = order_agreement(make_table([[4, 1], [4, 3]], "rr"))
    assert (found.tau.value, found.tau.reason) == (None, ALL_TIES)
    assert found.flips.value == 0.0


def test_one_annotator_has_its_message() -> None:
    assert order_agreement(make_table([[1, GAP], [2, GAP]], "rr")).tau.reason == NO_COMPARISON


def test_no_items_have_their_message() -> None:
    assert order_agreement(make_table(np.zeros((0, 2)))).tau.reason == NO_COMPARISON
