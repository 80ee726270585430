from datetime import date, timedelta

import pytest

from annotator.campaigns.queries import retention
from annotator.models import Campaign

TODAY = date(2026, 3, 31)


@pytest.mark.parametrize(
    ("days", "is_near", "has_passed", "days_over"),
    [(31, False, False, 0), (30, True, False, 0), (0, True, False, 0), (-1, False, True, 1)],
)
def test_a_day_is_near_for_thirty_days_and_then_past(days, is_near, has_passed, days_over) -> None:
    found = retention(Campaign(retain_until=TODAY + timedelta(days=days)), TODAY)
    assert found is not None
    assert (found.is_near, found.has_passed) == (is_near, has_passed)
    assert (found.days_left, found.days_over) == (days, days_over)


def test_without_a_date_nobody_has_decided() -> None:
    assert retention(Campaign(), TODAY) is None
