"""An estimate without a value holds what there was to use."""

from core.statistics.tables import Estimate, undefined


def test_an_undefined_estimate_has_a_reason_and_no_numbers() -> None:
    assert undefined("Why.", 3, 2) == Estimate(None, None, None, 3, 2, "Why.", "")
