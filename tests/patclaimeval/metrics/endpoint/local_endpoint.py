"""A chat endpoint on this machine, started by a test, that answers and fails as it is told."""

import json
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, BinaryIO

KEY = "sesame-open-7f3c"
# Made for 127.0.0.1 and these tests; its key is no secret.
CERTIFICATE = Path(__file__).with_name("this_machine.pem")


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        return [message["content"] for message in self.body["messages"]]


@dataclass(frozen=True)
class Reply:
    """What to answer; `fault` is '', 'hang' (never answer), 'drip' or 'close' (midway)."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""


def saying(content: Any, **more: Any) -> Reply:
    """Return a chat completion in which the model says `content`, dumped if it is no text."""
    text = content if isinstance(content, str | None) else json.dumps(content)
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"} | more
    return Reply(json.dumps({"object": "chat.completion", "choices": [choice]}).encode())


Answerer = Callable[[Received, int], Reply]


class LocalEndpoint:
    """The requests that came, and the function that answers the n-th, counted from 0."""

    def __init__(self, answer: Answerer, has_certificate: bool = False) -> None:
        self.received: list[Received] = []
        self.answer = answer
        self.released = Event()
        self._lock = Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        if has_certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        scheme = "https" if has_certificate else "http"
        self.url = f"{scheme}://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def take(self, received: Received) -> Reply:
        with self._lock:
            number = len(self.received)
            self.received.append(received)
        return self.answer(received, number)

    def drip(self, file: BinaryIO, body: bytes) -> None:
        for byte in body:
            file.write(bytes([byte]))
            if self.released.wait(0.01):
                return

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        place = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                reply = place.take(Received(self.path, dict(self.headers), json.loads(body)))
                # A client that has gone away is part of the tests.
                with suppress(OSError):
                    self._send(reply)

            def _send(self, reply: Reply) -> None:
                if reply.fault == "hang":
                    place.released.wait()
                    return
                self.send_response(reply.status)
                self.send_header("Content-Length", str(len(reply.body)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if reply.fault == "close":
                    self.wfile.write(reply.body[: len(reply.body) // 2])
                elif reply.fault == "drip":
                    place.drip(self.wfile, reply.body)
                else:
                    self.wfile.write(reply.body)

            def handle_one_request(self) -> None:
                with suppress(ssl.SSLError, ConnectionError):
                    super().handle_one_request()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Say nothing on the terminal."""

        return Handler


@contextmanager
def local_endpoint(answer: Answerer, has_certificate: bool = False) -> Iterator[LocalEndpoint]:
    """Serve until the block ends, over https with a certificate that nobody has signed."""
    place = LocalEndpoint(answer, has_certificate)
    try:
        yield place
    finally:
        place.stop()
