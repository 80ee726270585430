"""One HTTP POST by the standard library: no redirect, no proxy, and an end after a time."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse, HTTPSConnection
from threading import Event, Timer
from typing import Final
from urllib.parse import urlsplit

_PIECE: Final = 64 * 1024
# Of a host and a port, within so many seconds.
Connect = Callable[[str, int, float], socket.socket]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status, the seconds that it asks to wait (None: not given), the body."""

    status: int
    retry_after: float | None
    body: bytes


class NoAnswerError(Exception):
    """No whole answer came; the message is why, in text of ours."""


class UntrustedError(Exception):
    """The other side could not show that it is the host that was asked for."""


def reach(host: str, port: int, timeout: float) -> socket.socket:
    """Return a connection to wherever the name leads."""
    return socket.create_connection((host, port), timeout)


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    timeout: float,
    *,
    largest: int,
    connect: Connect = reach,
) -> Answer:
    """Send a body and return whatever is answered, redirects included: none is followed.

    Input: an address that was checked, the body with its headers, the seconds after which the
    connection is cut, however slowly its bytes drip, and how long an answer may be; of 0 only its
    status is read. No proxy and no stored password of the environment is used. Raises NoAnswerError
    or UntrustedError, and what `connect` raises besides OSError.
    """
    is_late = Event()
    try:
        return _exchange(url, body, headers, timeout, largest, connect, is_late)
    except ssl.SSLCertVerificationError:
        raise UntrustedError from None
    except (OSError, HTTPException) as error:
        if is_late.is_set() or isinstance(error, TimeoutError):
            raise NoAnswerError(f"no answer within {timeout:g} seconds") from None
        raise NoAnswerError(_describe_error(error)) from None


def _exchange(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    timeout: float,
    largest: int,
    connect: Connect,
    is_late: Event,
) -> Answer:
    parts = urlsplit(url)
    assert parts.hostname is not None
    port = parts.port or (443 if parts.scheme == "https" else 80)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    context = ssl.create_default_context() if parts.scheme == "https" else None
    bare = connect(parts.hostname, port, timeout)
    with _wrapped(bare, context, parts.hostname) as connected:
        timer = Timer(timeout, _cut, (connected, is_late))
        timer.daemon = True
        timer.start()
        try:
            if isinstance(connected, ssl.SSLSocket):
                connected.do_handshake()
            kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
            connection = kind(parts.hostname, port)
            connection.sock = connected
            connection.request("POST", target, body, dict(headers))
            with connection.getresponse() as response:
                answer = _read(response, largest)
        finally:
            timer.cancel()
    if is_late.is_set():
        raise TimeoutError
    return answer


def _wrapped(bare: socket.socket, context: ssl.SSLContext | None, host: str) -> socket.socket:
    if context is None:
        return bare
    # The handshake comes later, when the time is watched that it takes.
    return context.wrap_socket(bare, server_hostname=host, do_handshake_on_connect=False)


def _cut(connected: socket.socket, is_late: Event) -> None:
    """End a connection from another thread, whatever waits on it."""
    is_late.set()
    try:
        # Not the method of SSLSocket: that one drops the encryption first.
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
    except OSError:
        return


def _read(response: HTTPResponse, largest: int) -> Answer:
    if not largest:
        return Answer(response.status, _retry_after(response.headers), b"")
    pieces: list[bytes] = []
    size = 0
    while piece := response.read(_PIECE):
        size += len(piece)
        if size > largest:
            raise NoAnswerError(f"the answer was longer than {largest:,} bytes")
        pieces.append(piece)
    # The standard library takes a body that ends early for a whole one.
    if response.length:
        raise ConnectionError
    return Answer(response.status, _retry_after(response.headers), b"".join(pieces))


def _retry_after(headers: HTTPMessage) -> float | None:
    """Return Retry-After as seconds; a date counts from the answer's own, whatever our clock."""
    value = headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        until, now = (parsedate_to_datetime(text) for text in (value, headers.get("Date", "")))
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return None


def _describe_error(error: OSError | HTTPException) -> str:
    """Name what went wrong; the exception's own text may repeat what the other side sent."""
    if isinstance(error, socket.gaierror):
        return "the host's name was not found"
    if isinstance(error, ConnectionRefusedError):
        return "the host refused the connection"
    if isinstance(error, HTTPException):
        return "the answer broke off or was no HTTP"
    return f"the connection broke ({type(error).__name__})"
