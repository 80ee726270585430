"""Start servers on loopback, end them with their children, and read their costs from /proc."""

import os
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

HOST = "127.0.0.1"
TICKS = os.sysconf("SC_CLK_TCK")
GRACE_SECONDS = 15
DROPPED = (
    *("DJANGO_SETTINGS_MODULE", "PYTHONPATH", "DATABASE_URL", "DATA_DIR", "CELERY_BROKER_URL"),
    *("SECRET_KEY", "ALLOWED_HOSTS", "ALLOW_INSECURE_HTTP", "DEMO_PASSWORD"),
)


def free_port() -> int:
    """Return a free loopback port."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def clean_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Return `settings` and this environment without the variables that configure a Django."""
    rest = {name: value for name, value in os.environ.items() if name not in DROPPED}
    return rest | dict(settings)


@dataclass(frozen=True, slots=True)
class Server:
    """A running server, known by its root processes."""

    roots: tuple[int, ...]

    def cpu_seconds(self) -> float:
        """Return user and system seconds of all processes, ended children included."""
        # utime, stime, cutime and cstime are fields 14 to 17 of the line, state being field 3.
        ticks = (sum(map(int, stat_fields(pid)[11:15])) for pid in family(self.roots))
        return sum(ticks) / TICKS

    def memory_mb(self) -> float:
        """Return the sum of the proportional shares (PSS) of all processes."""
        found = 0
        for pid in family(self.roots):
            with suppress(FileNotFoundError, ProcessLookupError):
                lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
                found += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return found / 1024


@dataclass(frozen=True, slots=True)
class Application:
    """How an application is started, and the page that shows that it serves.

    `python` and `django` run code inside it: its interpreter, and the variables that this needs.
    """

    name: str
    command: list[str]
    folder: Path
    page: str
    port: int
    environment: Mapping[str, str]
    python: Path
    django: Mapping[str, str]

    @contextmanager
    def running(self, longest_start: float = 300, also: tuple[int, ...] = ()) -> Iterator[Server]:
        """Run it until the block ends; `also` names other processes that belong to it."""
        with tempfile.TemporaryFile("w+", errors="replace") as log:
            process = subprocess.Popen(
                self.command,
                cwd=self.folder,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                deadline = time.monotonic() + longest_start
                while not self._answers():
                    if process.poll() is not None or time.monotonic() > deadline:
                        log.seek(0)
                        raise RuntimeError(f"{self.name} did not serve: {log.read()[-2000:]}")
                    time.sleep(0.05)
                yield Server((process.pid, *also))
            finally:
                _end(process)

    def _answers(self) -> bool:
        try:
            address = f"http://{HOST}:{self.port}{self.page}"
            with urllib.request.urlopen(address, timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False


def family(roots: tuple[int, ...]) -> set[int]:
    """Return the processes with all their living descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := stat_fields(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children.get(pid, [])
    return found


def stat_fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name; [] when the process has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return []
    return text.rpartition(")")[2].split()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the process to stop, then kill it and all its descendants."""
    rest = {pid: stat_fields(pid)[19:20] for pid in family((process.pid,))}
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_SECONDS)
    for pid, started_at in rest.items():
        # The number may belong to another process by now, which the start time shows.
        if started_at and stat_fields(pid)[19:20] == started_at:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    process.wait()
