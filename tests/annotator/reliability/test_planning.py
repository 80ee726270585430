"""How many annotators an item needs follows from the components by hand."""

import math

import pytest

from annotator.reliability.rules import annotators_needed
from core.statistics.coefficients import Components
from core.statistics.tables import ReliabilityError

COMPONENTS = Components(items=4.0, annotators=1.0, residual=3.0, ratings_per_item=2.0)


def test_annotators_needed_by_hand() -> None:
    assert annotators_needed(COMPONENTS, 1.0) == 4
    assert annotators_needed(COMPONENTS, 0.99) == 5
    assert annotators_needed(COMPONENTS, 50.0) == 1


def test_the_plan_reaches_what_was_wanted_and_one_fewer_does_not() -> None:
    for hundredths in range(30, 200, 7):
        wanted = hundredths / 100
        k = annotators_needed(COMPONENTS, wanted)
        # The error variance of one rating is 1 + 3.
        assert math.sqrt(4 / k) <= wanted * (1 + 1e-9)
        assert k == 1 or math.sqrt(4 / (k - 1)) > wanted


def test_a_whole_number_is_not_rounded_up() -> None:
    for k in range(1, 200):
        assert annotators_needed(COMPONENTS, math.sqrt(4 / k)) == k


def test_variances_below_zero_count_as_zero() -> None:
    odd = Components(items=1.0, annotators=-0.5, residual=2.0, ratings_per_item=2.0)
    assert annotators_needed(odd, 1.0) == 2


@pytest.mark.parametrize("wanted", [0, -1])
def test_a_standard_error_that_is_not_above_zero_is_refused(wanted: int) -> None:
    with pytest.raises(ReliabilityError):
        annotators_needed(COMPONENTS, wanted)
