"""What `make run` promises: one command serves, what dies comes back, nothing stays behind."""

import os
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
    # What it calls itself; what a program of the supervisor forks keeps its name.
    name: str


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
                name = (folder / "comm").read_text().strip()
            except (FileNotFoundError, PermissionError, ProcessLookupError):
                continue
            found.append(Process(int(folder.name), int(stat[1]), name))
        return found

    def pids(self, name: str) -> set[int]:
        """Every process of a program."""
        return {p.pid for p in self.processes() if p.name == name}

    def program(self, name: str) -> int:
        """The pid of a program itself, waited for: the one that the supervisor forked."""

        def found() -> list[int]:
            return [p.pid for p in self.processes() if (p.parent, p.name) == (self.pid, name)]

        wait_until(lambda: len(found()) == 1, f"{name} of {self.pid}")
        return found()[0]

    @property
    def pid(self) -> int:
        return self.process.pid

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
                [sys.executable, "-c", HEEDING_HANGUP, "-m", "scripts.supervise"],
                cwd=ROOT,
                env=environment(self._data_dir, port),
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
            )
        self._served = found = Served(process, port, self._data_dir)
        wait_until(lambda: found.answers() or process.poll() is not None, "first page")
        assert process.poll() is None, output.read_text()
        wait_until(lambda: found.pids("sweeper") != set(), "last program")
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


def test_forks_share_no_thread_no_connection_and_nothing_heavy(served) -> None:
    process = Path(f"/proc/{served.pid}")
    assert len(list((process / "task").iterdir())) == 1
    opened = {str(entry.readlink()) for entry in (process / "fd").iterdir()}
    assert {name for name in opened if name.startswith("socket:")} == set()
    inside = {name for name in opened if name.startswith(f"{served.data_dir}/")}
    assert inside == {str(served.data_dir / "output")}
    libraries = (process / "maps").read_text()
    assert [name for name in ("/torch/", "/scipy/") if name in libraries] == []


@pytest.mark.parametrize(
    "name",
    [
        *("web server", "worker gpu"),
        *(pytest.param(name, marks=pytest.mark.exhaustive) for name in ("sweeper", "worker web")),
    ],
)
def test_killed_program_comes_back_by_new_processes_only(served, name) -> None:
    program, old = served.program(name), served.pids(name)
    os.kill(program, signal.SIGKILL)
    wait_until(lambda: not old & {p.pid for p in served.processes()}, "old processes gone")
    assert served.program(name) not in old
    wait_until(served.answers, "page")


def test_killed_supervisor_leaves_no_process(served) -> None:
    assert len(served.processes()) > len(["supervisor", "web", "worker", "worker", "sweeper"])
    served.process.kill()
    served.process.wait()
    wait_until(lambda: served.processes() == [], "nothing left")
    assert not served.answers()


@pytest.mark.exhaustive
def test_web_server_and_supervisor_killed_together_leave_no_process(served) -> None:
    os.kill(served.program("web server"), signal.SIGKILL)
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
        [sys.executable, "-m", "scripts.supervise"],
        cwd=ROOT,
        env=environment(data_dir, port),
        capture_output=True,
        text=True,
        timeout=LONGEST_WAIT_SECONDS,
    )
