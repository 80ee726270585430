"""P32: leases, tokens and due dates go by the database's clock, whatever that of a web server."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

import pytest
from django.db import connection

from annotator.accounts.sessions import create_token
from annotator.models import ApiToken, Assignment, Campaign, Rating
from core.clock import database_now
from tests.promises.harness import SCALE, Caller, make_callers, rating_body
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
# Where a clock is wrong it is so by an hour at least.
NOTHING: Final = timedelta(minutes=5)


@pytest.fixture
def servers(transactional_db: None) -> Iterator[list[Server]]:
    """Two servers over one database: one a day ahead, one an hour behind."""
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has no clock but that of each process")
    made = [Server(1, **wrong_clocks.wrong_by(offset)) for offset in ("+1d", "-1h")]
    for server in made:
        server.start()
    yield made
    for server in made:
        server.kill()


def at(caller: Caller, server: Server) -> Caller:
    """Have the same program ask another server."""
    caller.port = server.port
    return caller


def is_now(moment: datetime) -> bool:
    return abs(moment - database_now()) < NOTHING


def rate_everywhere(caller: Caller, campaign: Campaign, first: Server, second: Server) -> None:
    """Take, rate and revise one candidate, each at another server."""
    taken = at(caller, first).take_next(campaign)
    assert taken.status == 200, taken
    row = Assignment.objects.get(pk=taken.body["id"])
    assert row.lease_expires_at and is_now(row.lease_expires_at - LEASE), "the lease"
    made = at(caller, second).submit(rating_body(row.pk, [5] * 4), key=f"{row.pk}")
    assert made.status == 201, made
    change = ("PATCH", f"/api/v1/ratings/{made.body['id']}/", {"comment": "Revised"})
    answer = at(caller, first).call(*change, {"If-Match": '"1"'})
    assert answer.status == 200, answer


def test_servers_with_wrong_clocks_agree_on_leases_and_locks(cast, servers, tally) -> None:
    Campaign.objects.update(lease_minutes=LEASE.seconds // 60, overlap=1, revision_hours=2)
    cast.campaign.refresh_from_db()
    for number in range(RATINGS):
        cast.reference(f"r{number}", 1)
    (caller,) = make_callers(cast.campaign, 1, servers[0].port)
    tally.tried(ratings_at_two_servers=RATINGS)
    for number in range(RATINGS):
        rate_everywhere(caller, cast.campaign, servers[number % 2], servers[(number + 1) % 2])
    for row in Rating.objects.all():
        assert is_now(row.submitted_at) and is_now(row.revised_at)
        assert row.submitted_at <= row.revised_at
    # The window of two hours is open at the server of tomorrow, and closed at that of an hour ago.
    ahead, behind = servers
    address = f"/api/v1/ratings/{Rating.objects.order_by('pk')[0].pk}/"
    change = ("PATCH", address, {"comment": "Once more"}, {"If-Match": '"2"'})
    Rating.objects.update(revised_at=database_now() - timedelta(hours=2, minutes=10))
    assert at(caller, behind).call(*change).status == 409
    Rating.objects.update(revised_at=database_now())
    assert at(caller, ahead).call(*change).status == 200


@pytest.mark.exhaustive
def test_a_token_is_judged_by_the_same_clock_everywhere(cast, servers) -> None:
    caller = Caller(cast.alice, create_token(user=cast.alice).token, servers[0].port)
    for left, status in ((LEASE, 200), (-LEASE, 401)):
        ApiToken.objects.update(expires_at=database_now() + left)
        for server in servers:
            assert at(caller, server).call("GET", "/api/v1/campaigns/").status == status


def test_a_server_that_goes_by_its_own_clock_is_found_out(cast, start_server) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has no clock but that of each process")
    Campaign.objects.update(lease_minutes=LEASE.seconds // 60)
    cast.reference("r1", 1)
    ahead = start_server(**wrong_clocks.wrong_by("+1d"), SERVED_FAULT=own_clock.__name__)
    (caller,) = make_callers(cast.campaign, 1, ahead.port)
    with pytest.raises(AssertionError, match="the lease"):
        rate_everywhere(caller, cast.campaign, ahead, ahead)
