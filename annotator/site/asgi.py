"""Django's ASGI handler on a few lasting threads.

Django's own handler reads a body before a view runs, so that slow clients hold no thread. It also
starts a thread and a database connection for each request and reads a file that it sends into
memory; what that costs is measured in docs/adr/0024.
"""

import asyncio
import io
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final, cast

from django.conf import settings
from django.core import signals
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpResponse
from django.urls import set_script_prefix

from annotator.site.errors import FULL_SENTENCE
from annotator.site.middleware import longest_body
from patclaimeval.files import is_disk_full

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

# Requests that one web process answers at once; more make writers on SQLite wait longer.
THREADS: Final = 2
IN_MEMORY_BYTES: Final = 64 * 1024
INSUFFICIENT_STORAGE: Final = 507
TOO_LARGE: Final = 413


class BrokenBody(Exception):
    """The client left before its request was whole, or a chunk of it has no size."""


class PooledHandler(ASGIHandler):
    """Answers requests whose bodies have arrived; no thread waits for a client."""

    def __init__(self) -> None:
        super().__init__()
        # A connection to the database belongs to its thread, so the threads last.
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="request")

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        try:
            scope, body = await _take_body(scope, receive)
            response = await loop.run_in_executor(self._threads, self._answer, scope, body)
        except BrokenBody:
            # Without an answer the server would log an error and send a 500.
            response = _closing(HttpResponse("The body broke off.", status=400))
        except OSError as error:
            if not is_disk_full(error):
                raise
            response = _closing(HttpResponse(FULL_SENTENCE, status=INSUFFICIENT_STORAGE))
        await self.send_response(response, send)

    def _answer(self, scope: Scope, body: IO[bytes]) -> Any:
        """Run the application; a streamed answer is a file, which is sent as it lies."""
        set_script_prefix("/")
        signals.request_started.send(sender=type(self), scope=scope)
        request, refusal = self.create_request(scope, body)
        if request is None:
            return _closing(refusal)
        response: Any = self.get_response(request)
        body.close()
        if response.streaming and getattr(response, "file_to_stream", None):
            response.streaming_content = _pieces(response, response.file_to_stream)
        else:
            # This ends the request for Django, in the thread that has its connection.
            response.close()
        return _closing(response) if response.status_code == TOO_LARGE else response


async def _take_body(scope: Scope, receive: Receive) -> tuple[Scope, IO[bytes]]:
    """Return the head of a request with the length of its body, and the body.

    A body that is longer than its address takes is not read further: the application refuses it by
    its length.
    """
    headers = dict(scope["headers"])
    announced = headers.pop(b"content-length", b"0")
    size = int(announced[:15]) if announced.isdigit() else 0
    if not size and b"transfer-encoding" not in headers:
        return scope, io.BytesIO()
    folder = str(settings.DATA_DIR)
    body = SpooledTemporaryFile(max_size=IN_MEMORY_BYTES, dir=folder)  # noqa: SIM115 - read later
    is_form = 0 < size <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    longest = size if is_form else longest_body(scope["path"])
    if size <= longest:
        size, is_more = 0, True
        while is_more and size <= longest:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise BrokenBody
            size += body.write(message.get("body", b""))
            is_more = message.get("more_body", False)
        body.seek(0)
    rest = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
    rest.append((b"content-length", str(size).encode()))
    return {**scope, "headers": rest}, cast(IO[bytes], body)


def _closing(response: Any) -> Any:
    """Have the connection end with an answer, since the rest of the request stays unread."""
    response["Connection"] = "close"
    return response


async def _pieces(response: Any, file: IO[bytes]) -> AsyncIterator[bytes]:
    with closing(response):
        while piece := file.read(PooledHandler.chunk_size):
            yield piece
