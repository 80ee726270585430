"""Measures a start until its first page, and what then runs: processes, memory, processor time.

    benchmarks/startup.py [--clone] [--starts N] [--peers DIR]

The first `make run` has a new data directory and loads the demo; N warm starts follow. With --clone
the first is a stranger's: a fresh clone of the last commit, with its virtual environment and
packages. With --peers Label Studio is started likewise, from DIR, where it is or will be installed.

Memory is the sum of the proportional shares (PSS) of all processes: what they share counts once.
"""

import argparse
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from shared import ROOT
from shared.applications import label_studio, ours
from shared.measuring import machine, print_row
from shared.processes import Application, family

LONGEST_WAIT_SECONDS = 900
# By then the last program has started and has reported to the others.
SETTLED_SECONDS = 8


def measure(application: Application, start: str) -> None:
    """Start it, wait for its page and then until it has settled, print the figures, stop it."""
    begun = time.perf_counter()
    with application.running(LONGEST_WAIT_SECONDS) as server:
        seconds = time.perf_counter() - begun
        time.sleep(SETTLED_SECONDS)
        print_row(
            application.name,
            start,
            f"{seconds:.1f}",
            f"{server.cpu_seconds():.1f}",
            len(family(server.roots)),
            f"{server.memory_mb():.0f}",
            machine(),
        )


def main() -> None:
    """Print a row for each start, with the load of the machine, which moves the seconds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
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
        applications = [replace(ours(data_dir, {}, checkout), command=["make", "run"])]
        if given.peers:
            (Path(name) / "peer").mkdir()
            applications.append(label_studio(Path(name) / "peer", given.peers))
        for number in range(1 + given.starts):
            for application in applications:
                measure(application, "warm" if number else "first")


if __name__ == "__main__":
    main()
