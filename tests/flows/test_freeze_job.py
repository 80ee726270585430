"""A freeze by real workers: asked for on the web, killed on the way, done at last."""

import time
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotator.models import User
from annotator.rubric import ALL_CRITERIA
from core.jobs.registry import sweep
from core.jobs.rows import JobStatus
from scoring.access.scopes import read_rows
from scoring.models import DatasetVersion, Freeze
from tests.conftest import signed_in
from tests.flows.conftest import StartWorker, kill_group

pytestmark = [
    pytest.mark.broker,
    pytest.mark.embedded,
    pytest.mark.slow,
]
FORM = {
    "campaign": "demo",
    "policy": "settled",
    "tie_band": "0",
    "criteria": list(ALL_CRITERIA),
    "split_by": "reference",
    "test_share": "0.2",
    "validation_share": "0.1",
    "seed": "1",
    "include_unlocked": "on",
}
LONGEST_WAIT_SECONDS = 240


@pytest.fixture
def rita(transactional_db: None, settings: Any) -> Client:
    settings.IS_LOCAL = True
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.SECURE_SSL_REDIRECT = False
    settings.DEMO_PASSWORD = "only for this test"
    call_command("load_demo", stdout=StringIO(), stderr=StringIO())
    return signed_in(User.objects.get(username="rita"))


def wait_for(is_reached: Callable[[Freeze], bool], pause: float) -> Freeze:
    """Sweep as the sweeper does until the only freeze is there."""
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not is_reached(row := Freeze.objects.get()):
        assert time.monotonic() < deadline, f"{row.status}: {row.message}"
        sweep()
        time.sleep(pause)
    return row


@pytest.mark.exhaustive
def test_a_worker_killed_on_the_way_leaves_a_freeze_that_the_next_one_finishes(
    rita: Client, start_worker: StartWorker
) -> None:
    first = start_worker("web")
    answer = rita.post("/datasets/freeze/", FORM)
    assert answer.status_code == 303
    wait_for(lambda row: row.status == JobStatus.RUNNING, 0.01)
    kill_group(first)
    left = Freeze.objects.get()
    assert (left.status, left.attempt) == (JobStatus.RUNNING, 1)
    start_worker("web")
    done = wait_for(lambda row: row.is_final, 0.5)
    assert (done.status, done.attempt) == (JobStatus.SUCCEEDED, 2), done.message
    version = DatasetVersion.objects.get()
    assert done.version == version
    assert len(list(read_rows(version))) == version.items > 100
    page = rita.get(answer["Location"]).content.decode()
    assert f'href="/datasets/demo/{version.number}/"' in page
