"""Servers for the promises, started over the test's database and killed at its end."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.flows.conftest import start_worker
from tests.scoring.conftest import tiny_encoder
from tests.served.server import Server
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
