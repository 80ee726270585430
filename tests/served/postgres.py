"""A PostgreSQL of the test's own, holding what the test's database holds, that can be killed."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import psycopg2

from tests.served.server import HOST, lasting_port

LONGEST_START_SECONDS: Final = 60
# As Debian's package sets them; the server of `make test` gives safety away for speed.
SAFE: Final = {"fsync": "on", "synchronous_commit": "on", "max_connections": "200"}
# Files of 1 MB, so that a small disk holds it: 16 MB are the default.
SMALL_WAL: Final = "--wal-segsize=1"


def programs() -> Path | None:
    """Return the folder of the newest server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    at_hand = shutil.which("initdb")
    return found[0].parent if found else Path(at_hand).parent if at_hand else None


class OwnPostgres:
    """A server as a child of this process, as who kills another's leaves locks behind."""

    def __init__(self, user: str, place: Path | None = None, **settings: str) -> None:
        bin_folder = programs()
        assert bin_folder is not None
        self._bin = bin_folder
        self._user = user
        self.port = lasting_port()
        self._settings = SAFE | settings
        self.folder = Path(tempfile.mkdtemp(prefix="postgres.", dir=place))
        # The server refuses root.
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
            self._as = {"user": "postgres", "group": "postgres", "extra_groups": []}
        self._process: subprocess.Popen[bytes] | None = None
        self.run(
            "initdb", "-D", "data", "-U", user, "--auth=trust", "--no-sync", "-E", "UTF8", SMALL_WAL
        )

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        given = {
            "port": str(self.port),
            "listen_addresses": HOST,
            "unix_socket_directories": "",
            **self._settings,
        }
        options = [word for name, value in given.items() for word in ("-c", f"{name}={value}")]
        with Path(self.folder, "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._bin / "postgres"), "-D", "data", *options],
                cwd=self.folder,
                stdout=log,
                stderr=log,
                **self._as,
            )
        deadline = time.monotonic() + LONGEST_START_SECONDS
        while not self._answers():
            assert self._process.poll() is None, Path(self.folder, "log").read_text()
            assert time.monotonic() < deadline, "PostgreSQL does not come up"
            time.sleep(0.02)

    def copy(self, database: dict[str, Any]) -> None:
        """Take over all that another database holds, under its name."""
        name = str(database["NAME"])
        self.run("createdb", "-h", HOST, "-p", str(self.port), "-U", self._user, name)
        source = ["-h", database["HOST"], "-p", str(database["PORT"]), "-U", database["USER"]]
        dumped = subprocess.run(
            [str(self._bin / "pg_dump"), "--no-owner", "--no-privileges", *source, name],
            env=os.environ | {"PGPASSWORD": database["PASSWORD"]},
            capture_output=True,
            check=True,
        ).stdout
        args = ["-h", HOST, "-p", str(self.port), "-U", self._user, "-q", "-v", "ON_ERROR_STOP=1"]
        subprocess.run(
            [str(self._bin / "psql"), *args, name], input=dumped, capture_output=True, check=True
        )

    def come_back(self) -> None:
        """Wait until it takes connections; where it has ended, start it as a service manager does.

        A server whose log finds no space ends and recovers; it stays down where that finds none.
        """
        deadline = time.monotonic() + LONGEST_START_SECONDS
        while not self._answers():
            if self._process is None or self._process.poll() is not None:
                self.start()
            assert time.monotonic() < deadline, "PostgreSQL does not come back"
            time.sleep(0.02)

    def kill(self) -> None:
        """Kill -9 the postmaster and all of its processes."""
        if self._process is None:
            return
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        for pid in [self._process.pid, *map(int, children.read_text().split())]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(timeout=10)
        self._process = None

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, program: str, *arguments: str) -> str:
        """Run a program as the server's user, and return what it prints."""
        done = subprocess.run(
            [shutil.which(program, path=f"{self._bin}:{os.defpath}") or program, *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            **self._as,
        )
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
        return done.stdout

    def _answers(self) -> bool:
        try:
            address = {"host": HOST, "port": self.port, "user": self._user, "dbname": "postgres"}
            psycopg2.connect(**address, connect_timeout=2).close()
        except psycopg2.OperationalError:
            return False
        return True
