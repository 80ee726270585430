"""What is forked ends with its parent, and with its program, whatever it has started itself."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from scripts.forks import STOP_SIGNALS, Lifeline, Program
from tests.promises.harness import wait_until
from tests.served.server import ROOT

# A supervisor with one program, which has forked one process and started another; each of the
# three writes down its number.
FAMILY = """
import os, signal, subprocess, sys, time
from pathlib import Path
from scripts.forks import Lifeline, Program
folder = Path(sys.argv[1])

def note(name, pid):
    unfinished = folder / f"{name}.unfinished"
    unfinished.write_text(str(pid))
    unfinished.rename(folder / name)

def work():
    if os.fork() == 0:
        note("forked", os.getpid())
        time.sleep(600)
    note("started", subprocess.Popen(["sleep", "600"]).pid)
    note("program", os.getpid())
    time.sleep(600)

program = Program("a program", work, Lifeline())
program.start()
while program.is_running():
    time.sleep(0.02)
program.clear()
time.sleep(600)
"""


@dataclass(frozen=True)
class Family:
    """The supervisor, and where the numbers of its descendants stand."""

    process: subprocess.Popen[bytes]
    folder: Path

    def pid(self, name: str) -> int:
        wait_until((self.folder / name).exists, name)
        return int((self.folder / name).read_text())

    def descendants(self) -> list[int]:
        return [self.pid(name) for name in ("program", "forked", "started")]


@pytest.fixture
def family(tmp_path: Path) -> Iterator[Family]:
    command = [sys.executable, "-c", FAMILY, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True) as process:
        found = Family(process, tmp_path)
        yield found
        process.kill()
        for pid in found.descendants():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def lives(pid: int) -> bool:
    """Whether a process runs; who has ended and whom nobody has asked for is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize(
    "killed", [["parent"], ["program"], ["parent", "program"], ["parent", "forked"]]
)
def test_whoever_is_killed_nothing_stays(family, killed) -> None:
    descendants = family.descendants()
    assert all(map(lives, descendants))
    for name in killed:
        os.kill(family.process.pid if name == "parent" else family.pid(name), signal.SIGKILL)
    wait_until(lambda: not any(map(lives, descendants)), "all descendants gone")


def test_it_leads_a_session_and_minds_signals_as_any_program(tmp_path) -> None:
    def work() -> None:
        assert os.getsid(0) == os.getpid() == os.getpgid(0)
        assert Path("/proc/self/comm").read_text() == "a program\n"
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
        handlers = {signal.getsignal(number) for number in STOP_SIGNALS}
        assert handlers <= {signal.SIG_DFL, signal.SIG_IGN}
        (tmp_path / "reached").touch()

    assert ended(work) == 0
    assert (tmp_path / "reached").exists()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()


def test_a_signal_before_it_is_a_program_of_its_own_ends_it_still(monkeypatch) -> None:
    taken = []
    before = signal.signal(signal.SIGTERM, lambda *_: taken.append(os.getpid()))
    # Sent to itself at the first moment, when it still has its parent's handlers.
    monkeypatch.setattr(os, "setsid", lambda: os.kill(os.getpid(), signal.SIGTERM))
    try:
        assert ended(lambda: os._exit(0)) == -signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)
    assert taken == []


@pytest.mark.parametrize(
    ("work", "code"),
    [
        (lambda: sys.exit(3), 3),
        (lambda: sys.exit("a sentence"), 1),
        (lambda: [].pop(), 1),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), -9),
    ],
    ids=["code", "sentence", "error", "killed"],
)
def test_its_end_is_reported(work, code) -> None:
    assert ended(work) == code


def ended(work) -> int | None:
    program = Program("a program", work, Lifeline())
    program.start()
    wait_until(lambda: not program.is_running(), "its end")
    return program.clear()
