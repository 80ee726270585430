"""A host without data: an empty database and an empty directory, for a backup to be restored on."""

import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

from tests.served.server import ROOT, served_environment


@dataclass(frozen=True)
class Host:
    """Where a backup is restored: commands and servers of it know nothing of the test's data."""

    env: dict[str, str]

    def command(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=served_environment(**self.env, **more),
            capture_output=True,
            text=True,
            timeout=300,
        )

    def restore(self, sealed: Path, key_file: Path) -> str:
        """Restore a backup here, as the guide asks it; return what was printed."""
        done = self.command("restore", str(sealed), "--identity", str(key_file), "--json")
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def fresh_host(directory: Path) -> Iterator[Host]:
    """Give a host of the test's kind of database; it is gone afterwards."""
    directory.mkdir()
    name = f"restored_{uuid.uuid4().hex}"
    if connection.vendor == "sqlite":
        yield Host({"SERVED_DATABASE": str(directory / "db.sqlite3"), "DATA_DIR": str(directory)})
        return
    _execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
    try:
        yield Host({"SERVED_DATABASE": name, "DATA_DIR": str(directory)})
    finally:
        _execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
