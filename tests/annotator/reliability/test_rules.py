"""Order, plans and sentinels: by hand, against slow loops, and undefined in words."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau

from annotator.reliability.rules import (
    ALL_TIES,
    NO_COMPARISON,
    NO_SENTINELS,
    ONE_CRITERION,
    OrderAgreement,
    Sensitivity,
    annotators_needed,
    order_agreement,
    sensitivity,
)
from patclaimeval.statistics.coefficients import Components
from patclaimeval.statistics.tables import ReliabilityError, Sentinel
from tests.amounts import tries
from tests.patclaimeval.statistics.conftest import GAP, make_table, random_tables, shuffled


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


def counts_of(found: OrderAgreement) -> list[int]:
    return [found.concordant, found.discordant, found.tied_by_one, found.tied_by_both]


def test_order_agreement_by_hand() -> None:
    # Reference r: 1 2 3 against 1 3 2: two alike, one flip. Reference s: 5 5 against 4 6: one tie.
    values = [[1, 1], [2, 3], [3, 2], [5, 4], [5, 6]]
    found = order_agreement(make_table(values, "rrrss"))
    assert counts_of(found) == [2, 1, 1, 0]
    assert found.tau.value == pytest.approx((2 - 1) / (3 + 0.5))
    assert found.flips.value == pytest.approx(1 / 4)
    assert (found.tau.n, found.tau.clusters) == (4, 2)


def test_counts_and_figures_equal_loops_on_random_tables() -> None:
    for table in random_tables():
        found = order_agreement(table)
        c, d, one, both = slow_counts(table.values, table.clusters)
        assert counts_of(found) == [c, d, one, both]
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


@pytest.mark.parametrize(
    ("values", "clusters"),
    [([[1, 2], [2, 1]], ""), ([[1, GAP], [2, GAP]], "rr"), (np.zeros((0, 2)), "")],
    ids=["different references", "one annotator", "no items"],
)
def test_where_nothing_is_compared_it_is_said_in_words(values, clusters) -> None:
    found = order_agreement(make_table(values, clusters) if clusters else make_table(values))
    assert found.tau.value is found.flips.value is None
    assert found.tau.reason == NO_COMPARISON


def test_ties_everywhere_leave_tau_undefined_but_not_the_flips() -> None:
    found = order_agreement(make_table([[4, 1], [4, 3]], "rr"))
    assert (found.tau.value, found.tau.reason) == (None, ALL_TIES)
    assert found.flips.value == 0.0


COMPONENTS = Components(items=4.0, annotators=1.0, residual=3.0, ratings_per_item=2.0)


def test_annotators_needed_by_hand() -> None:
    assert annotators_needed(COMPONENTS, 1.0) == 4
    assert annotators_needed(COMPONENTS, 0.99) == 5
    assert annotators_needed(COMPONENTS, 50.0) == 1
    odd = Components(items=1.0, annotators=-0.5, residual=2.0, ratings_per_item=2.0)
    assert annotators_needed(odd, 1.0) == 2
    for k in range(1, 200):
        assert annotators_needed(COMPONENTS, math.sqrt(4 / k)) == k


def test_the_plan_reaches_what_was_wanted_and_one_fewer_does_not() -> None:
    for hundredths in range(30, 200, 7):
        wanted = hundredths / 100
        k = annotators_needed(COMPONENTS, wanted)
        # The error variance of one rating is 1 + 3.
        assert math.sqrt(4 / k) <= wanted * (1 + 1e-9)
        assert k == 1 or math.sqrt(4 / (k - 1)) > wanted


@pytest.mark.parametrize("wanted", [0, -1])
def test_a_standard_error_that_is_not_above_zero_is_refused(wanted: int) -> None:
    with pytest.raises(ReliabilityError):
        annotators_needed(COMPONENTS, wanted)


SENTINELS = [
    Sentinel("alice", "r", "x", {"x": 9, "y": 8, "z": 7}, {"x": 5, "y": 8, "z": 6}),
    Sentinel("alice", "s", "y", {"x": 9, "y": 8, "z": 7}, {"x": 9, "y": 9, "z": 7}),
    Sentinel("bob", "r", "x", {"x": 6, "y": 6, "z": 6}, {"x": 4, "y": 2, "z": 3}),
]


def chosen(found: tuple[Sensitivity, ...], person: str | None, key: str | None) -> Sensitivity:
    return next(one for one in found if (one.annotator, one.criterion) == (person, key))


def test_sensitivity_by_hand() -> None:
    found = sensitivity(SENTINELS)
    everything = chosen(found, None, None)
    assert everything.detected.value == pytest.approx(2 / 3)
    assert everything.drop_aimed.value == pytest.approx((4 - 1 + 2) / 3)
    assert everything.drop_elsewhere.value == pytest.approx((0 + 1 + 0 + 0 + 4 + 3) / 6)
    alice = chosen(found, "alice", None)
    assert (alice.detected.value, alice.detected.n) == (0.5, 2)
    assert chosen(found, None, "y").drop_aimed.value == -1
    assert chosen(found, "bob", "x").drop_elsewhere.value == 3.5


def test_every_annotator_meets_every_criterion_in_the_list() -> None:
    kinds = [(one.annotator, one.criterion) for one in sensitivity(SENTINELS)]
    assert len(kinds) == len(set(kinds)) == 1 + 2 + 2 + 4


def test_a_criterion_that_was_not_damaged_for_an_annotator_is_said_in_words() -> None:
    missing = chosen(sensitivity(SENTINELS), "bob", "y")
    assert (missing.detected.value, missing.detected.reason) == (None, NO_SENTINELS)


def test_no_sentinels_are_said_in_words() -> None:
    (everything,) = sensitivity([])
    assert (everything.detected.value, everything.detected.reason) == (None, NO_SENTINELS)


def test_one_criterion_alone_leaves_nothing_elsewhere() -> None:
    (everything, *_) = sensitivity([Sentinel("alice", "r", "x", {"x": 9}, {"x": 5})])
    assert everything.drop_aimed.value == 4
    elsewhere = everything.drop_elsewhere
    assert (elsewhere.value, elsewhere.reason) == (None, ONE_CRITERION)


@pytest.mark.parametrize(
    ("criterion", "damaged"), [("x", {"y": 1}), ("w", {"x": 1})], ids=["other", "unknown"]
)
def test_ratings_that_do_not_fit_are_refused(criterion: str, damaged: dict[str, float]) -> None:
    with pytest.raises(ReliabilityError):
        sensitivity([Sentinel("alice", "r", criterion, {"x": 9}, damaged)])
