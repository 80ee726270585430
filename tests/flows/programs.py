"""The programs of an installation, each a process of its own that writes its log into a file."""

import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.flows.conftest import ROOT, environment, kill_group
from tests.served.server import HOST, LONGEST_START_SECONDS, lasting_port, served_environment

LONGEST_WAIT_SECONDS = 240


def wait_until(fact: Callable[[], object], awaited: str) -> None:
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not fact():
        assert time.monotonic() < deadline, f"waited in vain: {awaited}"
        time.sleep(0.1)


class Programs:
    """Starts programs over the database and the broker of a test, and ends them all."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.settings = settings
        self._living: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, command: list[str], env: Mapping[str, str]) -> None:
        assert name not in self._living, f"{name} lives already, and would be forgotten"
        with (self.folder / f"{name}.log").open("ab") as log:
            self._living[name] = subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env={**env, **self.settings},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def start_worker(self, name: str, queue: str) -> None:
        command = ["-m", "celery", "-A", "config.celery", "worker", "-Q", queue]
        command += ["-c", "1", "--without-gossip", "--without-mingle", "-n", f"{name}@test"]
        self.start(name, command, environment())

    def start_sweeper(self, name: str = "sweeper") -> None:
        self.start(name, ["manage.py", "sweep", "--forever"], environment())

    def start_web(self, name: str, port: int | None = None) -> int:
        """Start a web server of one process, and wait until it answers; return its port."""
        port = port or lasting_port()
        command = ["-m", "granian", "--interface", "asginl", "--host", HOST, "--port", str(port)]
        command += ["--http", "1", "--no-ws", "--workers", "1", "--access-log"]
        self.start(name, [*command, "config.asgi:application"], served_environment())
        deadline = time.monotonic() + LONGEST_START_SECONDS
        while not answers(port):
            assert self._living[name].poll() is None, f"{name} has ended: {self.log(name)[-2000:]}"
            assert time.monotonic() < deadline, f"{name} does not come up"
            time.sleep(0.05)
        return port

    def run(self, name: str, *command: str, is_well: bool = True) -> str:
        """Carry out a command that is to end well, or with a finding; return what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=environment() | self.settings,
            capture_output=True,
            text=True,
            timeout=LONGEST_WAIT_SECONDS,
        )
        (self.folder / f"{name}.log").write_text(done.stdout + done.stderr)
        assert done.returncode == (0 if is_well else 1), done.stderr
        return done.stdout

    def kill(self, name: str) -> None:
        kill_group(self._living.pop(name))

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def pids(self) -> list[int]:
        return [process.pid for process in self._living.values()]

    def end(self) -> None:
        for name in list(self._living):
            self.kill(name)


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
