from uuid import uuid4

import pytest

from core.jobs.registry import sweep, tidy
from core.jobs.rows import JobStatus
from scoring import files as scoring_files
from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from scoring.training.runs.services import (
    clear_ended_runs,
    clear_run,
    model_directory,
    request_training,
    state_directory,
)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def begun(version: DatasetVersion, status: JobStatus, owner: str = "a") -> TrainingRun:
    """Return a run with a state, a model that was not registered, and one half made."""
    run = request_training(version=version, criterion="feature_completeness", options={})
    TrainingRun.objects.filter(pk=run.pk).update(status=status, owner=owner)
    run.refresh_from_db()
    (state_directory(run) / "weights-2.safetensors").write_bytes(b"weights")
    directory = model_directory(run)
    directory.mkdir()
    (directory.parent / f".{directory.name}.1f2e.partial").mkdir()
    return run


def left() -> list[str]:
    return [
        path.name
        for directory in (scoring_files.runs_directory(), scoring_files.models_directory())
        for path in directory.iterdir()
    ]


@pytest.mark.parametrize("status", JobStatus)
def test_an_ended_run_leaves_nothing_and_what_another_needs_stays(version, status) -> None:
    run = begun(version, status)
    is_over = status not in {JobStatus.QUEUED, JobStatus.RUNNING}
    if not is_over:
        clear_run(run)
    assert clear_ended_runs() == is_over
    assert len(left()) == (0 if is_over else 3)
    assert clear_ended_runs() == 0


def test_the_registered_model_stays(version) -> None:
    run = begun(version, JobStatus.SUCCEEDED)
    card = {"criterion": run.criterion, "card": {}}
    ModelVersion.objects.create(run=run, directory=model_directory(run).name, **card)
    clear_run(run)
    assert left() == [model_directory(run).name]


def test_runs_that_this_database_does_not_know_are_let_be(version) -> None:
    (scoring_files.runs_directory() / uuid4().hex).mkdir()
    (scoring_files.runs_directory() / "notes").mkdir()
    assert clear_ended_runs() == 0
    assert len(left()) == 2


def test_the_sweep_clears_a_run_that_was_given_up(version) -> None:
    run = begun(version, JobStatus.RUNNING)
    TrainingRun.objects.filter(pk=run.pk).update(attempt=5, lease_until="2000-01-01T00:00Z")
    sweep()
    tidy()
    run.refresh_from_db()
    assert run.status == JobStatus.FAILED
    assert left() == []
