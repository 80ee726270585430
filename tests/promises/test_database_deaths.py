"""P2: an acknowledged rating is never lost, doubled or altered when PostgreSQL dies."""

import time
from contextlib import AbstractContextManager
from typing import Final

import pytest
from django.db import connection

from tests.crowd import meanwhile
from tests.promises.conftest import served
from tests.promises.harness import SCALE, Caller, differences, make_callers, wait_until
from tests.promises.rated_work import assert_faithful, give_work, send_all, sent_of
from tests.served.postgres import OwnPostgres, programs
from tests.soak.tally import Tally

pytestmark = [
    pytest.mark.promise("P2"),
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(programs() is None, reason="no programs of PostgreSQL"),
]
ANNOTATORS: Final = 50
REFERENCES_EACH: Final = 2 * SCALE
KILLS: Final = 2 if SCALE == 1 else 10
DATABASE_DOWN: Final = 503


def killed_on_the_way(
    database: OwnPostgres, callers: list[Caller], ratings: int, kills: int, tally: Tally
) -> AbstractContextManager[None]:
    """Kill the database each time after another share of the answers, and start it again."""

    def kill() -> None:
        for number in range(1, kills + 1):
            due = ratings * number // (kills + 1)
            wait_until(lambda due=due: stored_by(callers) >= due, "a share of the ratings")  # type: ignore[misc]
            database.kill()
            database.start()
            begun, so_far = time.monotonic(), stored_by(callers)
            wait_until(lambda n=so_far: stored_by(callers) > n, "the service answers again")  # type: ignore[misc]
            tally.noted(f"answered {time.monotonic() - begun:.1f} s after the database was back")

    return meanwhile(kill)


def stored_by(callers: list[Caller]) -> int:
    return sum(caller.statuses[201] for caller in callers)


def test_kill_9_of_the_database_loses_doubles_and_alters_no_acknowledged_rating(
    cast, own_postgres, start_server, tally
) -> None:
    database = own_postgres()
    server = served(start_server, database)
    callers = make_callers(cast.campaign, ANNOTATORS, server.port)
    work = give_work(cast, callers, REFERENCES_EACH)
    submits = len(sent_of(work))
    tally.tried(submits=submits, kills=KILLS)
    with killed_on_the_way(database, callers, submits, KILLS, tally):
        connection.close()
        acknowledged = send_all(work, {})
    # While it is down the answers are 503, and nothing else is wrong.
    assert_faithful(work, acknowledged, tally, expected=[DATABASE_DOWN])


def test_a_database_that_acknowledges_before_it_has_written_is_found_out(
    cast, own_postgres, start_server
) -> None:
    # Its writer sleeps ten seconds, so that what it had not written when it died is much.
    database = own_postgres(synchronous_commit="off", wal_writer_delay="10000")
    server = served(start_server, database)
    callers = make_callers(cast.campaign, 4, server.port)
    work = give_work(cast, callers, 2)
    connection.close()
    acknowledged = send_all(work, {})
    assert stored_by(callers) > 0
    database.kill()
    database.start()
    connection.close()
    assert any("stored 0 times" in line for line in differences(acknowledged, sent_of(work)))
