"""Takes each request in whole before a thread answers it, and holds no thread for who reads slowly.

A slow client costs a connection and some disk (docs/adr/0024). What the disk holds of it lies in
DATA_DIR under no name, as uploads do.
"""

import asyncio
import io
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile, TemporaryFile
from typing import IO, Any, Final, TypeVar, cast
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponse

from annotator.accounts.sign_in import client_address, network_of
from annotator.imports.files import arrivals_directory
from annotator.site.arriving_bytes import ArrivingBody, ArrivingBytes
from annotator.site.errors import FULL_SENTENCE
from annotator.site.middleware import BODY_TO_COME, ENVELOPE_BYTES, GO_ON, UPLOADER
from core.errors import Refused, TooOften
from core.files import is_disk_full

Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Environ = dict[str, Any]
Result = TypeVar("Result")

# Smaller bodies stay in memory, and smaller files are sent in one piece.
IN_MEMORY_BYTES: Final = 64 * 1024
PIECE_BYTES: Final = 64 * 1024
# How long a body may pause; and how slowly it may come, all in all, after a grace.
PAUSE_SECONDS: Final = 30.0
GRACE_SECONDS: Final = 30.0
SLOWEST_BYTES_PER_SECOND: Final = 16 * 1024
# How long a client may take nothing of a long answer.
UNREAD_SECONDS: Final = 60.0
BROKEN: Final = 400
NOT_IN_TIME: Final = 408
INSUFFICIENT_STORAGE: Final = 507

logger = logging.getLogger("annotator.requests")


class BrokenBody(Exception):
    """The client left before its request was whole, or a chunk of it has no size."""


class TooSlow(Exception):
    """The body of a request does not come."""


class OpenFile:
    """The `wsgi.file_wrapper`: a file that can be sent as it is."""

    def __init__(self, file: IO[bytes], _block_size: int = 0) -> None:
        self.file = file


@dataclass(slots=True)
class Answer:
    """What the application answers; what is long stands in a file."""

    status: int
    headers: list[tuple[bytes, bytes]]
    content: bytes = b""
    file: IO[bytes] | None = None


class WholeRequests:
    """An ASGI application around one of WSGI, whose threads never wait for a client."""

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self._application = application
        # They last, as a connection to the database belongs to its thread.
        self._threads = ThreadPoolExecutor(settings.WEB_THREADS, thread_name_prefix="request")
        self._arriving = ArrivingBytes()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        environ = environ_of(scope)
        try:
            if _announced(environ) or "HTTP_TRANSFER_ENCODING" in environ:
                answer = await self._answer_whole(environ, receive)
            else:
                answer = await self._in_thread(self._answer, environ)
        except BrokenBody:
            # A client that left reads no answer; without one, the server would answer 500.
            answer = _last_answer(BROKEN, "The body broke off, or a chunk has no valid size.")
        except TooSlow:
            logger.warning("a request was given up, because its body did not come")
            answer = _last_answer(NOT_IN_TIME, "The request did not come in time.")
        except Refused as refusal:
            logger.warning("a request found no room: %s", type(refusal).__name__)
            answer = _last_answer(refusal.status, refusal.sentence)
            if isinstance(refusal, TooOften):
                answer.headers.append((b"retry-after", str(refusal.retry_after).encode()))
        except OSError as error:
            if not is_disk_full(error):
                raise
            logger.warning("a request or its answer found no room on the disk")
            answer = _last_answer(INSUFFICIENT_STORAGE, FULL_SENTENCE)
        try:
            await _send(answer, send)
        except TimeoutError:
            # Its length was sent, so that nobody takes what came for the whole.
            logger.warning("an answer was given up, because nobody read it")
        finally:
            if answer.file is not None:
                # Django ends the request with it.
                await self._in_thread(answer.file.close)

    async def _in_thread(self, work: Callable[..., Result], *given: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *given)

    async def _answer_whole(self, environ: Environ, receive: Receive) -> Answer:
        address = network_of(client_address(WSGIRequest(environ)))
        with _room_for(_announced(environ)) as body, self._arriving.follow(address) as arriving:
            refusal = await self._take_in(environ, receive, body, arriving)
            if refusal is not None:
                return refusal
            body.seek(0)
            return await self._in_thread(self._answer, environ | {"wsgi.input": body})

    async def _take_in(
        self, environ: Environ, receive: Receive, body: IO[bytes], arriving: ArrivingBody
    ) -> Answer | None:
        """Write the body into its file; return an answer where the application wants none of it.

        One that is longer than any form may be is asked for first, by its announced length or,
        where none was, by what has come so far.
        """
        length = _announced(environ)
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        begun, size, is_more = time.monotonic(), 0, True
        while True:
            if max(length, size) > limit:
                ahead = {"CONTENT_LENGTH": str(max(length, size)), BODY_TO_COME: True}
                answer = await self._in_thread(self._answer, environ | ahead)
                if answer.status != GO_ON:
                    answer.headers.append((b"connection", b"close"))
                    return answer
                limit = settings.MAX_UPLOAD_BYTES + ENVELOPE_BYTES
                arriving.belongs_to(dict(answer.headers)[UPLOADER.lower().encode()].decode())
            if not is_more:
                break
            piece, is_more = await _next_piece(receive, begun, size)
            size += len(piece)
            if size > IN_MEMORY_BYTES:
                # With the first byte on the disk, those that were in memory go there too.
                new = size if size - len(piece) <= IN_MEMORY_BYTES else len(piece)
                arriving.count(new, arrivals_directory())
            body.write(piece)
        if size:
            environ["CONTENT_LENGTH"] = str(size)
        return None

    def _answer(self, environ: Environ) -> Answer:
        """Run the application to the end of its answer.

        A streamed one is written down: it ends in the thread where it began, whoever reads it.
        """
        head: list[tuple[str, list[tuple[str, str]]]] = []

        def start_response(status: str, headers: list[tuple[str, str]], *_: Any) -> None:
            head[:] = [(status, headers)]

        response: Any = self._application(environ, start_response)
        status, headers = head[0]
        encoded = [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in headers]
        answer = Answer(int(status.split(" ", 1)[0]), encoded)
        if isinstance(response, OpenFile):
            answer.content = response.file.read(IN_MEMORY_BYTES)
            answer.file = response.file
            return answer
        try:
            if isinstance(response, HttpResponse):
                answer.content = b"".join(response)
            else:
                answer.file = _written_down(response)
                length = answer.file.seek(0, 2)
                answer.file.seek(0)
                if not any(name == b"content-length" for name, _ in encoded):
                    encoded.append((b"content-length", str(length).encode()))
        finally:
            response.close()
        return answer


def _room_for(announced: int) -> IO[bytes]:
    """Return where a body goes: on the disk where it is long, or where nobody knows."""
    if 0 < announced <= IN_MEMORY_BYTES:
        return io.BytesIO()
    folder = str(arrivals_directory())
    file = SpooledTemporaryFile(max_size=IN_MEMORY_BYTES, dir=folder)  # noqa: SIM115 - as above
    return cast(IO[bytes], file)


def environ_of(scope: Message) -> Environ:
    """Return a request's WSGI environment, still without a body.

    Where a name has an underscore it is left out: `X_Forwarded_For` would pass for the header that
    a proxy writes.
    """
    host, port = scope["server"] or ("", "")
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": host,
        "SERVER_PORT": str(port),
        "REMOTE_ADDR": scope["client"][0] if scope["client"] else "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": OpenFile,
    }
    for name, value in scope["headers"]:
        if b"_" in name:
            continue
        key = name.decode("latin-1").upper().replace("-", "_")
        if key not in ("CONTENT_LENGTH", "CONTENT_TYPE"):
            key = f"HTTP_{key}"
        text = value.decode("latin-1")
        between = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = f"{environ[key]}{between}{text}" if key in environ else text
    return environ


def _last_answer(status: int, sentence: str) -> Answer:
    """Return an answer of the connection's own, after which it is closed."""
    content = sentence.encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(content)).encode()),
        (b"connection", b"close"),
    ]
    return Answer(status, headers, content)


def _announced(environ: Environ) -> int:
    announced = environ.get("CONTENT_LENGTH", "")
    # Fifteen digits are a thousand terabytes; longer numbers are not worth counting.
    return int(announced[:15]) if announced.isascii() and announced.isdecimal() else 0


async def _next_piece(receive: Receive, begun: float, size: int) -> tuple[bytes, bool]:
    """Return what comes next of a body, and whether more will."""
    left = begun + GRACE_SECONDS + size / SLOWEST_BYTES_PER_SECOND - time.monotonic()
    try:
        async with asyncio.timeout(min(left, PAUSE_SECONDS)):
            message = await receive()
    except TimeoutError:
        raise TooSlow from None
    if message["type"] == "http.disconnect":
        raise BrokenBody
    return message.get("body", b""), bool(message.get("more_body"))


def _written_down(response: Any) -> IO[bytes]:
    file = TemporaryFile(dir=arrivals_directory())  # noqa: SIM115 - it lasts until it is sent
    try:
        file.writelines(response)
    except BaseException:
        file.close()
        raise
    return file


async def _send(answer: Answer, send: Send) -> None:
    """Send an answer; one that is long piece by piece, and only to who reads it."""
    start = {"type": "http.response.start", "status": answer.status, "headers": answer.headers}
    await send(start)
    piece = answer.content
    if answer.file is not None:
        while following := answer.file.read(PIECE_BYTES):
            if piece:
                await _send_piece(piece, send)
            piece = following
    await send({"type": "http.response.body", "body": piece})


async def _send_piece(piece: bytes, send: Send) -> None:
    async with asyncio.timeout(UNREAD_SECONDS):
        await send({"type": "http.response.body", "body": piece, "more_body": True})
