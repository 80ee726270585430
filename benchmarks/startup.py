"""Measures a start until its first page, and what then runs: processes, memory, processor time.

    benchmarks/startup.py [--clone] [--starts N] [--peers DIR]

First `make run` in a new data directory, with its demo, then N starts more. With --clone the first
is that of a stranger: a fresh clone of the last commit, with its virtual environment and packages.
With --peers Label Studio is started likewise, from DIR, where it is or will be installed.

Memory is the proportional share (PSS) of each process, added up: what several share counts once.
"""

import argparse
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from annotation_flow.label_studio import command_of, environment_in
from annotation_flow.processes import Server, answers, clean_environment, family, free_port, running
from shared import ROOT
from shared.measuring import machine, print_row

LONGEST_WAIT_SECONDS = 900
# By then the last program has started, and has reported that it lives.
SETTLED_SECONDS = 8


@dataclass(frozen=True, slots=True)
class Application:
    """What is started and from where, and which page shows that it serves."""

    name: str
    command: list[str]
    folder: Path
    page: str
    port: int
    log: Path
    environment: Mapping[str, str]


def ours(checkout: Path, data_dir: Path) -> Application:
    """Return this application, as `make run` starts it."""
    port = free_port()
    environment = clean_environment({"DATA_DIR": str(data_dir), "PORT": str(port)})
    log = data_dir.with_suffix(".log")
    return Application("make run", ["make", "run"], checkout, "/login/", port, log, environment)


def label_studio(peers: Path, data_dir: Path) -> Application:
    """Return Label Studio as its own command starts it: SQLite, and no worker."""
    port = free_port()
    environment = clean_environment(environment_in(data_dir))
    command, log = command_of(peers, port), data_dir.with_suffix(".log")
    return Application("Label Studio", command, data_dir, "/user/login/", port, log, environment)


def measure(application: Application, start: str) -> None:
    """Start it, wait for its page and then until it is settled, print what it took, stop it."""
    begun = time.perf_counter()
    with running(
        application.command,
        is_ready=lambda: answers(application.port, application.page),
        log=application.log,
        environment=application.environment,
        folder=application.folder,
        longest_start=LONGEST_WAIT_SECONDS,
    ) as server:
        seconds = time.perf_counter() - begun
        time.sleep(SETTLED_SECONDS)
        cpu = sum(server.cpu_seconds().values())
        count = len(family(server.roots))
        print_row(
            *(application.name, start, f"{seconds:.1f}", f"{cpu:.1f}"),
            *(count, f"{memory_mb(server):.0f}", machine()),
        )


def memory_mb(server: Server) -> float:
    """Return the memory of all processes of a server; of one that ends meanwhile, nothing."""
    found = 0
    for pid in family(server.roots):
        with suppress(FileNotFoundError, ProcessLookupError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            found += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return found / 1024


def main() -> None:
    """Print a line for each start, with the load of the machine, which moves the seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clone", action="store_true", help="first start from a fresh clone")
    parser.add_argument("--starts", type=int, default=3, help="starts after the first")
    parser.add_argument("--peers", type=Path, help="where Label Studio is or will be installed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        checkout, data_dir = ROOT, Path(name) / "data"
        if given.clone:
            checkout = Path(name) / "clone"
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(checkout)], check=True)
        print_row("application", "start", "s to page", "CPU s", "processes", "PSS MB", "machine")
        applications = [ours(checkout, data_dir)]
        if given.peers:
            (Path(name) / "peer").mkdir()
            applications.append(label_studio(given.peers, Path(name) / "peer"))
        for number in range(1 + given.starts):
            for application in applications:
                measure(application, "next" if number else "first")


if __name__ == "__main__":
    main()
