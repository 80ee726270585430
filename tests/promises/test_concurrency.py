"""P3: the usual bustle of a panel never shows an error; on SQLite thanks to its settings."""

from functools import partial
from typing import Any

import pytest
from django.db import connection

from annotator.models import Campaign, Rating
from tests.crowd import at_once
from tests.promises.harness import (
    SCALE,
    SERVED,
    Caller,
    make_callers,
    on_progress,
    rating_body,
    server_errors,
)
from tests.served.server import Server

pytestmark = [pytest.mark.promise("P3"), *SERVED]
ANNOTATORS = 50
# It is SQLite that would show them.
EACH = (5 if connection.vendor == "sqlite" else 2) * SCALE


def rate(caller: Caller, campaign: Campaign, count: int) -> int:
    """Take candidates, rate each and think better of it; return how many there were."""
    for number in range(count):
        taken = caller.take_next(campaign)
        if taken.status != 200:
            return number
        rating = rating_body(taken.body["id"], [number % 11] * 4)
        made = caller.submit(rating, key=f"rating {number}")
        if made.status == 201:
            address = f"/api/v1/ratings/{made.body['id']}/"
            caller.call("PATCH", address, {"comment": "Better so."}, {"If-Match": '"1"'})
    return count


def bustle(cast: Any, server: Server, annotators: int, each: int) -> list[Caller]:
    """Have annotators rate at once, twice as many as one candidate takes; return them."""
    # As many candidates more than they will rate as one of them rates: the last place is then never
    # only on what its taker has rated already.
    for number in range(annotators * each // 10 + each // 5):
        cast.reference(f"r{number}", 5)
    callers = make_callers(cast.campaign, annotators, server.port)
    done = at_once([partial(rate, caller, cast.campaign, each) for caller in callers])
    assert all(isinstance(count, int) for count in done), done
    return callers


def test_fifty_annotators_at_once_meet_no_error(cast, server, tally) -> None:
    callers = bustle(cast, server, ANNOTATORS, EACH)
    tally.tried(submits=ANNOTATORS * EACH, revisions=ANNOTATORS * EACH)
    on_progress(tally, callers)
    assert server_errors(callers) == {}
    statuses = {status for caller in callers for status in caller.statuses}
    assert statuses == {200, 201}
    assert set(Rating.objects.values_list("version", "comment")) == {(2, "Better so.")}
    assert Rating.objects.count() == ANNOTATORS * EACH


@pytest.mark.promise("P3", planted=True)
def test_the_usual_transactions_of_django_would_show_errors(cast, start_server) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("a setting of SQLite")
    server = start_server(SERVED_TRANSACTION_MODE="DEFERRED")
    assert server_errors(bustle(cast, server, 20, 5)) != {}
