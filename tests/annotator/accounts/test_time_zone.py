"""The zone in which pages show times, and what stays in UTC."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from annotator.models import Rating, User

pytestmark = pytest.mark.postgres
WINTER, SUMMER = (datetime(2026, month, 25, 22, 30, tzinfo=UTC) for month in (11, 7))


@pytest.fixture
def in_berlin(cast) -> User:
    User.objects.filter(pk=cast.alice.pk).update(time_zone="Europe/Berlin")
    cast.alice.refresh_from_db()
    return cast.alice


def rate_at(cast, at: datetime) -> Rating:
    rating = cast.submit(cast.assign(cast.alice, cast.reference())[0])
    Rating.objects.filter(pk=rating.pk).update(revised_at=at, submitted_at=at)
    return rating


@pytest.mark.parametrize(
    ("at", "shown"),
    [(WINTER, "25 Nov 2026, 23:30 CET"), (SUMMER, "26 Jul 2026, 00:30 CEST")],
)
def test_pages_show_times_in_the_zone_of_the_person(cast, client: Client, in_berlin, at, shown):
    rate_at(cast, at)
    client.force_login(in_berlin)
    assert shown in client.get("/rated/").text


def test_without_a_choice_times_are_in_utc(cast, client: Client) -> None:
    rate_at(cast, WINTER)
    client.force_login(cast.alice)
    assert "25 Nov 2026, 22:30 UTC" in client.get("/rated/").text


def test_one_sets_the_zone_on_the_account_page(cast, client: Client) -> None:
    client.force_login(cast.alice)
    page = client.post("/account/", {"time_zone": "Asia/Tokyo"}, follow=True)
    assert "Times are shown in this zone now." in page.text
    assert " JST<" in page.text
    assert User.objects.get(pk=cast.alice.pk).time_zone == "Asia/Tokyo"


def test_a_zone_that_does_not_exist_is_refused(cast, client: Client) -> None:
    client.force_login(cast.alice)
    page = client.post("/account/", {"time_zone": "Mars/Olympus"})
    assert page.status_code == 422
    assert "There is no time zone of this name." in page.text
    assert User.objects.get(pk=cast.alice.pk).time_zone == "UTC"


def test_the_next_request_of_somebody_else_is_in_their_zone(cast, client: Client, in_berlin):
    rate_at(cast, WINTER)
    client.force_login(in_berlin)
    client.get("/rated/")
    client.force_login(cast.bob)
    assert " UTC<" in client.get("/account/").text


def test_programs_get_times_in_utc(cast, client: Client, in_berlin) -> None:
    rating = rate_at(cast, WINTER)
    client.force_login(in_berlin)
    answer = client.get(f"/api/v1/ratings/{rating.pk}/")
    assert answer.status_code == 200
    assert "2026-11-25T22:30:00" in answer.text
    assert "+01:00" not in answer.text
