"""P32: web servers whose clocks are wrong, or step back, do no harm: one clock counts."""

import itertools
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from django.db import connection

from annotator.accounts.sessions import create_token
from annotator.models import ApiToken, Assignment, AuditEvent, Campaign, Rating, RatingRevision
from core.clock import database_now
from tests.promises.harness import (
    SCALE,
    Caller,
    make_callers,
    on_progress,
    rating_body,
    server_errors,
)
from tests.served import wrong_clocks
from tests.served.faults import own_clock
from tests.served.server import Server

pytestmark = [
    pytest.mark.promise("P32"),
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(wrong_clocks.library() is None, reason="libfaketime is not installed"),
]
RATINGS: Final = 5 * SCALE
LEASE: Final = timedelta(minutes=30)
HALF_AN_HOUR: Final = timedelta(minutes=30)
# Where a clock is wrong it is so by an hour at least.
NOTHING: Final = timedelta(minutes=5)


@pytest.fixture
def servers(transactional_db: None, tmp_path: Path) -> Any:
    """Three servers over one database: a day ahead, an hour behind, and one that steps back."""
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has no clock but that of each process")
    offset = tmp_path / "offset"
    offset.write_text("+0")
    surroundings = [
        wrong_clocks.wrong_by("+1d"),
        wrong_clocks.wrong_by("-1h"),
        wrong_clocks.offset_from(offset),
    ]
    made = [Server(1, 2, **env) for env in surroundings]
    for server in made:
        server.start()
    yield made, offset
    for server in made:
        server.kill()


def at(caller: Caller, server: Server) -> Caller:
    """Have the same program ask another server."""
    caller.port = server.port
    return caller


def is_now(moment: datetime) -> bool:
    return abs(moment - database_now()) < NOTHING


def rate_everywhere(caller: Caller, campaign: Campaign, order: list[Server], number: int) -> None:
    """Take, rate and revise one candidate, each at another server."""
    first, second, third = (order[(number + n) % 3] for n in range(3))
    taken = at(caller, first).take_next(campaign)
    assert taken.status == 200, taken
    row = Assignment.objects.get(pk=taken.body["id"])
    assert row.lease_expires_at and is_now(row.lease_expires_at - LEASE), "the lease"
    body = rating_body(row.pk, [5] * 4)
    made = at(caller, second).submit(body, key=f"{row.pk}")
    assert made.status == 201, made
    address = f"/api/v1/ratings/{made.body['id']}/"
    for version, server in ((1, third), (2, first)):
        change = {"comment": f"Revised {version}"}
        answer = at(caller, server).call("PATCH", address, change, {"If-Match": f'"{version}"'})
        assert answer.status == 200, answer


def negative_durations() -> int:
    """Return how often something that came later bears an earlier time."""
    wrong = sum(row.revised_at < row.submitted_at for row in Rating.objects.all())
    for rating in Rating.objects.all():
        made = list(rating.revisions.order_by("number").values_list("made_at", flat=True))
        wrong += made != sorted(made)
    times = list(AuditEvent.objects.order_by("pk").values_list("at", flat=True))
    # Of two that are written at one time, the later number may commit first.
    return wrong + sum(later < earlier - NOTHING for earlier, later in itertools.pairwise(times))


def test_servers_with_wrong_clocks_agree_on_times_order_leases_locks_and_tokens(
    cast, servers, tally
) -> None:
    made, offset = servers
    Campaign.objects.update(lease_minutes=LEASE.seconds // 60, overlap=1, revision_hours=2)
    cast.campaign.refresh_from_db()
    for number in range(RATINGS):
        cast.reference(f"r{number}", 1)
    (caller,) = make_callers(cast.campaign, 1, made[0].port)
    tally.tried(ratings_at_three_servers=RATINGS, steps_back=1)
    for number in range(RATINGS):
        if number == RATINGS // 2:
            offset.write_text("-2h")
            time.sleep(2)
        rate_everywhere(caller, cast.campaign, made, number)
    wrong = negative_durations()
    tally.noted(f"{wrong} negative durations")
    on_progress(tally, [caller])
    assert wrong == 0
    assert all(is_now(row.submitted_at) and is_now(row.revised_at) for row in Rating.objects.all())
    assert RatingRevision.objects.count() == 3 * RATINGS
    # The window of two hours is open at the server of tomorrow, and closed at that of an hour ago.
    address = f"/api/v1/ratings/{Rating.objects.order_by('pk')[0].pk}/"
    change = ("PATCH", address, {"comment": "Once more"}, {"If-Match": '"3"'})
    Rating.objects.update(revised_at=database_now() - timedelta(hours=2, minutes=10))
    assert at(caller, made[1]).call(*change).status == 409
    Rating.objects.update(revised_at=database_now())
    assert at(caller, made[0]).call(*change).status == 200
    assert server_errors([caller]) == {}


@pytest.mark.exhaustive
def test_a_token_is_judged_by_the_same_clock_everywhere(cast, servers) -> None:
    made, _ = servers
    caller = Caller(cast.alice, create_token(user=cast.alice).token, made[0].port)
    for left, status in ((HALF_AN_HOUR, 200), (-HALF_AN_HOUR, 401)):
        ApiToken.objects.update(expires_at=database_now() + left)
        for server in made:
            assert at(caller, server).call("GET", "/api/v1/campaigns/").status == status


def test_a_server_that_goes_by_its_own_clock_is_found_out(cast, start_server) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has no clock but that of each process")
    Campaign.objects.update(lease_minutes=LEASE.seconds // 60)
    cast.reference("r1", 1)
    ahead = start_server(**wrong_clocks.wrong_by("+1d"), SERVED_FAULT=own_clock.__name__)
    (caller,) = make_callers(cast.campaign, 1, ahead.port)
    with pytest.raises(AssertionError, match="the lease"):
        rate_everywhere(caller, cast.campaign, [ahead] * 3, 0)
