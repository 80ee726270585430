"""P21: guessing is slowed over processes and addresses; honest users are not locked out."""

import http.client
import time
from collections import Counter
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.utils.crypto import get_random_string

from annotator.accounts.sign_in import BUSY
from tests.crowd import LONGEST_WAIT_SECONDS, at_once, meanwhile
from tests.promises.conftest import StartServer
from tests.promises.harness import SCALE, Tab, make_callers
from tests.promises.rated_work import give_work
from tests.served.faults import each_process_counts_alone
from tests.served.server import HOST, Server

PASSWORD = "a long enough phrase"
THREADS = 20
MOST_CHECKED = 12
EACH = max(1, SCALE * 50 // THREADS)

pytestmark = [pytest.mark.slow, pytest.mark.embedded, pytest.mark.promise("P21")]


class GuessAnswer(NamedTuple):
    """What a sign-in was answered; busy where too many passwords were being checked."""

    status: int
    retry_after: str
    is_busy: bool


def sign_in(
    port: int, password: str, number: int, source: str = HOST, username: str = "alice"
) -> GuessAnswer:
    """Post the sign-in form as from another address each time."""
    secret = get_random_string(32)
    form = {"username": username, "password": password, "csrfmiddlewaretoken": secret}
    sent = {
        "Cookie": f"{settings.CSRF_COOKIE_NAME}={secret}",
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Forwarded-For": f"10.0.{number // 200}.{number % 200}",
    }
    wire = http.client.HTTPConnection(
        HOST, port, timeout=LONGEST_WAIT_SECONDS, source_address=(source, 0)
    )
    wire.request("POST", "/login/", urlencode(form), sent)
    response = wire.getresponse()
    is_busy = BUSY.encode() in response.read()
    wire.close()
    return GuessAnswer(response.status, response.headers.get("Retry-After", ""), is_busy)


def sign_in_once_checked(*sent: Any) -> GuessAnswer:
    """Post it again while other passwords are being checked."""
    while (answer := sign_in(*sent)).is_busy:
        time.sleep(1)
    return answer


def guess_everywhere(start_server: StartServer, cast: Any, **fault: str) -> Counter[int]:
    """Send wrong passwords to four processes, then the right one; return what was answered."""
    cast.alice.password = make_password(PASSWORD)
    cast.alice.save()
    ports = [start_server(**fault).port for _ in range(2)]

    def guess(thread: int) -> list[GuessAnswer]:
        return [
            sign_in_once_checked(ports[(thread + n) % 2], f"wrong {n}", thread * EACH + n)
            for n in range(EACH)
        ]

    per_thread = at_once([partial(guess, thread) for thread in range(THREADS)])
    answers = [answer for each in per_thread for answer in each]
    assert all(int(answer.retry_after) > 0 for answer in answers if answer.status == 429)
    assert sign_in_once_checked(ports[0], PASSWORD, 1, "127.0.0.9").status == 302
    return Counter(answer.status for answer in answers)


def test_four_processes_check_few_of_many_wrong_passwords_and_the_right_one_gets_in(
    start_server, cast, tally
) -> None:
    codes = guess_everywhere(start_server, cast)
    tally.tried(wrong_passwords=codes.total())
    tally.noted(f"{codes[422]} of them were checked")
    tally.found(errors=sum(n for code, n in codes.items() if code >= 500))
    assert set(codes) == {422, 429}
    assert 1 <= codes[422] <= MOST_CHECKED


def test_processes_that_each_count_alone_are_found_out(start_server, cast) -> None:
    fault = each_process_counts_alone.__name__
    assert guess_everywhere(start_server, cast, SERVED_FAULT=fault)[422] > MOST_CHECKED


GUESSERS = 64
FLOOD_SECONDS = 6


@pytest.mark.django_db(transaction=True)
def test_a_page_and_a_submit_are_answered_beside_64_guessing_sockets(cast, tally) -> None:
    callers, server = make_callers(cast.campaign, 2, 0), Server(workers=2)
    rater, waiting = callers[0], give_work(cast, callers, 10)[callers[0]]
    server.start()
    rater.port, tab = server.port, Tab(rater.user, server.port)
    # The first pages load code in each process.
    assert [tab.get("/rubric/").status for _ in range(4)] == [200] * 4
    end = time.monotonic() + FLOOD_SECONDS
    guesses: list[GuessAnswer] = []

    def guess(thread: int) -> None:
        while time.monotonic() < end:
            source, name = f"127.0.1.{thread % 40 + 1}", f"nobody-{thread}-{len(guesses)}"
            guesses.append(sign_in(server.port, "wrong", thread, source, name))

    seconds: list[float] = []
    try:
        with meanwhile(lambda: at_once([partial(guess, thread) for thread in range(GUESSERS)])):
            while time.monotonic() < end and waiting:
                rating, begun = waiting.pop(), time.monotonic()
                assert tab.get("/rubric/").status == 200
                seconds.append(time.monotonic() - begun)
                begun = time.monotonic()
                assert rater.submit(rating, rating["assignment"]).status == 201
                seconds.append(time.monotonic() - begun)
    finally:
        server.kill()
    tally.tried(guesses=len(guesses))
    tally.noted(f"the slowest of {len(seconds)} pages and submits took {max(seconds):.2f} s")
    assert {guess.status for guess in guesses} == {422, 429}
    assert {guess.retry_after for guess in guesses if guess.is_busy} == {"1"}
