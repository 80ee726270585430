"""First and second scores are compared over all annotators and for each; none is said in words."""

import pytest

from annotator.reliability.people import NO_REPEATS, self_consistency
from core.statistics import resampling
from core.statistics.coefficients import TOO_FEW, intraclass_correlations
from core.statistics.tables import Repeat
from tests.core.statistics.conftest import make_table

REPEATS = [
    Repeat("bob", "r", 5, 5),
    Repeat("alice", "r", 3, 4),
    Repeat("alice", "s", 7, 7),
    Repeat("alice", "s", 2, 5),
]


def test_self_consistency_by_hand() -> None:
    everyone, alice, bob = self_consistency(REPEATS)
    assert (everyone.annotator, alice.annotator, bob.annotator) == (None, "alice", "bob")
    assert everyone.exact.value == pytest.approx(2 / 4)
    assert alice.exact.value == pytest.approx(1 / 3)
    assert alice.exact.n == 3
    assert alice.within.value == pytest.approx(2 / 3)
    assert alice.mean_difference.value == pytest.approx(4 / 3)
    assert (alice.exact.clusters, bob.exact.clusters) == (2, 1)


def test_its_icc_is_that_of_two_annotators() -> None:
    alice = self_consistency(REPEATS)[1]
    expected = intraclass_correlations(make_table([[3, 4], [7, 7], [2, 5]])).single.value
    assert alice.icc.value == pytest.approx(expected, abs=1e-12)


def test_one_repeat_has_shares_but_no_icc_and_no_interval() -> None:
    bob = self_consistency(REPEATS)[2]
    assert (bob.exact.value, bob.exact.low) == (1.0, None)
    assert bob.exact.reason == resampling.ONE_REFERENCE
    assert (bob.icc.value, bob.icc.reason) == (None, TOO_FEW)


def test_the_tolerance_is_in_points() -> None:
    assert self_consistency(REPEATS, within=3)[0].within.value == 1.0


def test_no_repeats_have_their_message() -> None:
    (everyone,) = self_consistency([])
    assert (everyone.exact.value, everyone.icc.reason) == (None, NO_REPEATS)
