"""A reliability report by real workers: asked for on the web, killed on the way, done at last."""

import time
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotator.models import ReliabilityReport, User
from core.jobs.registry import sweep
from core.jobs.rows import JobStatus
from tests.conftest import signed_in
from tests.flows.conftest import StartWorker, kill_group

pytestmark = [
    pytest.mark.broker,
    pytest.mark.embedded,
    pytest.mark.slow,
]
PAGE = "/campaigns/demo/reliability/"
LONGEST_WAIT_SECONDS = 240


@pytest.fixture
def ada(transactional_db: None, settings: Any) -> Client:
    settings.IS_LOCAL = True
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.SECURE_SSL_REDIRECT = False
    settings.DEMO_PASSWORD = "only for this test"
    call_command("load_demo", stdout=StringIO(), stderr=StringIO())
    return signed_in(User.objects.get(username="ada"))


def wait_for(is_reached: Callable[[ReliabilityReport], bool], pause: float) -> ReliabilityReport:
    """Sweep as the sweeper does until the only report is there."""
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not is_reached(row := ReliabilityReport.objects.get()):
        assert time.monotonic() < deadline, f"{row.status}: {row.message}"
        sweep()
        time.sleep(pause)
    return row


@pytest.mark.exhaustive
def test_a_worker_killed_on_the_way_leaves_a_report_that_the_next_one_finishes(
    ada: Client, start_worker: StartWorker
) -> None:
    first = start_worker("web")
    assert ada.post(PAGE).status_code == 303
    wait_for(lambda row: row.status == JobStatus.RUNNING, 0.02)
    kill_group(first)
    left = ReliabilityReport.objects.get()
    assert (left.status, left.attempt) == (JobStatus.RUNNING, 1)
    start_worker("web")
    done = wait_for(lambda row: row.is_final, 0.5)
    assert (done.status, done.attempt) == (JobStatus.SUCCEEDED, 2), done.message
    page = ada.get(PAGE).content.decode()
    alpha = done.result["criteria"][0]["figures"][0]["value"]
    assert f"{alpha:.3f}" in page and "Nothing has changed since." in page


@pytest.mark.exhaustive
def test_a_report_that_is_cancelled_while_it_waits_is_not_carried_out(
    ada: Client, start_worker: StartWorker
) -> None:
    ada.post(PAGE)
    ada.post(f"{PAGE}cancel/")
    start_worker("web")
    time.sleep(5)
    assert ReliabilityReport.objects.get().status == JobStatus.CANCELLED
    ada.post(PAGE)
    assert wait_for(lambda row: row.is_final, 0.5).status == JobStatus.SUCCEEDED
