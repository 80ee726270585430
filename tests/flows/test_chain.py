"""The main job from a rating to a report, by web and command, with real workers."""

import json
from typing import Any

import pytest
from django.test import Client

from annotator.models import Assignment, Rating, User
from core.jobs.rows import JobStatus
from patclaimeval.rubric import CRITERIA
from scoring.models import AgreementReport, DatasetVersion, ModelVersion, TrainingRun
from tests.conftest import signed_in
from tests.flows.conftest import StartWorker, swept_until
from tests.scoring.management.commands import document

pytestmark = [pytest.mark.broker, pytest.mark.embedded, pytest.mark.slow]


def rate_one(client: Client) -> Rating:
    """Rate the candidate whose four siblings are rated already."""
    assignment = Assignment.objects.filter(annotator__username="alice").order_by("position")[0]
    scores = dict(zip(CRITERIA, (3, 4, 5, 6), strict=True))
    answer = client.post(f"/rate/{assignment.pk}/", {**scores, "comment": "seen"})
    assert answer.status_code in (302, 303), answer.content.decode()
    return Rating.objects.get(assignment=assignment)


def ask_for_training(client: Client, version: DatasetVersion) -> TrainingRun:
    numbers = {"margin": "0.2", "tolerance": "0.05", "seed": "0"}
    asked = {"version": version.pk, "criterion": "feature_completeness"}
    answer = client.post("/runs/", asked | numbers)
    assert answer.status_code == 302, answer.content.decode()
    return TrainingRun.objects.get()


@pytest.mark.exhaustive
def test_a_rating_becomes_a_quadruplet_a_model_and_a_report(
    demo: None, start_worker: StartWorker, tmp_path: Any
) -> None:
    rating = rate_one(signed_in(User.objects.get(username="alice")))
    frozen = document("freeze_dataset", "demo", "--include-unlocked")
    target = tmp_path / "demo.jsonl"
    document("export_dataset", "demo", "--output", str(target))
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    assert len(lines) == frozen["items"]
    of_rating = [row for row in lines if str(rating.pk) in row["provenance"]["ratings"]]
    assert of_rating
    assert all("feature_completeness" in row["y"] for row in of_rating)

    start_worker("gpu")
    start_worker("web")
    rita = signed_in(User.objects.get(username="rita"))
    version = DatasetVersion.objects.get()
    run = ask_for_training(rita, version)
    swept_until(run, lambda: run.is_final, 0.5)
    assert run.status == JobStatus.SUCCEEDED, run.message
    model = ModelVersion.objects.get(run=run)
    assert model.dataset_sha256 == version.sha256

    scorers = ["rouge-1", f"model:{model.pk}"]
    asked = {"version": version.pk, "criterion": "feature_completeness", "split": "test"}
    answer = rita.post("/reports/", asked | {"scorers": scorers, "tie_threshold": "0.0001"})
    assert answer.status_code == 302, answer.content.decode()
    report = AgreementReport.objects.get()
    swept_until(report, lambda: report.is_final, 0.5)
    assert report.status == JobStatus.SUCCEEDED, report.message
    assert report.result is not None
    assert set(report.result["scorers"]) == set(scorers)
    page = rita.get(f"/reports/{report.pk}/").content.decode()
    assert "rouge-1" in page
    assert str(model.pk) in page
