"""Starts servers on loopback, ends them with all they started, and reads their CPU from /proc."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
TICKS = os.sysconf("SC_CLK_TCK")
GRACE_SECONDS = 15
DROPPED = (
    *("DJANGO_SETTINGS_MODULE", "PYTHONPATH", "DATABASE_URL", "DATA_DIR"),
    *("SECRET_KEY", "ALLOWED_HOSTS", "ALLOW_INSECURE_HTTP", "DEMO_PASSWORD"),
)
RUN_HELPER = """
import importlib, json, sys
import django
django.setup()
module = importlib.import_module(f"annotation_flow.{sys.argv[1]}")
answer = getattr(module, sys.argv[2])(*(int(word) for word in sys.argv[3:]))
print(json.dumps(answer))
"""


def free_port() -> int:
    """Return a loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def clean_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Return this environment without what would give one Django another's settings."""
    rest = {name: value for name, value in os.environ.items() if name not in DROPPED}
    return rest | dict(settings)


def answers(port: int, path: str) -> bool:
    """Return whether a page is served there without an error."""
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}{path}", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def helper(python: str, module: str) -> list[str]:
    """Return the command by which a module beside this one answers inside its own Django."""
    return [python, "-c", RUN_HELPER, module]


def ask(command: list[str], environment: Mapping[str, str], *arguments: str) -> dict[str, Any]:
    """Run a helper beside a database and return the JSON of its last line."""
    done = subprocess.run(
        [*command, *arguments],
        env=dict(environment),
        # The package of this file is found from here.
        cwd=Path(__file__).resolve().parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{command[-1]}, {arguments[0]}: failed: {done.stderr[-1500:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: its root processes, texts that mark its parts, the file it logs to."""

    roots: tuple[int, ...]
    parts: tuple[str, ...]
    log: Path

    def cpu_seconds(self) -> dict[str, float]:
        """Return user and system seconds by part, children that have ended included."""
        found: Counter[str] = Counter()
        for pid in family(self.roots):
            names = _names(pid)
            part = next((part for part in self.parts if part in names), "other")
            found[part] += _cpu_ticks(pid)
        return {part: ticks / TICKS for part, ticks in found.items()}

    def log_lines(self, *texts: str) -> int:
        """Count the lines of its log that hold one of the texts, in whatever case."""
        log = self.log.read_text(encoding="utf-8", errors="replace").lower()
        return sum(any(text in line for text in texts) for line in log.splitlines())


@contextmanager
def running(
    command: list[str],
    *,
    is_ready: Callable[[], bool],
    log: Path,
    environment: Mapping[str, str],
    folder: Path,
    longest_start: float = 90,
    also: tuple[int, ...] = (),
    parts: tuple[str, ...] = (),
) -> Iterator[Server]:
    """Run a server until the block ends; `also` names processes that work for it."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + longest_start
        while not is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                end = log.read_text(encoding="utf-8", errors="replace")[-2000:]
                raise RuntimeError(f"{command[0]} did not serve: {end}")
            time.sleep(0.05)
        yield Server((process.pid, *also), parts, log)
    finally:
        _end(process)


def family(roots: tuple[int, ...]) -> set[int]:
    """Return the processes with all their living descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children.get(pid, [])
    return found


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name; [] when the process is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return []
    return text.rpartition(")")[2].split()


def _cpu_ticks(pid: int) -> int:
    # utime, stime, cutime and cstime are fields 14 to 17 of the line, state being field 3.
    return sum(int(word) for word in _stat(pid)[11:15])


def _names(pid: int) -> str:
    """Return what a process calls itself, as forks do, and the command that it was started by."""
    try:
        files = [Path(f"/proc/{pid}/{name}") for name in ("comm", "cmdline")]
        return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask politely, then kill the process and everything that descends from it."""
    rest = {pid: _started_at(pid) for pid in family((process.pid,))}
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_SECONDS)
    for pid, started_at in rest.items():
        # A number may belong to another process by now; its start shows it.
        if started_at and _started_at(pid) == started_at:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    process.wait()


def _started_at(pid: int) -> str:
    fields = _stat(pid)
    return fields[19] if fields else ""
