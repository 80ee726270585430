"""P1: an acknowledged rating is never lost, doubled or altered when the web process dies."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Thread
from typing import Any

import pytest
from django.db import connection

from annotator.models import Rating
from annotator.rubric import CRITERIA
from tests.conftest import make_reference
from tests.crowd import at_once
from tests.promises.harness import (
    SCALE,
    Answer,
    Caller,
    differences,
    make_callers,
    rating_words,
    server_errors,
    tell,
    wait_until,
)
from tests.served.dying import HALFWAY, UNANSWERED
from tests.served.server import Server
from tests.soak.tally import Tally

pytestmark = [
    pytest.mark.promise("P1"),
    pytest.mark.slow,
    pytest.mark.embedded,
    pytest.mark.django_db(transaction=True),
]
ANNOTATORS = 50
REFERENCES_EACH = 2 * SCALE
# Of the whole service; processes die with some submits besides.
KILLS = 1 if SCALE == 1 else 5
Work = dict[Caller, list[dict[str, Any]]]


def give_work(cast: Any, callers: list[Caller], references: int) -> Work:
    """Assign every caller references of five by name, the same to two; return what they send."""
    chance = random.Random(1)
    work: Work = {caller: [] for caller in callers}
    for number in range(references * len(callers) // 2):
        reference = make_reference(cast.campaign, f"work-{number}", 5)
        for place in (0, 1):
            caller = callers[(2 * number + place) % len(callers)]
            for row in cast.assign(caller.user, reference):
                scores = [chance.randint(0, 10) for _ in CRITERIA]
                work[caller].append(rating_words(row.pk, scores, f"\u00e4 {row.pk}"))
    return work


def send_all(work: Work, deaths: dict[str, str], **how: bool) -> dict[str, Answer]:
    """Have all callers send their ratings at once, each to its end; return the last answers.

    `deaths` says at which moment the server process dies of an assignment's rating.
    """

    def send(caller: Caller) -> dict[str, Answer]:
        return {
            rating["assignment"]: caller.submit_until_answered(
                rating, deaths.get(rating["assignment"], ""), **how
            )
            for rating in work[caller]
        }

    acknowledged: dict[str, Answer] = {}
    for answers in at_once([partial(send, caller) for caller in work]):
        assert isinstance(answers, dict), answers
        acknowledged |= answers
    return acknowledged


@contextmanager
def killed_on_the_way(server: Server, ratings: int) -> Iterator[None]:
    """Kill -9 the whole service, each time after another share of the ratings, and start it."""

    def kill() -> None:
        for number in range(1, KILLS + 1):
            due = ratings * number // (KILLS + 1)
            wait_until(lambda due=due: Rating.objects.count() >= due, "a share of the ratings")  # type: ignore[misc]
            server.kill()
            server.start()
        connection.close()

    # In the thread of the test there is nobody left to wait for the callers.
    thread = Thread(target=kill)
    thread.start()
    yield
    thread.join()


def test_kill_9_loses_doubles_and_alters_no_acknowledged_rating(
    cast, server: Server, tally: Tally
) -> None:
    callers = make_callers(cast.campaign, ANNOTATORS, server.port)
    work = give_work(cast, callers, REFERENCES_EACH)
    sent = [rating for ratings in work.values() for rating in ratings]
    halfway, unanswered = ({work[c][n]["assignment"] for n in range(SCALE)} for c in callers[:2])
    deaths = dict.fromkeys(halfway, HALFWAY) | dict.fromkeys(unanswered, UNANSWERED)
    tally.tried(submits=len(sent), kills_of_a_worker=len(deaths), kills_of_the_service=KILLS)
    with killed_on_the_way(server, len(sent)):
        acknowledged = send_all(work, deaths)
    wrong = differences(acknowledged, sent)
    tell(tally, callers, wrong)
    assert wrong == []
    assert server_errors(callers) == {}
    # Each killed caller, and those that met the dead service, were left without an answer.
    assert sum(caller.statuses[0] for caller in callers) > len(deaths)


def test_a_client_with_a_new_key_for_each_retry_is_found_out(cast, server: Server) -> None:
    callers = make_callers(cast.campaign, 2, server.port)
    work = give_work(cast, callers, 1)
    sent = [rating for ratings in work.values() for rating in ratings]
    lost = sent[0]["assignment"]
    acknowledged = send_all(work, {lost: UNANSWERED}, keeps_key=False)
    # The rating is there, once; but the program was never told so.
    assert differences(acknowledged, sent) == [f"{lost}: answered 409"]
