"""Serves the whole application from one terminal: database, demo, web, two workers, sweeper.

    scripts/supervise.py [--with-parent]

Restarts what dies and leaves nothing behind, however it ends itself (docs/adr/0002). Knows no
Django: it reads PORT, DATA_DIR and DEMO_PASSWORD and starts the programs that know the rest.
"""

import argparse
import os
import secrets
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
PRODUCTION_SETTINGS = ("SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL")
TICK_SECONDS = 0.1
# A worker asked to stop may finish a short job; a longer one is taken up again from its row.
# An idle worker needs five seconds to say goodbye, which nobody should wait for.
GRACE_SECONDS = 3.0
LONGEST_PAUSE_SECONDS = 30.0
# A program that has run this long was not failing at its start: its next pause is short again.
HEALTHY_SECONDS = 30.0


def say(words: str) -> None:
    """Print one line at once, even into a pipe."""
    print(words, flush=True)


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
        """Tell whether the keeper lives."""
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

    def __init__(self, programs: list[Program], url: str, welcome: str) -> None:
        self.programs = programs
        self.url = url
        self.welcome: str | None = welcome
        self.stop_requests = 0

    def request_stop(self, _number: int, _frame: FrameType | None) -> None:
        """Signal handler: the first asks, the second insists."""
        self.stop_requests += 1

    def run_step(self, *command: str) -> None:
        """Run one management command to its end; leave with its code when it fails."""
        step = Program(command[0], [sys.executable, "manage.py", *command])
        step.start()
        while step.is_running() and not self.stop_requests:
            time.sleep(TICK_SECONDS / 4)
        code = step.clear()
        if code is None and self.stop_requests:
            sys.exit(0)
        if code != 0:
            say(f"`manage.py {' '.join(command)}` failed; nothing was started.")
            sys.exit(1)

    def serve(self, parent: int | None) -> None:
        """Keep everything running until a signal, or until the given parent is gone."""
        for program in self.programs:
            program.start()
        try:
            while not self.stop_requests:
                if parent is not None and os.getppid() != parent:
                    break
                for program in self.programs:
                    self.look_after(program)
                if self.welcome is not None and is_served(self.url):
                    say(self.welcome)
                    self.welcome = None
                time.sleep(TICK_SECONDS)
        finally:
            self.stop()

    def look_after(self, program: Program) -> None:
        """Restart a program that died, after a pause that doubles while it keeps failing."""
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
        say(f"{program.name} {how}; starting it again in {pause:g} s")

    def stop(self) -> None:
        """Ask all programs to end, wait a little, kill the rest."""
        asked = self.stop_requests
        say("Stopping ...")
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
    """Tell whether the web server answers; short, because restarts wait meanwhile."""
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=1) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def chosen_port() -> int:
    """Return PORT, or end with one sentence when it is no free port."""
    words = os.environ.get("PORT") or "8000"
    if not (words.isascii() and words.isdigit() and 0 < int(words) < 65536):
        sys.exit(f"PORT must be a number from 1 to 65535, not {words!r}.")
    port = int(words)
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


def demo_password(data_dir: Path) -> str:
    """Return DEMO_PASSWORD, or the one made once and kept for its owner alone."""
    given = os.environ.get("DEMO_PASSWORD")
    if given:
        return given
    data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = data_dir / "demo_password"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        file.write(f"{secrets.token_hex(8)}\n")
    return path.read_text().strip()


def programs(port: int) -> list[Program]:
    """The web server, one worker for each queue, and the sweeper that rings waiting jobs."""
    python = [sys.executable, "-m"]
    web = [*python, "granian", "--interface", "wsgi", "--host", HOST, "--port", str(port)]
    web += ["--workers", "2", "--blocking-threads", "4", "--respawn-failed-workers"]
    web += ["--respawn-interval", "0.5", "--workers-kill-timeout", "5", "--no-ws"]
    web += ["--log-level", "warning", "annotator.wsgi:application"]
    found = [Program("web server", web)]
    for queue in ("web", "gpu"):
        worker = [*python, "celery", "--quiet", "-A", "annotator.celery", "worker", "-Q", queue]
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
    data_dir = Path(os.environ.get("DATA_DIR") or ROOT / "var")
    is_local = not any(os.environ.get(name) for name in PRODUCTION_SETTINGS)
    welcome = f"\nServed at {url}"
    if is_local:
        os.environ["DEMO_PASSWORD"] = password = demo_password(data_dir)
        welcome += (
            "\nDemo logins: alice, bob (annotators), carol (adjudicator), rita (researcher), "
            f"ada (admin)\nPassword of each: {password}"
        )
    supervisor = Supervisor(programs(port), url, f"{welcome}\nCtrl-C stops everything.\n")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, supervisor.request_stop)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup is respected
        signal.signal(signal.SIGHUP, supervisor.request_stop)
    supervisor.run_step("migrate", "--verbosity", "0")
    # The demo is for local mode alone: production gets no known logins.
    supervisor.run_step(*(["load_demo"] if is_local else ["collectstatic", "--noinput"]))
    supervisor.serve(parent)


if __name__ == "__main__":
    main()
