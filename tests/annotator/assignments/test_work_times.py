from datetime import UTC, datetime

import pytest
from django.test import Client

from annotator.assignments.work_times import Spent, time_text, times_of
from annotator.models import Campaign, Membership, Rating
from tests.conftest import make_reference

pytestmark = pytest.mark.postgres
MONDAY, TUESDAY = (datetime(2026, 11, day, 23, 30, tzinfo=UTC) for day in (23, 24))


def set_time(rating: Rating, at: datetime, seconds: int) -> None:
    Rating.objects.filter(pk=rating.pk).update(submitted_at=at, active_seconds=seconds)


def test_a_duration_is_said_in_hours_and_minutes() -> None:
    said = {seconds: time_text(seconds) for seconds in (0, 59, 60, 3599, 3600, 3960, 360_000)}
    assert said == {
        0: "0 min",
        59: "under 1 min",
        60: "1 min",
        3599: "59 min",
        3600: "1 h 00 min",
        3960: "1 h 06 min",
        360_000: "100 h 00 min",
    }


def test_own_time_is_summed_by_campaign_and_by_day(
    cast, client: Client, django_assert_num_queries
) -> None:
    reference = cast.reference()
    for row, at, seconds in zip(
        cast.assign(cast.alice, reference),
        (MONDAY, TUESDAY, TUESDAY),
        (100, 200, 3700),
        strict=True,
    ):
        set_time(cast.submit(row), at, seconds)
    set_time(cast.submit(cast.assign(cast.bob, reference)[0]), TUESDAY, 50_000)
    other = Campaign.objects.create(slug="mugs", name="Mugs")
    Membership.objects.create(user=cast.alice, campaign=other, role="annotator")
    set_time(cast.submit(cast.assign(cast.alice, make_reference(other, "m", 1))[0]), MONDAY, 40)
    with django_assert_num_queries(1):
        cups, mugs = times_of(cast.alice)
    assert cups.days == (Spent(TUESDAY.date(), 2, 3900), Spent(MONDAY.date(), 1, 100))
    assert (cups.ratings, cups.time, mugs.time) == (3, "1 h 06 min", "under 1 min")
    client.force_login(cast.alice)
    page = client.get("/rated/").content.decode()
    for words in ("1 h 06 min", "1 h 05 min", "1 min", "under 1 min", "24 Nov 2026", "Mugs"):
        assert f">{words}<" in page
    assert "13 h" not in page


def test_who_has_rated_nothing_has_no_time(cast, client: Client) -> None:
    client.force_login(cast.alice)
    assert times_of(cast.alice) == ()
    assert "Your active time" not in client.get("/rated/").content.decode()
