"""A receiver of webhooks as a process of its own: `hook_receiver.py LOG [CERTIFICATE]`.

It prints its port, and writes each request as a line of JSON before it answers as the path asks.
"""

import json
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CERTIFICATE = Path(__file__).resolve().parents[1] / "patclaimeval/metrics/endpoint/this_machine.pem"


def serve(log: Path, certificate: str = "") -> None:
    seen: set[str] = set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            known = self.headers.get("webhook-id", "") in seen
            seen.add(self.headers.get("webhook-id", ""))
            line = {"path": self.path, "headers": dict(self.headers), "body": body}
            with log.open("a") as file:
                file.write(json.dumps(line) + "\n")
            what, _, value = self.path.partition("?")[0].strip("/").partition("/")
            if what == "slow" or (what == "slow-first" and not known):
                time.sleep(60)
            status = int(value) if what == "status" else 204
            if what == "first" and not known:
                status = int(value)
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", "/status/204")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


@dataclass(frozen=True)
class Receiver:
    """The process as a test sees it."""

    base: str
    port: int
    log: Path

    @property
    def received(self) -> list[dict[str, Any]]:
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextmanager
def receiving(folder: Path, *, has_certificate: bool = False) -> Iterator[Receiver]:
    """Start a receiver; it is killed at the end."""
    log = folder / "received.jsonl"
    more = [str(CERTIFICATE)] if has_certificate else []
    process = subprocess.Popen(
        [sys.executable, __file__, str(log), *more], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        scheme = "https" if has_certificate else "http"
        yield Receiver(f"{scheme}://127.0.0.1:{port}", port, log)
    finally:
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), *sys.argv[2:3])
