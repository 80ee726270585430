"""Serves the whole application from one terminal: database, demo, web, two workers, sweeper.

    python -m scripts.supervise [--with-parent]

Imports the application once and forks what serves it. Restarts what dies, by another fork, so that
code that was changed meanwhile is not loaded. Leaves nothing behind, however it ends itself
(docs/adr/0044). It has no thread and no connection, of which forks would have a broken copy.
"""

import argparse
import os
import shutil
import signal
import socket
import sys
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import FrameType

from scripts.forks import STOP_SIGNALS, Lifeline, Program
from scripts.programs import HOST, load, prepare, programs

ROOT = Path(__file__).resolve().parent.parent
TICK_SECONDS = 0.1
# A worker asked to stop may finish a short job; a longer one is taken up again from its row.
# An idle worker needs five seconds to shut down, which nobody should wait for.
GRACE_SECONDS = 3.0
LONGEST_PAUSE_SECONDS = 30.0
# A program that has run this long was not failing at its start: its next pause is short again.
HEALTHY_SECONDS = 30.0
LONGEST_HEAD_START_SECONDS = 15.0


def log(line: str) -> None:
    """Print one line at once, even into a pipe."""
    print(line, flush=True)


class Supervisor:
    """Starts the programs, restarts what dies, and ends them all."""

    def __init__(self, programs: list[Program], port: int) -> None:
        self.programs = programs
        self.port = port
        self.stop_requests = 0

    def request_stop(self, _number: int, _frame: FrameType | None) -> None:
        """Signal handler: the first asks, the second insists."""
        self.stop_requests += 1

    def prepare(self, step: Program) -> None:
        """Run what comes before the start to its end; leave when it fails."""
        step.start()
        while step.is_running() and not self.stop_requests:
            time.sleep(TICK_SECONDS / 4)
        code = step.clear()
        if self.stop_requests:
            sys.exit(0)
        if code != 0:
            sys.exit("The database could not be prepared (see above); nothing was started.")

    def serve(self, parent: int | None, welcome: str) -> None:
        """Keep everything running until a signal, or until the given parent is gone."""
        is_welcome = False
        deadline = time.monotonic() + LONGEST_HEAD_START_SECONDS
        try:
            while not self.stop_requests:
                if parent is not None and os.getppid() != parent:
                    break
                if not is_welcome and is_served(self.port):
                    is_welcome = True
                    log(welcome)
                # The first page comes sooner when the workers start after it.
                is_time_for_all = is_welcome or time.monotonic() > deadline
                for program in self.programs if is_time_for_all else self.programs[:1]:
                    self.look_after(program)
                time.sleep(TICK_SECONDS)
        finally:
            self.stop()

    def look_after(self, program: Program) -> None:
        """Start a program, and again when it died, after pauses that double while it fails."""
        now = time.monotonic()
        if program.process is None:
            if now >= program.restart_at:
                program.start()
            return
        if program.is_running():
            return
        was_healthy = now - program.started_at > HEALTHY_SECONDS
        code = program.clear()
        program.failures = 0 if was_healthy else program.failures + 1
        pause = min(LONGEST_PAUSE_SECONDS, 0.25 * 2**program.failures)
        program.restart_at = now + pause
        how = "was killed" if code is None or code < 0 else f"ended with code {code}"
        log(f"{program.name} {how}; starting it again in {pause:g} s")

    def stop(self) -> None:
        """Ask all programs to end, wait a little, kill the rest."""
        asked = self.stop_requests
        log("Stopping ...")
        for program in self.programs:
            program.ask_to_stop()
        deadline = time.monotonic() + GRACE_SECONDS
        while any(program.is_running() for program in self.programs):
            if time.monotonic() > deadline or self.stop_requests > max(asked, 1):
                break
            time.sleep(TICK_SECONDS / 2)
        for program in self.programs:
            program.clear()


def is_served(port: int) -> bool:
    """Return whether the web server answers; short, because restarts wait meanwhile.

    Asked by hand, as `urllib` looks for proxies first.
    """
    connection = HTTPConnection(HOST, port, timeout=1)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (HTTPException, OSError):
        return False
    finally:
        connection.close()


def chosen_port() -> int:
    """Return PORT, or end with one sentence when it is no free port."""
    given = os.environ.get("PORT") or "8000"
    if not (given.isascii() and given.isdigit() and 0 < int(given) < 65536):
        sys.exit(f"PORT must be a number from 1 to 65535, not {given!r}.")
    port = int(given)
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except PermissionError:
            sys.exit(
                f"Port {port} needs more rights: choose one above 1023 with `make run PORT=8001`."
            )
        except OSError:
            sys.exit(
                f"Port {port} is taken by another program: stop it, "
                f"or choose another with `make run PORT={port % 65535 + 1}`."
            )
    return port


def welcome(url: str, data_dir: Path, is_local: bool) -> str:
    """Return where the application is and, in local mode, who may sign in."""
    text = f"\nServed at {url}\n"
    if is_local:  # load_demo has written the file where nobody chose a password
        password = os.environ.get("DEMO_PASSWORD") or (data_dir / "demo_password").read_text()
        text += (
            "Demo logins: alice, bob (annotators), carol (adjudicator), rita (researcher), "
            f"ada (admin)\nPassword of each: {password.strip()}\n"
        )
    return text + "Ctrl-C stops everything.\n"


def main() -> None:
    """Prepare the database and the demo, then serve until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument(
        "--with-parent", action="store_true", help="stop when the starting process ends"
    )
    parent = os.getppid() if parser.parse_args().with_parent else None
    port = chosen_port()
    url = f"http://{HOST}:{port}"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    data_dir = Path(os.environ.get("DATA_DIR") or ROOT / "var")
    # Counts of the web processes before: theirs would stand beside those of the new ones for good.
    shutil.rmtree(data_dir / "figures", ignore_errors=True)
    lifeline = Lifeline()
    supervisor = Supervisor(
        [Program(name, work, lifeline) for name, work in programs(port).items()], port
    )
    for number in STOP_SIGNALS:
        # nohup is respected.
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, supervisor.request_stop)
    load()
    from django.conf import settings

    supervisor.prepare(Program("preparation", prepare, lifeline))
    supervisor.serve(parent, welcome(url, data_dir, settings.IS_LOCAL))


if __name__ == "__main__":
    main()
