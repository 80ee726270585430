from typing import Any

import pytest

from annotator.models import User
from core.jobs.rows import JobStatus
from scoring.models import DatasetVersion, TrainingRun
from scoring.training.runs.queries import MOST_LINES, run_page
from scoring.training.runs.services import request_training

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def row(version: DatasetVersion, **fields: Any) -> TrainingRun:
    run = request_training(version=version, criterion="feature_completeness", options={})
    TrainingRun.objects.filter(pk=run.pk).update(**fields)
    run.refresh_from_db()
    return run


def test_a_waiting_run_has_no_figures_yet(version) -> None:
    page = run_page(row(version), User(username="rita"))
    assert [page[key] for key in ("time_left", "pace", "plots", "log")] == ["", "", (), []]


def test_a_run_at_work_shows_curves_pace_and_its_newest_lines_first(version) -> None:
    line = {"at": "2026-01-02T03:04:05+00:00"}
    history = [{"epoch": n, "loss": 1 / n, "validation_tau": None} for n in (1, 2)]
    run = row(
        version,
        status=JobStatus.RUNNING,
        tokens_per_second=1234.5,
        seconds_left=120.0,
        history=history,
        log=[line | {"words": f"line {n}"} for n in range(MOST_LINES + 5)],
    )
    page = run_page(run, User(username="rita"))
    assert (page["time_left"], page["pace"]) == ("about 2 min", "1,234 words per second")
    (plot,) = page["plots"]  # tau-b was never defined
    assert plot.title == "Loss by epoch"
    assert "0.500 at epoch 2" in plot.description
    assert len(page["log"]) == MOST_LINES
    assert page["log"][0][1] == f"line {MOST_LINES + 4}"


def test_an_ended_run_has_no_time_left(version) -> None:
    run = row(version, status=JobStatus.FAILED, seconds_left=120.0)
    assert run_page(run, User(username="rita"))["time_left"] == ""
