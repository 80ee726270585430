"""Plans follow from the components by hand, and agree with the reliability they predict."""

import math

import pytest

from annotator.reliability.rules import annotators_needed, expected_icc, standard_error_of_mean
from core.statistics.coefficients import Components, intraclass_correlations
from core.statistics.tables import ReliabilityError
from tests.core.statistics.conftest import SHROUT_FLEISS, make_table

COMPONENTS = Components(items=4.0, annotators=1.0, residual=3.0, ratings_per_item=2.0)


def test_standard_errors_by_hand() -> None:
    assert standard_error_of_mean(COMPONENTS, 4) == 1.0
    assert standard_error_of_mean(COMPONENTS, 3, is_shared=True) == 1.0


def test_annotators_needed_by_hand() -> None:
    assert annotators_needed(COMPONENTS, 1.0) == 4
    assert annotators_needed(COMPONENTS, 0.99) == 5
    assert annotators_needed(COMPONENTS, 1.0, is_shared=True) == 3
    assert annotators_needed(COMPONENTS, 50.0) == 1


def test_the_plan_reaches_what_was_wanted_and_one_fewer_does_not() -> None:
    for hundredths in range(30, 200, 7):
        wanted = hundredths / 100
        k = annotators_needed(COMPONENTS, wanted)
        assert standard_error_of_mean(COMPONENTS, k) <= wanted * (1 + 1e-9)
        assert k == 1 or standard_error_of_mean(COMPONENTS, k - 1) > wanted


def test_a_whole_number_is_not_rounded_up() -> None:
    for k in range(1, 200):
        assert annotators_needed(COMPONENTS, math.sqrt(4 / k)) == k


def test_variances_below_zero_count_as_zero() -> None:
    odd = Components(items=1.0, annotators=-0.5, residual=2.0, ratings_per_item=2.0)
    assert standard_error_of_mean(odd, 2) == 1.0


def test_the_expected_icc_is_the_one_measured_for_the_mean() -> None:
    found = intraclass_correlations(make_table(SHROUT_FLEISS))
    assert expected_icc(found.single.value, 4) == pytest.approx(found.mean.value, abs=1e-12)
    assert expected_icc(0.5, 2) == pytest.approx(2 / 3)


def test_an_icc_far_below_zero_predicts_nothing() -> None:
    assert expected_icc(-0.5, 3) is None


@pytest.mark.parametrize("k", [0, -1])
def test_no_annotators_are_refused(k: int) -> None:
    for plan in (lambda: standard_error_of_mean(COMPONENTS, k), lambda: expected_icc(0.5, k)):
        with pytest.raises(ReliabilityError):
            plan()
    with pytest.raises(ReliabilityError):
        annotators_needed(COMPONENTS, k)


def test_an_icc_above_one_is_refused() -> None:
    with pytest.raises(ReliabilityError):
        expected_icc(1.1, 2)
