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
