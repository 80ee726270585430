"""What `make run` promises: one command serves, what dies comes back, nothing stays behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.crowd import LONGEST_WAIT_SECONDS
from tests.promises.harness import wait_until
from tests.served.server import ROOT, lasting_port

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="reads /proc"),
]


@dataclass(frozen=True)
class Process:
    """A living process as /proc shows it."""

    pid: int
    parent: int
    command: str


@dataclass(frozen=True)
class Served:
    """A started supervisor."""

    process: subprocess.Popen[bytes]
    port: int
    data_dir: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/healthz"

    def processes(self) -> list[Process]:
        """Every process that works on this test's data directory, zombies excepted."""
        mark = f"DATA_DIR={self.data_dir}\0".encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark not in (folder / "environ").read_bytes() + b"\0":
                    continue
                stat = (folder / "stat").read_text().rpartition(")")[2].split()
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (FileNotFoundError, PermissionError, ProcessLookupError):
                continue
            found.append(Process(int(folder.name), int(stat[1]), command))
        return found

    def keeper_of(self, command: str) -> int:
        """The pid of the keeper of the program whose command holds this text."""
        return self.only_child(self.process.pid, f"keeper.py .*{command}")

    def master_of(self, command: str) -> int:
        """The pid of the program itself."""
        return self.only_child(self.keeper_of(command), command)

    def only_child(self, parent: int, pattern: str) -> int:
        """The pid of the one child with such a command, waited for.

        Between fork and exec a process bears its parent's command, and for a moment none at all.
        """

        def found() -> list[int]:
            own = [p for p in self.processes() if p.parent == parent]
            return [p.pid for p in own if re.search(pattern, p.command)]

        wait_until(lambda: len(found()) == 1, f"one child of {parent} with {pattern}")
        return found()[0]

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url, timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False


# The supervisor respects nohup, under which this run may have been started.
HEEDING_HANGUP = """
import os, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def environment(data_dir: Path, port: object) -> dict[str, str]:
    """Local mode, whatever services the suite itself runs on."""
    foreign = ("DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY", "ALLOWED_HOSTS", "DEMO_PASSWORD")
    rest = {name: value for name, value in os.environ.items() if name not in foreign}
    return rest | {"DATA_DIR": str(data_dir), "PORT": str(port)}


class Scenario:
    """One data directory, and the supervisor that serves it: the one that runs, or another."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._served: Served | None = None

    def served(self) -> Served:
        """Return what runs; start it first where a test has ended it, as a user would."""
        if self._served is None or self._served.process.poll() is not None:
            self.end()
            self._served = self._start()
        return self._served

    def _start(self) -> Served:
        port = lasting_port()
        output = self._data_dir / "output"
        with output.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-c", HEEDING_HANGUP, "scripts/supervise.py"],
                cwd=ROOT,
                env=environment(self._data_dir, port),
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
            )
        self._served = found = Served(process, port, self._data_dir)
        wait_until(lambda: found.answers() or process.poll() is not None, "first page")
        assert process.poll() is None, output.read_text()
        wait_until(lambda: any("sweep" in p.command for p in found.processes()), "last program")
        return found

    def end(self) -> None:
        """Kill what is there."""
        if self._served is not None:
            self._served.process.kill()
            self._served.process.wait()
            for left in self._served.processes():
                with suppress(ProcessLookupError):
                    os.kill(left.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scenario]:
    """One for all tests here: each start takes ten seconds, and the demo is loaded once."""
    scenario = Scenario(tmp_path_factory.mktemp("served"))
    yield scenario
    scenario.end()


@pytest.fixture
def served(scenario: Scenario) -> Served:
    return scenario.served()


def test_one_command_serves_and_prints_the_address_and_the_logins(served) -> None:
    output = served.data_dir / "output"
    wait_until(lambda: "Ctrl-C" in output.read_text(), "welcome")
    password = (served.data_dir / "demo_password").read_text().strip()
    assert f"http://127.0.0.1:{served.port}" in output.read_text()
    assert f"Password of each: {password}" in output.read_text()
    assert all(name in output.read_text() for name in ("alice", "bob", "carol", "rita", "ada"))
    assert (served.data_dir / "demo_password").stat().st_mode & 0o777 == 0o600


def test_killed_web_server_is_served_again_by_new_workers_only(served) -> None:
    old = {p.pid for p in served.processes() if "granian" in p.command}
    os.kill(served.master_of("granian"), signal.SIGKILL)
    wait_until(lambda: not old & {p.pid for p in served.processes()}, "old workers gone")
    wait_until(served.answers, "page after the restart")


@pytest.mark.parametrize(
    "command",
    [
        "-Q gpu",
        "sweep",
        *(pytest.param(command, marks=pytest.mark.exhaustive) for command in ("granian", "-Q web")),
    ],
)
def test_killed_keeper_leads_to_one_new_program(served, command) -> None:
    keeper = served.keeper_of(command)
    old = {p.pid for p in served.processes() if command in p.command}
    os.kill(keeper, signal.SIGKILL)
    wait_until(lambda: not old & {p.pid for p in served.processes()}, "old program gone")
    assert served.keeper_of(command) != keeper
    assert served.master_of(command) not in old


def test_killed_supervisor_leaves_no_process(served) -> None:
    assert len(served.processes()) > len(["supervisor", "web", "worker", "worker", "sweeper"])
    served.process.kill()
    served.process.wait()
    wait_until(lambda: served.processes() == [], "nothing left")
    assert not served.answers()


@pytest.mark.exhaustive
def test_web_server_and_supervisor_killed_together_leave_no_process(served) -> None:
    os.kill(served.master_of("granian"), signal.SIGKILL)
    served.process.kill()
    served.process.wait()
    wait_until(lambda: served.processes() == [], "nothing left")


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        *(
            pytest.param(one, marks=pytest.mark.exhaustive)
            for one in (signal.SIGINT, signal.SIGHUP)
        ),
    ],
)
def test_stop_signal_ends_everything_in_order(served, number) -> None:
    served.process.send_signal(number)
    assert served.process.wait(LONGEST_WAIT_SECONDS) == 0
    assert served.processes() == []


def test_taken_port_is_refused_with_one_sentence(tmp_path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        refused = run_supervisor(tmp_path, port)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert f"Port {port} is taken" in refused.stderr


@pytest.mark.parametrize(
    "port",
    [
        "65536",
        "80a",
        *(
            pytest.param(port, marks=pytest.mark.exhaustive)
            for port in ("0", "-1", "8 0", "\u0661")
        ),
    ],
)
def test_impossible_port_is_refused_with_one_sentence(tmp_path, port) -> None:
    refused = run_supervisor(tmp_path, port)
    assert refused.returncode == 1
    assert refused.stderr == f"PORT must be a number from 1 to 65535, not {port!r}.\n"
    assert list(tmp_path.iterdir()) == []


def run_supervisor(data_dir: Path, port: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/supervise.py"],
        cwd=ROOT,
        env=environment(data_dir, port),
        capture_output=True,
        text=True,
        timeout=LONGEST_WAIT_SECONDS,
    )
