"""Real worker processes for whole journeys."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from tests.scoring.conftest import tiny_encoder
from tests.soak.tally import tally

__all__ = ["StartWorker", "environment", "kill_group", "start_worker", "tally", "tiny_encoder"]

ROOT = Path(__file__).resolve().parents[2]
StartWorker = Callable[..., subprocess.Popen[bytes]]


def environment() -> dict[str, str]:
    """Return an environment in which another process uses this test's database and broker."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        url = f"sqlite:///{name}"
    else:
        of = connection.settings_dict
        url = f"postgres://{of['USER']}:{of['PASSWORD']}@{of['HOST']}:{of['PORT']}/{name}"
    return os.environ | {
        "DATABASE_URL": url,
        # The same secret: a model that one process registered is sealed with it.
        "SECRET_KEY": settings.SECRET_KEY,
        "ALLOWED_HOSTS": "127.0.0.1",
        "ALLOW_INSECURE_HTTP": "1",
        "CELERY_BROKER_URL": settings.CELERY_BROKER_URL,
        "DATA_DIR": str(settings.DATA_DIR),
        "JOB_LEASE_SECONDS": "2",
        "TRAINING_STATE_SECONDS": "0",
        "OMP_NUM_THREADS": "2",
    }


@pytest.fixture
def start_worker(transactional_db: None) -> Iterator[StartWorker]:
    """Give a function that starts a worker for a queue; every one is killed at the end.

    Settings that are given by name replace those of `environment`.
    """
    started: list[subprocess.Popen[bytes]] = []

    def start(queue: str, **settings: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", "-Q", queue]
        command += ["-c", "1", "--without-gossip", "--without-mingle", "-l", "warning"]
        command += ["-n", f"{queue}-{len(started)}-{os.getpid()}@test"]
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment() | settings, start_new_session=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill -9 a worker with its children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=10)
