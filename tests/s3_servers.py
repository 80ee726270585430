"""Servers of S3 as processes of a test's own: moto has versions, `rclone serve s3` has none.

A test of them bears the mark `broker`.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import boto3
import pytest
from botocore.config import Config

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


def bucket_settings(bucket: str, url: str) -> dict[str, str]:
    """Return the settings of a program, as its environment has them, that uses a bucket."""
    return {
        "STORAGE_BUCKET": bucket,
        "STORAGE_ENDPOINT": url,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
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


@pytest.fixture
def bucket(s3: OwnS3, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Share the files of this test in a bucket of its own; return its name."""
    name = s3.make_bucket()
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    use_bucket(name, s3.url, settings, monkeypatch)
    return name


def use_bucket(name: str, url: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have this process share its files in a bucket."""
    for key, value in bucket_settings(name, url).items():
        monkeypatch.setenv(key, value)
    settings.STORAGE_BUCKET, settings.STORAGE_ENDPOINT = name, url
    options = {"bucket_name": name, "endpoint_url": url}
    files = {"BACKEND": "core.bucket.Bucket", "OPTIONS": options}
    settings.STORAGES = {**settings.STORAGES, "files": files}


@pytest.fixture
def unreachable(bucket: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Give a function after whose call nothing listens where the server was."""
    return lambda: use_bucket(bucket, f"http://{HOST}:9", settings, monkeypatch)


@contextmanager
def on_another_host(settings: Any, folder: Path) -> Iterator[Path]:
    """Be a host inside that shares the bucket and has a data directory of its own."""
    here = settings.DATA_DIR
    settings.DATA_DIR = folder / "another-host"
    settings.DATA_DIR.mkdir(exist_ok=True)
    try:
        yield settings.DATA_DIR
    finally:
        settings.DATA_DIR = here
