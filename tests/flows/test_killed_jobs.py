"""Jobs by real workers: asked for on the web, killed on the way, done once by the next worker."""

import subprocess
import time
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.imports.files import stored_uploads
from annotator.imports.services import SMALL_BYTES
from annotator.models import ClaimImport, ImportStage, Reference, ReliabilityReport, User
from annotator.rubric import ALL_CRITERIA
from core.jobs.rows import JobRow, JobStatus
from scoring import files as scoring_files
from scoring.access.scopes import read_rows
from scoring.datasets.freezing.imports import import_dataset
from scoring.models import DatasetVersion, Freeze, ModelVersion, ScoreRequest
from scoring.quadruplets import SplitPlan
from tests.annotator.imports.import_files import good
from tests.conftest import signed_in
from tests.flows.conftest import StartWorker, kill_group, swept_until
from tests.scoring.conftest import dataset_rows
from tests.scoring.model_builders import CRITERION, promote, train_tiny

pytestmark = [
    pytest.mark.broker,
    pytest.mark.embedded,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
]
FREEZE = {
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
RELIABILITY = "/campaigns/demo/reliability/"
IMPORT = "/campaigns/cups/import/"
REFERENCES = 12_000


def person(name: str) -> Client:
    return signed_in(User.objects.get(username=name))


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
def test_a_freeze_of_a_killed_worker_is_finished(demo: None, start_worker: StartWorker) -> None:
    rita, first = person("rita"), start_worker("web")
    answer = rita.post("/datasets/freeze/", FREEZE)
    assert answer.status_code == 303
    freeze = Freeze.objects.get()
    kill(freeze, first)
    finish(freeze, start_worker)
    version = DatasetVersion.objects.get()
    assert freeze.version == version
    assert len(list(read_rows(version))) == version.items > 100
    page = rita.get(answer["Location"]).content.decode()
    assert f'href="/datasets/demo/{version.number}/"' in page


@pytest.mark.exhaustive
def test_a_report_of_a_killed_worker_is_finished(demo: None, start_worker: StartWorker) -> None:
    ada, first = person("ada"), start_worker("web")
    assert ada.post(RELIABILITY).status_code == 303
    report = ReliabilityReport.objects.get()
    kill(report, first)
    finish(report, start_worker)
    page = ada.get(RELIABILITY).content.decode()
    alpha = report.result["criteria"][0]["figures"][0]["value"]
    assert f"{alpha:.3f}" in page and "Nothing has changed since then." in page


@pytest.mark.exhaustive
def test_a_cancelled_report_is_not_carried_out(demo: None, start_worker: StartWorker) -> None:
    ada = person("ada")
    ada.post(RELIABILITY)
    ada.post(f"{RELIABILITY}cancel/")
    start_worker("web")
    time.sleep(5)
    report = ReliabilityReport.objects.get()
    assert report.status == JobStatus.CANCELLED
    ada.post(RELIABILITY)
    report.refresh_from_db()
    swept_until(report, lambda: report.is_final, 0.5)
    assert report.status == JobStatus.SUCCEEDED


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


@pytest.fixture
def model(rita: User, tiny_encoder: Path) -> ModelVersion:
    version = import_dataset(name="tiny", rows=dataset_rows(), plan=SplitPlan("file")).version
    found = train_tiny(version, tiny_encoder)
    promote(found, rita)
    return found


@pytest.mark.exhaustive
def test_scores_whose_worker_is_killed_are_made_once_by_the_next(
    rita: User, model: ModelVersion, start_worker: StartWorker
) -> None:
    client, first = signed_in(rita), start_worker("gpu")
    # Text of this one test: another run of it may have filled the cache.
    texts = [f"1. A pump {uuid4()}.", f"1. A lever {uuid4()}."]
    sent = {"reference": "1. A housing.", "candidate_1": texts[0], "candidate_2": texts[1]}
    answer = client.post("/score/", sent)
    assert answer.status_code == 302
    scores = ScoreRequest.objects.get()
    kill(scores, first)
    finish(scores, start_worker, "gpu")
    assert scores.scores is not None
    page = client.get(answer["Location"]).content.decode()
    assert f"{scores.scores[CRITERION][0]['score']:.3f}" in page
    # What lies in the folder of the filesystem broker, if that is in use.
    for path in (scoring_files.models_directory().parent / "broker").rglob("*"):
        assert not path.is_file() or not any(text.encode() in path.read_bytes() for text in texts)
    # The same pairs once more are known: no worker is asked.
    again = client.post("/score/", sent)
    assert ScoreRequest.objects.exclude(pk=scores.pk).get().scores == scores.scores
    assert client.get(again["Location"]).status_code == 200
