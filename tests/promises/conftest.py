"""Servers for the promises, started over the test's database and killed at its end."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from annotator.models import User
from tests.conftest import make_user
from tests.flows.conftest import start_worker
from tests.scoring.conftest import tiny_encoder
from tests.served.postgres import OwnPostgres
from tests.served.server import HOST, ROOT, Server, served_environment
from tests.soak.tally import tally

__all__ = ["start_worker", "tally", "tiny_encoder"]

StartServer = Callable[..., Server]
MakePostgres = Callable[..., OwnPostgres]


@pytest.fixture
def start_server(transactional_db: None) -> Iterator[StartServer]:
    """Give a function that starts the server of `make run`; every one is killed at the end."""
    started: list[Server] = []

    def start(**more: str) -> Server:
        server = Server(workers=2, **more)
        started.append(server)
        server.start()
        return server

    yield start
    for server in started:
        server.kill()


@pytest.fixture
def server(start_server: StartServer) -> Any:
    """The server of `make run`: two worker processes."""
    return start_server()


@contextmanager
def sweeping(**more: str) -> Iterator[None]:
    """Have the sweeper of `make run` at work until the block ends."""
    command = [sys.executable, "manage.py", "sweep", "--forever"]
    process = subprocess.Popen(command, cwd=ROOT, env=served_environment(**more))
    yield
    process.kill()
    process.wait(timeout=10)


@pytest.fixture
def two_raters(db: None) -> list[User]:
    return [make_user("one"), make_user("two")]


@pytest.fixture
def own_postgres(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakePostgres]:
    """Give a function that moves this test to a server of its own."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no server that could die")
    made: list[OwnPostgres] = []

    def make(place: Path | None = None, **settings: str) -> OwnPostgres:
        here = connection.settings_dict
        server = OwnPostgres(here["USER"], place, **settings)
        made.append(server)
        server.start()
        server.copy(here)
        connection.close()
        # Every thread's connection is made from this.
        monkeypatch.setitem(here, "HOST", HOST)
        monkeypatch.setitem(here, "PORT", server.port)
        return server

    yield make
    connection.close()
    monkeypatch.undo()
    for server in made:
        server.remove()


def served(start_server: StartServer, database: OwnPostgres, **more: str) -> Any:
    here = connection.settings_dict
    url = f"postgres://{here['USER']}@{HOST}:{database.port}/{here['NAME']}"
    return start_server(DATABASE_URL=url, **more)
