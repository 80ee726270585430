"""Screens of training runs: what a run tells, running again, five criteria at once."""

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from annotator.models import User
from annotator.rubric import ALL_CRITERIA
from core.jobs.rows import JobStatus
from scoring.datasets.freezing.imports import import_dataset
from scoring.models import DatasetVersion, TrainingRun
from scoring.quadruplets import SplitPlan
from scoring.training.runs.services import request_training

pytestmark = [pytest.mark.django_db]


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def five(cast: Any, data_directory: Any, rows: Any) -> DatasetVersion:
    """A version of the cast's campaign with labels for all five criteria."""
    labelled = [
        replace(row, y=dict.fromkeys(ALL_CRITERIA, row.y["feature_completeness"])) for row in rows()
    ]
    version = import_dataset(name="five", rows=labelled, plan=SplitPlan("file")).version
    version.dataset.campaign = cast.campaign
    version.dataset.save()
    return version


@pytest.fixture
def ended(five: DatasetVersion) -> TrainingRun:
    run = request_training(version=five, criterion="logical_linkage", options={"seed": 7})
    TrainingRun.objects.filter(pk=run.pk).update(
        status=JobStatus.FAILED,
        message="The loss became nan at step 3; training stopped.",
        step=3,
        steps=12,
        tokens_per_second=2100.0,
        history=[{"epoch": 1, "loss": 0.5, "validation_tau": 0.25}],
        log=[{"at": "2026-01-02T03:04:05+00:00", "words": "attempt 1 began"}],
    )
    run.refresh_from_db()
    return run


def test_the_page_of_a_run_shows_step_rate_curves_and_log(cast: Any, ended: TrainingRun) -> None:
    page = signed_in(cast.rita).get(f"/runs/{ended.pk}/").content.decode()
    for words in (
        "The loss became nan at step 3",
        "3 of 12",
        "2,100 tokens per second",
        'aria-label="Loss by epoch. epoch 1: 0.500"',
        'aria-label="Validation tau-b by epoch. epoch 1: 0.250"',
        "03:04:05</time> attempt 1 began",
    ):
        assert words in page, words


def test_a_researcher_runs_again_with_the_same_data_and_settings(
    cast: Any, ended: TrainingRun
) -> None:
    rita = signed_in(cast.rita)
    assert f'action="/runs/{ended.pk}/again/"' in rita.get(f"/runs/{ended.pk}/").content.decode()
    answer = rita.post(f"/runs/{ended.pk}/again/")
    new = TrainingRun.objects.exclude(pk=ended.pk).get()
    assert (answer.status_code, answer["Location"]) == (302, f"/runs/{new.pk}/")
    assert (new.status, new.settings, new.requested_by) == ("queued", ended.settings, cast.rita)
    answer = rita.post(f"/api/v1/training-runs/{ended.pk}/again/")
    assert answer.status_code == 202
    assert TrainingRun.objects.get(pk=answer.json()["id"]).settings == ended.settings


def test_an_admin_reads_a_run_and_does_not_run_it_again(cast: Any, ended: TrainingRun) -> None:
    ada = signed_in(cast.ada)
    assert "Run again" not in ada.get(f"/runs/{ended.pk}/").content.decode()
    assert ada.post(f"/runs/{ended.pk}/again/").status_code == 403
    assert ada.post(f"/api/v1/training-runs/{ended.pk}/again/").status_code == 403
    assert TrainingRun.objects.count() == 1


def test_all_five_criteria_are_asked_for_at_once(cast: Any, five: DatasetVersion) -> None:
    rita = signed_in(cast.rita)
    sent = {"version": str(five.pk), "criterion": "all", "margin": "0.3"}
    answer = rita.post("/runs/", {**sent, "tolerance": "0.05", "seed": "0"})
    assert (answer.status_code, answer["Location"]) == (302, "/runs/")
    assert {run.criterion for run in TrainingRun.objects.all()} == set(ALL_CRITERIA)
    assert {run.settings["margin"] for run in TrainingRun.objects.all()} == {0.3}
    body = {"dataset": "five", "criterion": "all", "seed": 2}
    answer = rita.post("/api/v1/training-runs/", body, content_type="application/json")
    assert answer.status_code == 202
    assert [run["criterion"] for run in answer.json()] == list(ALL_CRITERIA)


@pytest.mark.parametrize(
    "field",
    [
        *("device", "allow_download", "output_dir", "report_to", "push_to_hub"),
        "trust_remote_code",
    ],
)
def test_what_the_machine_decides_is_no_field_of_a_request(
    cast: Any, five: DatasetVersion, field: str
) -> None:
    body = {"dataset": "five", "criterion": "all", field: "cuda:7"}
    answer = signed_in(cast.rita).post(
        "/api/v1/training-runs/", body, content_type="application/json"
    )
    assert answer.status_code == 400
    assert set(answer.json()) == {field}
    assert not TrainingRun.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("learning_rate", value) for value in (-1, 0, 1e9, "1e-5")),
        *(("epochs", value) for value in (0, True, "3", 2.5)),
        ("over_length", "cut"),
        *((name, None) for name in ("seed", "learning_rate", "epochs")),
    ],
)
def test_a_bad_setting_is_refused_by_its_field_before_queueing(
    cast: Any, five: DatasetVersion, field: str, value: Any
) -> None:
    body = {"dataset": "five", "criterion": "logical_linkage", field: value}
    answer = signed_in(cast.rita).post(
        "/api/v1/training-runs/", body, content_type="application/json"
    )
    assert answer.status_code == 400, answer.content
    assert field in answer.content.decode()
    assert not TrainingRun.objects.exists()
