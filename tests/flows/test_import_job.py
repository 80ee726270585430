"""An import by real workers: sent on the web, its worker killed as it stores, the next does it."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.imports.files import stored_uploads
from annotator.imports.services import SMALL_BYTES
from annotator.models import ClaimImport, ImportStage, Reference
from core.jobs.registry import sweep
from core.jobs.rows import JobStatus
from tests.annotator.imports.import_files import good
from tests.conftest import signed_in
from tests.flows.conftest import StartWorker, kill_group

pytestmark = [
    pytest.mark.broker,
    pytest.mark.embedded,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
]
PAGE = "/campaigns/cups/import/"
LONGEST_WAIT_SECONDS = 240
REFERENCES = 12_000


@pytest.fixture
def ada(cast: Any) -> Client:
    return signed_in(cast.ada)


def wait_for(
    is_reached: Callable[[ClaimImport], bool], pause: float, *, sweeps_again: float = 0.0
) -> ClaimImport:
    """Sweep as the sweeper does until the only import is there.

    With `sweeps_again` only so many seconds after the last sweep, and while nobody is at it.
    """
    swept = time.monotonic()
    deadline = swept + LONGEST_WAIT_SECONDS
    while not is_reached(row := ClaimImport.objects.get()):
        now = time.monotonic()
        assert now < deadline, f"{row.stage} {row.status}: {row.message}"
        if not sweeps_again or (row.status == JobStatus.QUEUED and now - swept > sweeps_again):
            sweep()
            swept = now
        time.sleep(pause)
    return row


@pytest.mark.exhaustive
def test_a_worker_killed_while_it_stores_leaves_nothing_and_the_next_one_stores_all(
    ada: Client, start_worker: StartWorker
) -> None:
    content = good(REFERENCES)
    assert len(content) > SMALL_BYTES
    first = start_worker("web")
    assert ada.post(PAGE, {"file": SimpleUploadedFile("a.jsonl", content)}).status_code == 303
    checked = wait_for(lambda row: row.is_final, 0.2)
    assert (checked.stage, checked.status) == (ImportStage.CHECK, JobStatus.SUCCEEDED)
    page = f"/campaigns/cups/imports/{checked.pk}/"
    assert ada.get(f"{page}progress/").status_code == 286
    ada.post(f"{page}confirm/")
    # On SQLite a sweep beside the worker would wait until it has stored everything; a job
    # whose message was lost is enqueued again all the same.
    wait_for(lambda row: row.status == JobStatus.RUNNING, 0.01, sweeps_again=5)
    kill_group(first)
    left = ClaimImport.objects.get()
    assert (left.stage, left.status) == (ImportStage.APPLY, JobStatus.RUNNING)
    assert not Reference.objects.exists()
    assert ada.get(f"{page}progress/").status_code == 200
    start_worker("web")
    done = wait_for(lambda row: row.is_final, 0.5)
    assert (done.status, done.attempt) == (JobStatus.SUCCEEDED, 2), done.message
    assert Reference.objects.count() == REFERENCES
    assert done.pk not in dict(stored_uploads())
    assert f"{REFERENCES}" in ada.get(page).content.decode()


def test_an_import_cancelled_while_it_waits_is_not_carried_out(
    ada: Client, start_worker: StartWorker
) -> None:
    ada.post(PAGE, {"file": SimpleUploadedFile("a.jsonl", good(REFERENCES))})
    pk = ClaimImport.objects.get().pk
    page = f"/campaigns/cups/imports/{pk}/"
    ada.post(f"{page}cancel/")
    start_worker("web")
    time.sleep(5)
    assert ClaimImport.objects.get().status == JobStatus.CANCELLED
    # Other tests store theirs in the same place.
    assert pk not in dict(stored_uploads())
    assert not Reference.objects.exists()
