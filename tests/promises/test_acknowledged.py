"""P1: an acknowledged rating is never lost, doubled or altered when the web process dies."""

from contextlib import AbstractContextManager

import pytest
from django.db import connection

from annotator.models import Rating
from tests.crowd import meanwhile
from tests.promises.harness import SCALE, SERVED, differences, make_callers, wait_until
from tests.promises.rated_work import assert_faithful, give_work, send_all, sent_of
from tests.served.dying import HALFWAY, UNANSWERED
from tests.served.server import Server

pytestmark = [pytest.mark.promise("P1"), *SERVED]
ANNOTATORS = 50
REFERENCES_EACH = 1 if SCALE == 1 else 2 * SCALE
# Of the whole service; processes die with some submits besides.
KILLS = 1 if SCALE == 1 else 5


def killed_on_the_way(server: Server, ratings: int) -> AbstractContextManager[None]:
    """Kill -9 the whole service, each time after another share of the ratings, and start it."""

    def kill() -> None:
        for number in range(1, KILLS + 1):
            due = ratings * number // (KILLS + 1)
            wait_until(lambda due=due: Rating.objects.count() >= due, "a share of the ratings")  # type: ignore[misc]
            server.kill()
            server.start()
        connection.close()

    # In the thread of the test there is nobody left to wait for the callers.
    return meanwhile(kill)


def test_kill_9_loses_doubles_and_alters_no_acknowledged_rating(cast, server, tally) -> None:
    callers = make_callers(cast.campaign, ANNOTATORS, server.port)
    work = give_work(cast, callers, REFERENCES_EACH)
    sent = sent_of(work)
    halfway, unanswered = ({work[c][n]["assignment"] for n in range(SCALE)} for c in callers[:2])
    deaths = dict.fromkeys(halfway, HALFWAY) | dict.fromkeys(unanswered, UNANSWERED)
    tally.tried(submits=len(sent), kills_of_a_worker=len(deaths), kills_of_the_service=KILLS)
    with killed_on_the_way(server, len(sent)):
        acknowledged = send_all(work, deaths)
    assert_faithful(work, acknowledged, tally)
    # Each killed caller, and those that met the dead service, were left without an answer.
    assert sum(caller.statuses[0] for caller in callers) > len(deaths)


def test_a_client_with_a_new_key_for_each_retry_is_found_out(cast, server) -> None:
    callers = make_callers(cast.campaign, 2, server.port)
    work = give_work(cast, callers, 1)
    sent = sent_of(work)
    lost = sent[0]["assignment"]
    acknowledged = send_all(work, {lost: UNANSWERED}, reuses_key=False)
    # The rating is there, once; but the program got no answer.
    assert differences(acknowledged, sent) == [f"{lost}: answered 409"]
