"""Serves the whole application from one terminal: database, demo, web, two workers, sweeper.

    scripts/supervise.py [--with-parent]

Restarts what dies and leaves nothing behind, however it ends itself (docs/adr/0007). Knows no
Django: it reads PORT, DATA_DIR and DEMO_PASSWORD and starts the programs that know the rest.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
KEEPER = Path(__file__).with_name("keeper.py")
HOST = "127.0.0.1"
LOCAL_STEP = ["load_demo"]
PRODUCTION_STEP = ["collectstatic", "--noinput", "--verbosity=0"]
# One interpreter for all steps: loading Django takes longer than the steps of a second start.
RUN_STEPS = """
import json, sys
from django import setup
from django.core.management import CommandError, call_command
setup()
for step in json.loads(sys.argv[1]):
    try:
        call_command(*step)
    except CommandError as error:
        sys.exit(f"{step[0]}: {error}")
"""
PRODUCTION_SETTINGS = (
    *("SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL"),
    *("SECRET_KEY_FILE", "DATABASE_URL_FILE"),
)
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


@dataclass
class Program:
    """One command under a keeper: its process, its line to the keeper, its restarts."""

    name: str
    command: list[str]
    process: subprocess.Popen[bytes] | None = None
    line: socket.socket | None = None
    started_at: float = 0.0
    restart_at: float = 0.0
    failures: int = field(default=0)

    def start(self) -> None:
        """Start the keeper in a session of its own, so that Ctrl-C reaches only the supervisor."""
        self.line, far_end = socket.socketpair()
        with far_end:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(KEEPER), *self.command],
                stdin=far_end.fileno(),
                cwd=ROOT,
                start_new_session=True,
            )
        self.started_at = time.monotonic()

    def is_running(self) -> bool:
        """Return whether the keeper lives."""
        return self.process is not None and self.process.poll() is None

    def ask_to_stop(self) -> None:
        """Let the program end its work in order."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def clear(self) -> int | None:
        """Kill whatever is left of the group; return the command's exit code where it had one."""
        if self.process is None or self.line is None:
            return None
        # Nobody left is the usual case: the keeper has ended its group.
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        with self.line:
            try:
                answer = self.line.recv(16)
            except ConnectionResetError:
                answer = b""
        self.process = self.line = None
        return int(answer) if answer else None


class Supervisor:
    """Starts the programs, restarts what dies, and ends them all."""

    def __init__(self, programs: list[Program], url: str) -> None:
        self.programs = programs
        self.url = url
        self.stop_requests = 0

    def request_stop(self, _number: int, _frame: FrameType | None) -> None:
        """Signal handler: the first asks, the second insists."""
        self.stop_requests += 1

    def prepare(self, steps: list[list[str]]) -> None:
        """Run management commands to their end; leave when one fails."""
        step = Program("preparation", [sys.executable, "-c", RUN_STEPS, json.dumps(steps)])
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
                if not is_welcome and is_served(self.url):
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
        how = "was killed" if code is None else f"ended with code {code}"
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


def is_served(url: str) -> bool:
    """Return whether the web server answers; short, because restarts wait meanwhile."""
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=1) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


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


def programs(port: int) -> list[Program]:
    """The web server, one worker for each queue, and the sweeper that enqueues waiting jobs."""
    python = [sys.executable, "-m"]
    web = [*python, "granian", "--interface", "asginl", "--host", HOST, "--port", str(port)]
    web += ["--http", "1", "--no-ws", "--workers", "2", "--respawn-failed-workers"]
    web += ["--respawn-interval", "0.5", "--workers-kill-timeout", "5"]
    web += ["--log-level", "warning", "config.asgi:application"]
    found = [Program("web server", web)]
    for queue in ("web", "gpu"):
        worker = [*python, "celery", "--quiet", "-A", "config.celery", "worker", "-Q", queue]
        worker += ["-n", f"{queue}@%h", "--pool", "prefork", "--concurrency", "1"]
        worker += ["--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
        found.append(Program(f"worker of queue {queue}", worker))
    found.append(Program("sweeper", [sys.executable, "manage.py", "sweep", "--forever"]))
    return found


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
    is_local = not any(os.environ.get(name) for name in PRODUCTION_SETTINGS)
    # Counts of the web processes before: theirs would stand beside those of the new ones for good.
    shutil.rmtree(data_dir / "figures", ignore_errors=True)
    supervisor = Supervisor(programs(port), url)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, supervisor.request_stop)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup is respected
        signal.signal(signal.SIGHUP, supervisor.request_stop)
    # The demo is for local mode alone: production gets no known logins.
    supervisor.prepare([["migrate", "--verbosity=0"], LOCAL_STEP if is_local else PRODUCTION_STEP])
    supervisor.serve(parent, welcome(url, data_dir, is_local))


if __name__ == "__main__":
    main()
