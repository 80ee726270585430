"""Behind the shipped proxies nobody chooses an address, an id or a scheme for themselves."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.conf import settings

from tests.served.proxies import PROXIES, Answer, Endpoint, missing
from tests.served.server import HOST, Server

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
FORGED_ID = "0123456789abcdef"
GUESSES = 15
HEAD = f"Host: {HOST}\r\n"
HALF_A_BODY = f"POST /login/ HTTP/1.1\r\n{HEAD}Content-Length: 1000\r\n\r\nabc".encode()
# What nginx.conf allows one address: connections at work, and requests at one moment.
MOST_CONNECTIONS, MOST_AT_ONCE = 256, 400


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server(BEHIND_PROXY="1")
    server.start()
    yield server
    server.kill()


@pytest.fixture(
    params=[
        pytest.param(proxy, marks=() if proxy == "nginx" else pytest.mark.exhaustive)
        for proxy in PROXIES
    ]
)
def endpoint(request: pytest.FixtureRequest, tmp_path: Path, server: Server) -> Iterator[Endpoint]:
    """Give the endpoint of each proxy, before a web server."""
    if programs := missing(request.param):
        pytest.skip(f"not installed: {programs}")
    with PROXIES[request.param](tmp_path, server.port) as opened:
        yield opened


def guess(endpoint: Endpoint, source: str, who: str = "alice", **headers: str) -> Answer:
    """Post the sign-in form with a wrong password, from an address of this machine."""
    secret = "s" * 32
    form = {"username": who, "password": "wrong", "csrfmiddlewaretoken": secret}
    sent = {
        "Cookie": f"{settings.CSRF_COOKIE_NAME}={secret}",
        "Content-Type": "application/x-www-form-urlencoded",
        # As at the port of TLS; without the right one a form that came by TLS is refused.
        "Host": HOST,
        "Referer": f"https://{HOST}/login/",
        **headers,
    }
    return endpoint.ask("POST", "/login/", urlencode(form).encode(), sent, source=source)


def test_guesses_are_counted_by_the_address_that_the_proxy_saw(cast, endpoint: Endpoint) -> None:
    names = ("X-Forwarded-For", "X_Forwarded_For", "Forwarded")
    for last, (who, name) in enumerate(zip(("alice", "bob", "carol"), names, strict=True), 10):
        codes = [
            guess(endpoint, f"127.0.0.{last}", who, **{name: f"10.0.0.{number}"}).status
            for number in range(GUESSES)
        ]
        assert codes[0] == 422 and codes[-1] == 429, (name, codes)
        # Who sits elsewhere is another, whatever they write.
        assert guess(endpoint, "127.0.0.9", who, **{name: f"127.0.0.{last}"}).status == 422, name


def test_headers_that_are_believed_are_written_by_the_proxy(cast, endpoint: Endpoint) -> None:
    for name in ("X-Request-ID", "X_Request_ID"):
        answer = endpoint.ask("GET", "/login/", headers={name: FORGED_ID})
        assert answer.status == 200
        assert len(answer.headers["x-request-id"]) >= 32, answer.headers
    plain = {"X-Forwarded-Proto": "http", "X_Forwarded_Proto": "http"}
    assert guess(endpoint, HOST, **plain).status == 422
    assert guess(endpoint, HOST, **plain, Referer="").status == 403
    elsewhere = {"X-Forwarded-Host": "evil.example"}
    assert guess(endpoint, HOST, **elsewhere, Referer="https://evil.example/").status == 403
    assert (
        b"csrfmiddlewaretoken"
        not in endpoint.ask("GET", "/login/", headers={"Host": "evil.example"}).content
    )
    for private in ("/metrics", "/readyz"):
        assert endpoint.ask("GET", private).status == 404


def test_who_never_ends_a_head_is_hung_up_on(endpoint: Endpoint) -> None:
    with endpoint.connect() as wire:
        wire.settimeout(60)
        wire.sendall(f"GET /login/ HTTP/1.1\r\n{HEAD}X-Half: ".encode())
        while wire.recv(4096):
            pass


@pytest.mark.parametrize("endpoint", ["nginx"], indirect=True)
def test_one_address_has_so_many_requests_under_way(endpoint: Endpoint) -> None:
    with ExitStack() as held:
        for _ in range(MOST_CONNECTIONS):
            wire = held.enter_context(closing(endpoint.connect("127.0.0.10")))
            wire.sendall(HALF_A_BODY)
        assert eventually(
            lambda: endpoint.ask("GET", "/healthz", source="127.0.0.10").status == 429
        )
        assert endpoint.ask("GET", "/healthz", source="127.0.0.11").status == 200
    assert eventually(lambda: endpoint.ask("GET", "/healthz", source="127.0.0.10").status == 200)


@pytest.mark.parametrize("endpoint", ["nginx"], indirect=True)
def test_one_address_has_so_many_requests_at_once(endpoint: Endpoint, server: Server) -> None:
    # nginx alone is quicker than its limit on any machine.
    server.kill()
    sent = 900
    with endpoint.connect("127.0.0.10") as wire:
        wire.settimeout(60)
        wire.sendall(f"GET /healthz HTTP/1.1\r\n{HEAD}\r\n".encode() * (sent - 1))
        wire.sendall(f"GET /healthz HTTP/1.1\r\n{HEAD}Connection: close\r\n\r\n".encode())
        answers = b"".join(iter(lambda: wire.recv(1 << 16), b""))
    codes = [line.split()[1] for line in answers.splitlines() if line.startswith(b"HTTP/1.1 ")]
    assert len(codes) == sent and codes[:MOST_AT_ONCE] == [b"502"] * MOST_AT_ONCE
    assert codes[-1] == b"429"
    assert endpoint.ask("GET", "/healthz", source="127.0.0.11").status == 502


def eventually(holds: Callable[[], bool]) -> bool:
    """Return whether something holds within half a minute."""
    deadline = time.monotonic() + 30
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
