"""P36: clients that are slow or silent stop nobody, bare and behind the shipped proxies."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings

from annotator.accounts.sessions import create_token
from annotator.models import Rating, User
from tests.promises.harness import SCALE, SERVED, make_callers
from tests.promises.rated_work import give_work
from tests.served.proxies import PROXIES, Answer, Endpoint, missing
from tests.served.server import HOST, ROOT, lasting_port, served_environment

pytestmark = [pytest.mark.promise("P36"), *SERVED]
CLIENTS: Final = 64
# Behind a proxy each is a TLS handshake, and four were enough to stop the old server.
CLIENTS_OF_A_PROXY: Final = CLIENTS if SCALE > 1 else 12
# So often they are asked while the others are held, and the seconds from one time to the next.
ROUNDS: Final = SCALE
PAUSE_SECONDS: Final = 6
HEAD: Final = f"Host: {HOST}\r\n".encode()
POSTED: Final = b"POST /login/ HTTP/1.1\r\n" + HEAD
SHAPES: Final[Mapping[str, bytes]] = {
    "nothing": b"",
    "half a head": b"GET /login/ HTTP/1.1\r\n" + HEAD + b"X-Half: ",
    "half a body": POSTED + b"Content-Length: 100000\r\n\r\nabc",
    "half a chunk": POSTED + b"Transfer-Encoding: chunked\r\n\r\n1000\r\nabc",
    "half of a file": POSTED.replace(b"/login/", b"/api/v1/campaigns/cups/claim-sets/import/")
    + b"Content-Length: 3000000\r\n\r\nabc",
    "an unread answer": (b"GET /login/ HTTP/1.1\r\n" + HEAD + b"\r\n") * 4,
}


@contextmanager
def held(endpoint: Endpoint, sent: bytes, clients: int) -> Iterator[None]:
    """Have so many clients send this and then nothing, and read nothing."""
    wires = []
    try:
        for _ in range(clients):
            wires.append(endpoint.connect())
            wires[-1].sendall(sent)
        # They are with the server before anybody else asks.
        time.sleep(0.5)
        yield
    finally:
        for wire in wires:
            wire.close()


@pytest.fixture
def ratings(cast: Any) -> Any:
    """Give ratings that wait to be sent, each with the token of who sends it."""
    work = give_work(cast, make_callers(cast.campaign, 2, 0), len(SHAPES) * ROUNDS // 10 + 1)
    return iter([(caller.token, rating) for caller, waiting in work.items() for rating in waiting])


def asked(endpoint: Endpoint, token: str, rating: Mapping[str, Any]) -> dict[str, Answer]:
    """Ask for what must answer whoever else is slow."""
    headers = {
        "Authorization": f"Token {token}",
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    }
    body = json.dumps(rating).encode()
    return {
        "healthz": endpoint.ask("GET", "/healthz"),
        "page": endpoint.ask("GET", "/login/"),
        "submit": endpoint.ask("POST", "/api/v1/ratings/", body, headers),
    }


@pytest.mark.parametrize(
    "front", ["bare", *(pytest.param(proxy, marks=pytest.mark.exhaustive) for proxy in PROXIES)]
)
def test_all_is_answered_while_many_clients_are_slow(
    front, start_server, cast, ratings, tally, tmp_path
) -> None:
    if front != "bare" and (programs := missing(front)):
        pytest.skip(f"not installed: {programs}")
    server = start_server(BEHIND_PROXY="0" if front == "bare" else "1")
    seconds: list[float] = []
    clients = CLIENTS if front == "bare" else CLIENTS_OF_A_PROXY
    with open_endpoint(front, server.port, tmp_path) as endpoint:
        for shape, sent in SHAPES.items():
            with held(endpoint, with_token(sent, cast.ada), clients):
                for number in range(ROUNDS):
                    answers = asked(endpoint, *next(ratings))
                    codes = {what: answer.status for what, answer in answers.items()}
                    assert codes == {"healthz": 200, "page": 200, "submit": 201}, shape
                    seconds += [answer.seconds for answer in answers.values()]
                    if number + 1 < ROUNDS:
                        time.sleep(PAUSE_SECONDS)
    tally.tried(slow_clients=clients * len(SHAPES), answers=len(seconds))
    tally.noted(f"{front}: the slowest of {len(seconds)} answers took {max(seconds):.2f} s")
    assert Rating.objects.count() == ROUNDS * len(SHAPES)


@contextmanager
def open_endpoint(front: str, port: int, folder: Path) -> Iterator[Endpoint]:
    """Give the endpoint of a web server, or of a proxy before it."""
    if front == "bare":
        yield Endpoint(port)
    else:
        with PROXIES[front](folder, port) as endpoint:
            yield endpoint


def test_a_server_whose_threads_wait_for_bodies_is_found_out(cast) -> None:
    """The server of before, whose threads read bodies themselves, as a whole."""
    endpoint = Endpoint(lasting_port())
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", HOST, "--no-ws"]
    command += ["--port", str(endpoint.port), "--blocking-threads", "4", "config.wsgi:application"]
    process = subprocess.Popen(command, cwd=ROOT, env=served_environment(), start_new_session=True)
    try:
        wait_for(endpoint)
        with held(endpoint, with_token(SHAPES["half a body"], cast.ada), CLIENTS):
            wire = http.client.HTTPConnection(HOST, endpoint.port, timeout=3)
            wire.request("GET", "/healthz")
            with pytest.raises(TimeoutError):
                wire.getresponse()
            wire.close()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(endpoint: Endpoint) -> None:
    deadline = time.monotonic() + 60
    while True:
        with suppress(OSError):
            if endpoint.ask("GET", "/healthz").status == 200:
                return
        assert time.monotonic() < deadline
        time.sleep(0.1)


def with_token(sent: bytes, user: User) -> bytes:
    """Make it a form with its cookie, or no body is read, and add the token of who may import."""
    token = create_token(user=user).token
    headers = f"Cookie: {settings.CSRF_COOKIE_NAME}={'c' * 32}\r\nAuthorization: Token {token}\r\n"
    headers += "Content-Type: application/x-www-form-urlencoded\r\n"
    return sent.replace(HEAD, HEAD + headers.encode())
