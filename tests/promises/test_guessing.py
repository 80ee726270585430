"""P21: guessing is slowed over processes and addresses; honest users are not locked out."""

import http.client
from collections import Counter
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.utils.crypto import get_random_string

from tests.crowd import LONGEST_WAIT_SECONDS, at_once
from tests.promises.conftest import StartServer
from tests.promises.harness import SCALE
from tests.served.faults import each_process_counts_alone
from tests.served.server import HOST

PASSWORD = "a long enough phrase"
THREADS = 20
MOST_CHECKED = 12
EACH = max(1, SCALE * 50 // THREADS)

pytestmark = [pytest.mark.slow, pytest.mark.embedded, pytest.mark.promise("P21")]


def sign_in(port: int, password: str, number: int, source: str = HOST) -> tuple[int, str]:
    """Post the sign-in form as from another address each time; return code and Retry-After."""
    secret = get_random_string(32)
    form = {"username": "alice", "password": password, "csrfmiddlewaretoken": secret}
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
    response.read()
    wire.close()
    return response.status, response.headers.get("Retry-After", "")


def guess_everywhere(start_server: StartServer, cast: Any, **fault: str) -> Counter[int]:
    """Send wrong passwords to four processes, then the right one; return what was answered."""
    cast.alice.password = make_password(PASSWORD)
    cast.alice.save()
    ports = [start_server(**fault).port for _ in range(2)]

    def guess(thread: int) -> list[tuple[int, str]]:
        return [
            sign_in(ports[(thread + n) % 2], f"wrong {n}", thread * EACH + n) for n in range(EACH)
        ]

    per_thread = at_once([partial(guess, thread) for thread in range(THREADS)])
    answers = [answer for each in per_thread for answer in each]
    assert all(int(wait) > 0 for status, wait in answers if status == 429)
    assert sign_in(ports[0], PASSWORD, 1, source="127.0.0.9")[0] == 302
    return Counter(status for status, _ in answers)


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
