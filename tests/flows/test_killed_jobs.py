"""Jobs by real workers: asked for on the web, killed on the way, done once by the next worker."""

import subprocess
import time

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotator.imports.files import stored_uploads
from annotator.imports.services import SMALL_BYTES
from annotator.models import ClaimImport, ImportStage, Reference
from core.jobs.rows import JobRow, JobStatus
from tests.annotator.imports.import_files import good
from tests.conftest import signed_in
from tests.flows.conftest import StartWorker, kill_group, swept_until

pytestmark = [
    pytest.mark.broker,
    pytest.mark.embedded,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
]
IMPORT = "/campaigns/cups/import/"
REFERENCES = 12_000


def kill(row: JobRow, worker: subprocess.Popen[bytes], *, every: float = 0.0) -> None:
    """Kill the worker while it is at the job, which stays as it was."""
    swept_until(row, lambda: row.status == JobStatus.RUNNING, 0.01, every=every)
    kill_group(worker)
    row.refresh_from_db()
    assert (row.status, row.attempt) == (JobStatus.RUNNING, 1)


def finish(row: JobRow, start_worker: StartWorker, queue: str = "web") -> None:
    start_worker(queue)
    swept_until(row, lambda: row.is_final, 0.5)
    assert (row.status, row.attempt) == (JobStatus.SUCCEEDED, 2), row.message


@pytest.mark.exhaustive
def test_an_import_whose_worker_is_killed_as_it_stores_leaves_nothing_and_the_next_stores_all(
    cast, start_worker: StartWorker
) -> None:
    ada, content, first = signed_in(cast.ada), good(REFERENCES), start_worker("web")
    assert len(content) > SMALL_BYTES
    assert ada.post(IMPORT, {"file": SimpleUploadedFile("a.jsonl", content)}).status_code == 303
    row = ClaimImport.objects.get()
    swept_until(row, lambda: row.is_final, 0.2)
    assert (row.stage, row.status) == (ImportStage.CHECK, JobStatus.SUCCEEDED)
    page = f"/campaigns/cups/imports/{row.pk}/"
    assert ada.get(f"{page}progress/").status_code == 286
    ada.post(f"{page}confirm/")
    # On SQLite a sweep beside the worker would wait until it has stored everything; a job
    # whose message was lost is enqueued again all the same.
    kill(row, first, every=5)
    assert row.stage == ImportStage.APPLY and not Reference.objects.exists()
    assert ada.get(f"{page}progress/").status_code == 200
    finish(row, start_worker)
    assert Reference.objects.count() == REFERENCES
    assert row.pk not in dict(stored_uploads())
    assert f"{REFERENCES}" in ada.get(page).content.decode()


def test_a_cancelled_import_is_not_carried_out(cast, start_worker: StartWorker) -> None:
    ada = signed_in(cast.ada)
    ada.post(IMPORT, {"file": SimpleUploadedFile("a.jsonl", good(REFERENCES))})
    row = ClaimImport.objects.get()
    ada.post(f"/campaigns/cups/imports/{row.pk}/cancel/", {"confirmed": "1"})
    start_worker("web")
    time.sleep(5)
    row.refresh_from_db()
    assert row.status == JobStatus.CANCELLED
    # Other tests store theirs in the same place.
    assert row.pk not in dict(stored_uploads())
    assert not Reference.objects.exists()
