from typing import Any

import pytest

from core.jobs.rows import JobStatus
from patclaimeval.rubric import ALL_CRITERIA
from scoring.models import DatasetVersion, TrainingRun
from scoring.training.runs.services import request_training
from tests.plot_files import saved_plots
from tests.scoring.conftest import imported, labelled_alike, shown, signed_in

pytestmark = [pytest.mark.django_db]
RUNS = "/api/v1/training-runs/"


@pytest.fixture
def five(cast: Any, data_directory: Any, rows: Any) -> DatasetVersion:
    """A version of the cast's campaign with labels for all five criteria."""
    return imported("five", labelled_alike(rows()), campaign=cast.campaign)


@pytest.fixture
def ended(five: DatasetVersion) -> TrainingRun:
    run = request_training(version=five, criterion="logical_linkage", options={"seed": 7})
    TrainingRun.objects.filter(pk=run.pk).update(
        status=JobStatus.FAILED,
        message="The loss became nan at step 3; training stopped.",
        step=3,
        steps=12,
        tokens_per_second=2100.0,
        history=[
            {"epoch": 1, "loss": 0.5, "validation_tau": 0.25},
            {"epoch": 2, "loss": 0.4, "validation_tau": 0.35},
        ],
        log=[{"at": "2026-01-02T03:04:05+00:00", "words": "attempt 1 began"}],
    )
    run.refresh_from_db()
    return run


def test_the_page_of_a_run_holds_step_speed_curves_and_log(rita, ended) -> None:
    page = shown(rita, f"/runs/{ended.pk}/")
    for words in (
        "The loss became nan at step 3",
        "3 of 12",
        "2,100 words per second",
        'aria-label="Loss by epoch. 0.500 at epoch 1, 0.400 at epoch 2',
        'aria-label="Validation tau-b by epoch. 0.250 at epoch 1, 0.350 at epoch 2',
        "03:04:05</time> attempt 1 began",
    ):
        assert words in page, words


def test_the_curves_of_a_run_are_saved_as_files(rita, cast, ended) -> None:
    address = f"/runs/{ended.pk}/"
    files = saved_plots(rita, address)
    assert [*files] == ["loss-by-epoch.svg", "validation-tau-b-by-epoch.svg"]
    assert [*saved_plots(rita, f"{address}progress/")] == [*files]
    annotator = signed_in(cast.alice)
    assert annotator.get(f"{address}?plot=loss-by-epoch").status_code == 403


def test_the_progress_fragment_polls_until_the_run_is_final(rita, five) -> None:
    run = request_training(version=five, criterion="logical_linkage", options={})
    waiting = shown(rita, f"/runs/{run.pk}/progress/")
    assert 'hx-trigger="every 2s"' in waiting
    assert "Waiting for a worker." in waiting
    asked = rita.post(f"/runs/{run.pk}/cancel/").content.decode()
    assert "Cancel this run?" in asked and 'class="danger">Cancel the run</button>' in asked
    run.refresh_from_db()
    assert run.status == JobStatus.QUEUED
    rita.post(f"/runs/{run.pk}/cancel/", {"confirmed": "1"})
    run.refresh_from_db()
    assert run.status == JobStatus.CANCELLED
    ended = shown(rita, f"/runs/{run.pk}/progress/")
    assert "hx-trigger" not in ended
    assert "Cancel run" not in ended


def test_a_run_is_queued_followed_and_cancelled_by_calls(rita, five) -> None:
    body = {"dataset": "five@1", "criterion": "logical_linkage", "seed": 3}
    answer = rita.post(RUNS, body, content_type="application/json")
    run = answer.json()
    assert (answer.status_code, run["status"], run["progress"]) == (202, "queued", 0.0)
    assert TrainingRun.objects.get().settings["seed"] == 3
    assert rita.get(f"{RUNS}{run['id']}/").json() == run
    cancelled = rita.post(f"{RUNS}{run['id']}/cancel/")
    assert (cancelled.status_code, cancelled.json()["status"]) == (202, "cancelled")
    assert rita.post(f"{RUNS}{run['id']}/cancel/").status_code == 409


def test_a_researcher_runs_again_with_the_same_data_and_settings(cast, rita, ended) -> None:
    assert f'action="/runs/{ended.pk}/again/"' in shown(rita, f"/runs/{ended.pk}/")
    answer = rita.post(f"/runs/{ended.pk}/again/")
    new = TrainingRun.objects.exclude(pk=ended.pk).get()
    assert (answer.status_code, answer["Location"]) == (302, f"/runs/{new.pk}/")
    assert (new.status, new.settings, new.requested_by) == ("queued", ended.settings, cast.rita)
    answer = rita.post(f"{RUNS}{ended.pk}/again/")
    assert answer.status_code == 202
    assert TrainingRun.objects.get(pk=answer.json()["id"]).settings == ended.settings


def test_an_admin_reads_a_run_and_does_not_run_it_again(ada, ended) -> None:
    assert "Run again" not in shown(ada, f"/runs/{ended.pk}/")
    assert ada.post(f"/runs/{ended.pk}/again/").status_code == 403
    assert ada.post(f"{RUNS}{ended.pk}/again/").status_code == 403
    assert TrainingRun.objects.count() == 1


def test_all_five_criteria_are_asked_for_at_once(rita, five) -> None:
    sent = {"version": str(five.pk), "criterion": "all", "margin": "0.3"}
    answer = rita.post("/runs/", {**sent, "tolerance": "0.05", "seed": "0"})
    assert (answer.status_code, answer["Location"]) == (302, "/runs/")
    assert {run.criterion for run in TrainingRun.objects.all()} == set(ALL_CRITERIA)
    assert {run.settings["margin"] for run in TrainingRun.objects.all()} == {0.3}
    body = {"dataset": "five", "criterion": "all", "seed": 2}
    answer = rita.post(RUNS, body, content_type="application/json")
    assert answer.status_code == 202
    assert [run["criterion"] for run in answer.json()] == list(ALL_CRITERIA)
