"""Requests that are refused by their heads or chunks are answered so, before a body is taken in."""

import socket
from typing import Any, Final

import pytest

from annotator.accounts.sessions import create_token
from tests.promises.harness import SERVED
from tests.served.server import HOST

pytestmark = [pytest.mark.promise("P36"), *SERVED]
IMPORT: Final = "POST /api/v1/campaigns/cups/claim-sets/import/ HTTP/1.1"
FILE: Final = "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 300000000"


def status_of(port: int, line: str, headers: str, rest: bytes = b"") -> int:
    """Send a head, and no more of a body than `rest`; return the status of the answer."""
    with socket.create_connection((HOST, port), timeout=10) as wire:
        wire.sendall(f"{line}\r\nHost: {HOST}\r\n{headers}\r\n\r\n".encode() + rest)
        return int(wire.recv(64).split()[1])


def test_bodies_and_heads_that_nobody_may_send_are_refused_at_once(
    start_server: Any, cast: Any
) -> None:
    port = start_server().port
    for token in ("bogus", create_token(user=cast.ada).token):
        assert status_of(port, IMPORT, f"Authorization: Token {token}\r\n{FILE}") == 413
    assert status_of(port, "GET /login/ HTTP/1.1", "X-Long: " + "a" * 256_000) == 431
    chunked = "Content-Type: application/json\r\nTransfer-Encoding: chunked"
    for chunk in (b"no size\r\nabc\r\n0\r\n\r\n", b"3\r\nabc\r\nno size\r\nabc\r\n"):
        assert status_of(port, "POST /api/v1/ratings/ HTTP/1.1", chunked, chunk) == 400
