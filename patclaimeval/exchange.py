"""One HTTP request over a connection that is cut at its deadline, however slowly bytes drip.

No redirect is followed; no proxy and no stored password of the environment is used.
"""

import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse, HTTPSConnection
from threading import Event, Timer
from typing import Final
from urllib.parse import urlsplit

LARGEST_ANSWER: Final = 1024 * 1024
_PIECE: Final = 64 * 1024
# Of a host and a port, within so many seconds.
Connect = Callable[[str, int, float], socket.socket]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, redirects included."""

    status: int
    headers: HTTPMessage
    body: bytes


class NoAnswerError(Exception):
    """No whole answer came; the message is why, in text of ours."""


class UntrustedError(Exception):
    """The other side could not show that it is the host that was asked for."""


def reach(host: str, port: int, timeout: float) -> socket.socket:
    """Return a connection to wherever the name leads."""
    return socket.create_connection((host, port), timeout)


def exchange(
    method: str,
    url: str,
    body: bytes | None,
    headers: Mapping[str, str],
    timeout: float,
    *,
    largest: int = LARGEST_ANSWER,
    connect: Connect = reach,
) -> Reply:
    """Send one request to an address that was checked, and return what is answered.

    After `timeout` seconds the connection is cut. `largest`: how long an answer may be; of 0 only
    its status and headers are read. Raises NoAnswerError or UntrustedError, and what `connect`
    raises besides OSError.
    """
    is_late = Event()
    try:
        return _exchange(method, url, body, headers, timeout, largest, connect, is_late)
    except ssl.SSLCertVerificationError:
        raise UntrustedError from None
    except (OSError, HTTPException) as error:
        if is_late.is_set() or isinstance(error, TimeoutError):
            raise NoAnswerError(f"no answer within {timeout:g} seconds") from None
        raise NoAnswerError(_describe_error(error)) from None


def _exchange(
    method: str,
    url: str,
    body: bytes | None,
    headers: Mapping[str, str],
    timeout: float,
    largest: int,
    connect: Connect,
    is_late: Event,
) -> Reply:
    parts = urlsplit(url)
    assert parts.hostname is not None
    port = parts.port or (443 if parts.scheme == "https" else 80)
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
            query = f"?{parts.query}" if parts.query else ""
            connection.request(method, (parts.path or "/") + query, body, dict(headers))
            with connection.getresponse() as response:
                reply = _read(response, largest)
        finally:
            timer.cancel()
    if is_late.is_set():
        raise TimeoutError
    return reply


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


def _read(response: HTTPResponse, largest: int) -> Reply:
    if not largest:
        return Reply(response.status, response.headers, b"")
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
    return Reply(response.status, response.headers, b"".join(pieces))


def _describe_error(error: OSError | HTTPException) -> str:
    """Name what went wrong; the exception's own text may repeat what the other side sent."""
    if isinstance(error, socket.gaierror):
        return "the host's name was not found"
    if isinstance(error, ConnectionRefusedError):
        return "the host refused the connection"
    if isinstance(error, HTTPException):
        return "the answer broke off or was no HTTP"
    return f"the connection broke ({type(error).__name__})"
