"""Tests of the interval of a share."""

import pytest

from patclaimeval.statistics.shares import wilson_interval


def test_wilsons_interval_equals_published_values() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3: 81 of 263 and 15 of 148.
    for hits, n, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605)):
        found = wilson_interval(hits, n)
        assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    # The same table: 0 of 20 and 1 of 29.
    assert wilson_interval(0, 20).low == 0
    assert round(wilson_interval(0, 20).high, 4) == 0.1611
    assert round(wilson_interval(1, 29).high, 4) == 0.1718
    assert wilson_interval(29, 29).high == 1


@pytest.mark.parametrize(("hits", "n"), [(0, 0), (2, 1), (-1, 3)])
def test_a_share_of_nothing_has_no_interval(hits: int, n: int) -> None:
    with pytest.raises(ValueError):
        wilson_interval(hits, n)
