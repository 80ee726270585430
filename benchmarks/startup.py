"""Measures how long `make run` takes until the login page answers: first start, then second.

    benchmarks/startup.py [--clone]

With --clone the first start is that of a stranger: a fresh clone of the last commit, with its
virtual environment and packages. Without it the environment of this checkout is used.
"""

import argparse
import os
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST_WAIT_SECONDS = 900


def seconds_to_login_page(checkout: Path, data_dir: Path) -> float:
    """Start `make run`, wait for the login page, stop everything; return the seconds it took."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {"DATA_DIR": str(data_dir), "PORT": str(port)}
    start = time.perf_counter()
    process = subprocess.Popen(
        ["make", "run"],
        cwd=checkout,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while not answers(f"http://127.0.0.1:{port}/login/"):
            if process.poll() is not None or time.perf_counter() - start > LONGEST_WAIT_SECONDS:
                raise SystemExit("make run did not serve the login page")
            time.sleep(0.05)
        return time.perf_counter() - start
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def answers(url: str) -> bool:
    """Return whether a page is served there."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def main() -> None:
    """Print both figures with the load of the machine, which moves them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clone", action="store_true", help="start from a fresh clone")
    is_clone = parser.parse_args().clone
    with tempfile.TemporaryDirectory() as name:
        checkout, data_dir = ROOT, Path(name) / "data"
        if is_clone:
            checkout = Path(name) / "clone"
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(checkout)], check=True)
        print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        for start in ("first", "second"):
            seconds = seconds_to_login_page(checkout, data_dir)
            print(f"{start} start: {seconds:.1f} s to the login page")


if __name__ == "__main__":
    main()
