"""The main job from a rating to a report, by web and command, with real workers."""

import json
import time
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotator.models import Assignment, Rating, User
from annotator.rubric import CRITERIA
from core.jobs.registry import sweep
from core.jobs.rows import FINAL_STATUSES, JobRow, JobStatus
from scoring.models import AgreementReport, DatasetVersion, ModelVersion, TrainingRun
from tests.flows.conftest import StartWorker, kill_group

pytestmark = [
    pytest.mark.broker,
    pytest.mark.embedded,
    pytest.mark.slow,
]
LONGEST_WAIT_SECONDS = 240


@pytest.fixture
def demo(transactional_db: None, settings: Any) -> None:
    settings.IS_LOCAL = True
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.SECURE_SSL_REDIRECT = False
    settings.DEMO_PASSWORD = "only for this test"
    call_command("load_demo", stdout=StringIO(), stderr=StringIO())


def command(name: str, *arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command(name, *arguments, "--json", stdout=out, stderr=StringIO())
    document: dict[str, Any] = json.loads(out.getvalue())
    return document


def signed_in(username: str) -> Client:
    return signed_in(User.objects.get(username=username))


def wait_for(row: JobRow, is_reached: Callable[[JobRow], bool]) -> JobRow:
    """Sweep as the sweeper does until the row is there; fail with its message after minutes."""
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not is_reached(row):
        assert time.monotonic() < deadline, f"{row.status}: {row.message}"
        sweep()
        time.sleep(0.5)
        row.refresh_from_db()
    return row


def is_final(row: JobRow) -> bool:
    return row.status in FINAL_STATUSES


def rate_one(client: Client) -> Rating:
    """Rate the candidate whose four siblings are rated already."""
    assignment = Assignment.objects.filter(annotator__username="alice").order_by("position")[0]
    scores = dict(zip(CRITERIA, (3, 4, 5, 6), strict=True))
    answer = client.post(f"/rate/{assignment.pk}/", {**scores, "comment": "seen"})
    assert answer.status_code in (302, 303), answer.content.decode()
    return Rating.objects.get(assignment=assignment)


def ask_for_training(client: Client, version: DatasetVersion) -> TrainingRun:
    answer = client.post(
        "/runs/",
        {
            "version": version.pk,
            "criterion": "feature_completeness",
            "margin": "0.2",
            "tolerance": "0.05",
            "seed": "0",
        },
    )
    assert answer.status_code == 302, answer.content.decode()
    return TrainingRun.objects.get()


@pytest.mark.exhaustive
def test_a_rating_becomes_a_quadruplet_a_model_and_a_report(
    demo: None, start_worker: StartWorker, tmp_path: Any
) -> None:
    rating = rate_one(signed_in("alice"))
    frozen = command("freeze_dataset", "demo", "--include-unlocked")
    target = tmp_path / "demo.jsonl"
    command("export_dataset", "demo", "--output", str(target))
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    assert len(lines) == frozen["items"]
    of_rating = [row for row in lines if str(rating.pk) in row["provenance"]["ratings"]]
    assert of_rating
    assert all("feature_completeness" in row["y"] for row in of_rating)

    start_worker("gpu")
    start_worker("web")
    rita = signed_in("rita")
    version = DatasetVersion.objects.get()
    run = ask_for_training(rita, version)
    wait_for(run, is_final)
    assert run.status == JobStatus.SUCCEEDED, run.message
    model = ModelVersion.objects.get(run=run)
    assert model.dataset_sha256 == version.sha256

    scorers = ["rouge-1", f"model:{model.pk}"]
    answer = rita.post(
        "/reports/",
        {
            "version": version.pk,
            "criterion": "feature_completeness",
            "split": "test",
            "scorers": scorers,
            "tie_threshold": "0.0001",
        },
    )
    assert answer.status_code == 302, answer.content.decode()
    report = AgreementReport.objects.get()
    wait_for(report, is_final)
    assert report.status == JobStatus.SUCCEEDED, report.message
    assert report.result is not None
    assert set(report.result["scorers"]) == set(scorers)
    page = rita.get(f"/reports/{report.pk}/").content.decode()
    assert "rouge-1" in page
    assert str(model.pk) in page


@pytest.mark.exhaustive
def test_a_training_whose_worker_is_killed_ends_once_with_one_model(
    demo: None, start_worker: StartWorker
) -> None:
    command("freeze_dataset", "demo")
    first = start_worker("gpu")
    run = ask_for_training(signed_in("rita"), DatasetVersion.objects.get())
    wait_for(run, lambda row: row.status == JobStatus.RUNNING)
    kill_group(first)
    run.refresh_from_db()
    assert run.status == JobStatus.RUNNING
    start_worker("gpu")
    wait_for(run, is_final)
    assert run.status == JobStatus.SUCCEEDED, run.message
    assert run.attempt == 2
    assert ModelVersion.objects.count() == 1
