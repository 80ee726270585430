"""Real worker processes for whole journeys."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from annotator.models import Campaign, User
from core.jobs.registry import sweep
from core.jobs.rows import JobRow, JobStatus
from scoring.datasets.freezing.imports import import_dataset
from scoring.models import DatasetVersion, TrainingRun
from scoring.quadruplets import SplitPlan
from scoring.training.runs.services import request_training
from tests.conftest import grant, make_user
from tests.scoring.conftest import dataset_rows, tiny_encoder
from tests.soak.tally import tally

__all__ = ["tally", "tiny_encoder"]

ROOT = Path(__file__).resolve().parents[2]
StartWorker = Callable[..., subprocess.Popen[bytes]]
LONGEST_WAIT_SECONDS = 240


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
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=10)


def swept_until(
    row: JobRow, is_reached: Callable[[], object], pause: float = 0.1, *, every: float = 0.0
) -> None:
    """Sweep as the sweeper does until the job is there; fail with its message after minutes.

    With `every` only so many seconds after the last sweep, and while nobody is at it.
    """
    swept = time.monotonic()
    deadline = swept + LONGEST_WAIT_SECONDS
    while not is_reached():
        now = time.monotonic()
        assert now < deadline, f"{row.status}: {row.message}"
        if not every or (row.status == JobStatus.QUEUED and now - swept > every):
            sweep()
            swept = now
        time.sleep(pause)
        row.refresh_from_db()


@pytest.fixture
def served_here(transactional_db: None, settings: Any) -> None:
    """Let a client of this process ask for pages, whatever address the services have."""
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.SECURE_SSL_REDIRECT = False


@pytest.fixture
def demo(served_here: None, settings: Any) -> None:
    settings.IS_LOCAL = True
    settings.DEMO_PASSWORD = "only for this test"
    call_command("load_demo", stdout=StringIO(), stderr=StringIO())


@pytest.fixture
def rita(served_here: None) -> User:
    campaign = Campaign.objects.create(slug="cups", name="Cups")
    return grant(make_user("rita"), campaign, "researcher")


@pytest.fixture
def version(transactional_db: None) -> DatasetVersion:
    return import_dataset(name="tiny", rows=dataset_rows(), plan=SplitPlan("file")).version


def request_finetuning(version: DatasetVersion, encoder: Path, **options: Any) -> TrainingRun:
    # Each run measures 'auto' for itself, and may find another precision than the one before.
    given = {"encoder": str(encoder), "device": "cpu", "method": "finetune", "precision": "fp32"}
    return request_training(
        version=version, criterion="feature_completeness", options=given | options
    )
