"""Servers for the promises, started over the test's database and killed at its end."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from annotator.models import User
from tests.conftest import make_user
from tests.flows.conftest import start_worker
from tests.scoring.conftest import tiny_encoder
from tests.served.server import ROOT, Server, served_environment
from tests.soak.tally import tally

__all__ = ["start_worker", "tally", "tiny_encoder"]

StartServer = Callable[..., Server]


@pytest.fixture
def start_server(transactional_db: None) -> Iterator[StartServer]:
    """Give a function that starts the server of `make run`; every one is killed at the end."""
    started: list[Server] = []

    def start(**more: str) -> Server:
        server = Server(workers=2, threads=4, **more)
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
