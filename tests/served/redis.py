"""A Redis of the test's own that can be killed, frozen, and come back on its port."""

import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from typing import Final

from tests.served.server import HOST, lasting_port

LONGEST_START_SECONDS: Final = 30


def program() -> str | None:
    return shutil.which("redis-server") or shutil.which("valkey-server")


class OwnRedis:
    """A broker that stores nothing: what it held is lost when it dies."""

    def __init__(self) -> None:
        self.port = lasting_port()
        self.url = f"redis://{HOST}:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        path = program()
        assert path is not None
        options = ["--port", str(self.port), "--bind", HOST, "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen([path, *options], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + LONGEST_START_SECONDS
        while True:
            with suppress(OSError), socket.create_connection((HOST, self.port), timeout=1):
                return
            assert time.monotonic() < deadline, "Redis does not come up"
            time.sleep(0.02)

    def freeze(self) -> None:
        """Have it take connections and answer nothing, as on a machine that swaps."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=10)
            self._process = None
