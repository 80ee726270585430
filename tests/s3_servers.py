"""Servers of S3 as processes of a test's own, and what may go wrong on the way to them.

moto honours If-None-Match, `rclone serve s3` does not. moto remembers nothing once it is killed;
what rclone took lies in a folder and outlives it. A test of them bears the mark `broker`.
"""

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import boto3
import pytest
from botocore.config import Config

from core.artefacts.settings import StoreSettings, read
from tests.served.server import HOST, LONGEST_START_SECONDS, lasting_port

KINDS: Final = ("moto", "rclone")
ACCESS_KEY: Final = "a-key-of-tests"
SECRET_KEY: Final = "a-secret-of-tests-that-no-log-may-hold"
REGION: Final = "eu-central-1"


class OwnS3:
    """One server on one port; `start`, `kill`, `freeze` and `thaw` do what they say."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind = kind
        self.folder = folder
        self.port = lasting_port()
        self.url = f"http://{HOST}:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{self.kind}.log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command(), env=os.environ | self._more(), stdout=log, stderr=log
            )
        deadline = time.monotonic() + LONGEST_START_SECONDS
        while True:
            assert self._process.poll() is None, self.log()[-2000:]
            with suppress(OSError), socket.create_connection((HOST, self.port), timeout=1):
                return
            assert time.monotonic() < deadline, f"{self.kind} does not come up"
            time.sleep(0.02)

    def _command(self) -> list[str]:
        here = Path(sys.executable).parent
        if self.kind == "moto":
            return [str(here / "moto_server"), "-H", HOST, "-p", str(self.port)]
        (self.folder / "objects").mkdir(exist_ok=True)
        command = [str(here / "rclone"), "serve", "s3", "--addr", f"{HOST}:{self.port}"]
        command += ["--auth-key", f"{ACCESS_KEY},{SECRET_KEY}", "--config", os.devnull]
        # Other programs may look into the folder, and find what there is.
        return [*command, "--vfs-cache-mode", "off", str(self.objects)]

    def _more(self) -> dict[str, str]:
        return {"MOTO_S3_DEFAULT_KEY_BUFFER_SIZE": str(64 * 1024**2), "no_proxy": "*"}

    @property
    def objects(self) -> Path:
        """Return the folder in which rclone puts what it takes, a folder for each bucket."""
        return self.folder / "objects"

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=10)
            self._process = None

    def freeze(self) -> None:
        """Have it take connections and answer nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def log(self) -> str:
        return (self.folder / f"{self.kind}.log").read_text(errors="replace")

    def client(self) -> Any:
        """Return a client that sees everything, also what the program under test does not show."""
        return boto3.client(
            "s3",
            endpoint_url=self.url,
            region_name=REGION,
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
            config=Config(
                s3={"addressing_style": "path"},
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
                retries={"total_max_attempts": 1},
            ),
        )

    def make_bucket(self, name: str = "") -> str:
        """Make a bucket and return its name."""
        name = name or f"bucket-{uuid4().hex[:12]}"
        self.client().create_bucket(
            Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION}
        )
        return name

    def keys(self, bucket: str, prefix: str = "") -> list[str]:
        """Return the keys of a bucket in order."""
        pages = (
            self.client().get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        )
        return sorted(one["Key"] for page in pages for one in page.get("Contents", ()))


def store_settings(bucket: str, url: str) -> dict[str, str]:
    """Return the settings of a program, as its environment has them, that uses a bucket."""
    return {
        "ARTEFACT_STORE": f"s3://{bucket}/of-this-site",
        "ARTEFACT_STORE_ENDPOINT": url,
        "ARTEFACT_STORE_REGION": REGION,
        "ARTEFACT_STORE_KEY_ID": ACCESS_KEY,
        "ARTEFACT_STORE_SECRET": SECRET_KEY,
    }


@contextmanager
def serving(kind: str, folder: Path) -> Iterator[OwnS3]:
    """Start a server; it is killed at the end."""
    server = OwnS3(kind, folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="module", params=KINDS)
def s3(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnS3]:
    """Give a server of each kind, one for a module; a test that kills it starts it again."""
    with serving(request.param, tmp_path_factory.mktemp(request.param)) as server:
        yield server


class Between:
    """A way to a server on which answers are slow, refused or broken off; a port of its own."""

    def __init__(self, server: OwnS3) -> None:
        self.delay = 0.0
        # What takes content is answered as by a server whose disk is full.
        self.is_full = False
        # After so many bytes of content the connection is reset; None for never.
        self.cut_after: int | None = None
        # Every connection is closed without an answer.
        self.is_dead = False
        self.asked: list[tuple[str, str]] = []
        way = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do(self) -> None:
                way.pass_on(self, server.port)

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do  # noqa: N815 - the library's names

            def log_message(self, *_: Any) -> None:
                """Say nothing: a test reads what was asked in `asked`."""

        self._listener = ThreadingHTTPServer((HOST, 0), Handler)
        self._listener.daemon_threads = True
        self.url = f"http://{HOST}:{self._listener.server_address[1]}"
        threading.Thread(target=self._listener.serve_forever, daemon=True).start()

    def pass_on(self, handler: BaseHTTPRequestHandler, port: int) -> None:
        """Ask the server what was asked here, and answer what it answers."""
        self.asked.append((handler.command, handler.path))
        if self.is_dead:
            handler.close_connection = True
            return
        time.sleep(self.delay)
        length = int(handler.headers.get("Content-Length") or 0)
        if handler.headers.get("Expect") and not self.is_full:
            handler.send_response_only(100)
            handler.end_headers()
        if self.cut_after is not None and length > self.cut_after:
            handler.rfile.read(self.cut_after)
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        content = handler.rfile.read(length) if length else b""
        if self.is_full and handler.command in ("PUT", "POST"):
            self._refuse(handler)
            return
        upstream = http.client.HTTPConnection(HOST, port, timeout=60)
        try:
            headers = dict(handler.headers.items())
            headers.pop("Expect", None)
            upstream.request(handler.command, handler.path, content or None, headers)
            answer = upstream.getresponse()
            self._answer(handler, answer.status, answer.getheaders(), answer.read())
        except OSError:
            handler.close_connection = True
        finally:
            upstream.close()

    def _refuse(self, handler: BaseHTTPRequestHandler) -> None:
        code = "XMinioStorageFull"
        text = f"<Error><Code>{code}</Code><Message>No space.</Message></Error>".encode()
        self._answer(handler, 507, [("Content-Type", "application/xml")], text)

    def _answer(
        self,
        handler: BaseHTTPRequestHandler,
        status: int,
        headers: list[tuple[str, str]],
        content: bytes,
    ) -> None:
        handler.send_response_only(status)
        is_head = handler.command == "HEAD"
        for name, value in headers:
            is_length = name.lower() == "content-length"
            if name.lower() not in ("transfer-encoding", "connection") and (
                is_head or not is_length
            ):
                handler.send_header(name, value)
        if not is_head and status != 204:
            handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        if not is_head:
            handler.wfile.write(content)

    def end(self) -> None:
        self._listener.shutdown()
        self._listener.server_close()


@pytest.fixture
def between(s3: OwnS3) -> Iterator[Between]:
    """Give a way to the server on which things go wrong when a test says so."""
    way = Between(s3)
    yield way
    way.end()


@pytest.fixture
def shared(s3: OwnS3, settings: Any, tmp_path: Path) -> StoreSettings:
    """Share the files of this test in a bucket of its own."""
    return use(store_settings(s3.make_bucket(), s3.url), settings, tmp_path)


@pytest.fixture
def shared_between(s3: OwnS3, between: Between, settings: Any, tmp_path: Path) -> StoreSettings:
    """Share them in a bucket to which the way may break."""
    return use(store_settings(s3.make_bucket(), between.url), settings, tmp_path)


def use(environment: Mapping[str, str], settings: Any, folder: Path) -> StoreSettings:
    """Have this process use a store, and a data directory of its own."""
    found = read(environment, private=[])
    assert found is not None
    settings.ARTEFACT_STORE = found
    settings.DATA_DIR = folder / "data"
    settings.DATA_DIR.mkdir()
    return found


@contextmanager
def on_another_host(settings: Any, folder: Path) -> Iterator[Path]:
    """Be a host inside that shares the store and has a data directory of its own."""
    here = settings.DATA_DIR
    settings.DATA_DIR = folder / "another-host"
    settings.DATA_DIR.mkdir(exist_ok=True)
    try:
        yield settings.DATA_DIR
    finally:
        settings.DATA_DIR = here
