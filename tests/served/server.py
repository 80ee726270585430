"""A web server that a test can kill: one process group on one port, over the test's database."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import connection

ROOT = Path(__file__).resolve().parents[2]
LONGEST_START_SECONDS = 60
GRACE_SECONDS = 3
HOST = "127.0.0.1"
# Ports that no system gives to a client by chance: a killed server finds its own free again.
LASTING_PORTS = range(15_000, 30_000)


def served_environment(**more: str) -> dict[str, str]:
    """Return an environment in which another process serves the database of this test."""
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.served.settings",
        "SERVED_DATABASE": str(connection.settings_dict["NAME"]),
        "SERVED_SECRET_KEY": settings.SECRET_KEY,
        **more,
    }


class Server:
    """The server as `make run` starts it, but for its numbers; it is stopped or killed.

    Workers that die alone come back, as there. `more` is added to the environment; `code` is the
    checkout whose programs serve.
    """

    def __init__(self, workers: int = 1, code: Path = ROOT, **more: str) -> None:
        self._code = code
        self.port = lasting_port()
        self.url = f"http://{HOST}:{self.port}"
        self._numbers = ["--http", "1", "--http1-buffer-size", "65536"]
        self._numbers += ["--workers", str(workers)]
        self._more = more
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it on its port, and wait until it answers."""
        command = [sys.executable, "-m", "granian", "--interface", "asginl", "--host", HOST]
        command += ["--port", str(self.port), *self._numbers, "--respawn-failed-workers"]
        command += ["--respawn-interval", "0.5", "--no-ws", "--log-level", "warning"]
        self._process = subprocess.Popen(
            [*command, "config.asgi:application"],
            cwd=self._code,
            env=served_environment(**self._more),
            start_new_session=True,
        )
        self.wait_until_it_answers()

    def wait_until_it_answers(self) -> None:
        """Wait for it to be up, as after the death of its only worker."""
        deadline = time.monotonic() + LONGEST_START_SECONDS
        while not self._answers():
            assert self._process is not None and self._process.poll() is None, "it has ended"
            assert time.monotonic() < deadline, "it does not come up"
            time.sleep(0.05)

    def stop(self) -> None:
        """Ask the server to end in order, as the supervisor does; kill what is left."""
        if self._process is not None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=GRACE_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Kill -9 the server with its workers."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(timeout=10)
            self._process = None

    def memory_kb(self) -> int:
        """Return what the server and its workers hold in memory."""
        assert self._process is not None
        found = 0
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, ValueError):
                if os.getpgid(int(entry.name)) == self._process.pid:
                    (line,) = (
                        line
                        for line in (entry / "status").read_text().splitlines()
                        if line.startswith("VmRSS:")
                    )
                    found += int(line.split()[1])
        return found

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


def lasting_port() -> int:
    """Return a free port that stays free while whoever listened there is dead."""
    while True:
        port = secrets.choice(LASTING_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind((HOST, port))
            return port
