import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError

from annotator.models import AuditEvent
from core.errors import OutOfDate
from core.jobs import leases
from core.jobs.rows import JobStatus
from patclaimeval.models.data import TrainingResult
from patclaimeval.models.errors import TrainingFailed
from scoring import files as scoring_files
from scoring import tasks as scoring_tasks
from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from scoring.training.runs import work as runs_work
from scoring.training.runs.services import RunProgress, cancel_training, request_training
from scoring.training.runs.work import carry_out_training

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.embedded]

CRITERION = "feature_completeness"


def request(version: DatasetVersion, **options: Any) -> TrainingRun:
    return request_training(version=version, criterion=CRITERION, options=options)


def state(run: TrainingRun) -> TrainingRun:
    return TrainingRun.objects.get(pk=run.pk)


def model_directories() -> list[str]:
    return sorted(path.name for path in scoring_files.models_directory().iterdir())


def begun_runs() -> list[str]:
    return sorted(path.name for path in scoring_files.runs_directory().iterdir())


def ended_without_model(run: TrainingRun, status: JobStatus) -> TrainingRun:
    """Return the run as it stands now, which has this status and left no model behind."""
    row = state(run)
    assert row.status == status
    assert not ModelVersion.objects.exists()
    assert model_directories() == []
    return row


def test_a_missing_encoder_directory_fails_the_run_in_a_sentence(version, tmp_path) -> None:
    run = request(version, encoder=str(tmp_path / "no-such-encoder"), method="finetune")
    carry_out_training(run.pk)
    row = ended_without_model(run, JobStatus.FAILED)
    assert "no-such-encoder" in row.message
    assert row.finished_at is not None
    assert [line["words"] for line in row.log][0] == "attempt 1 began"
    assert begun_runs() == []


@pytest.mark.slow
def test_a_training_registers_one_model_whose_directory_verifies(version, tiny_encoder) -> None:
    from patclaimeval.models.checkpoint import read_checkpoint
    from patclaimeval.models.scorer import load_scorer

    messages: list[str] = []
    run = request(version, encoder=str(tiny_encoder), method="finetune", epochs=1, device="cpu")
    carry_out_training(run.pk, messages.append)
    row = state(run)
    assert (row.status, row.progress, row.epoch) == (JobStatus.SUCCEEDED, 1.0, 1)
    model = ModelVersion.objects.get()
    assert model.run == row
    assert (model.criterion, model.dataset_sha256) == (CRITERION, version.sha256)
    assert model.card["n_training"] == 12
    assert model.card["n_validation"] == 3
    assert model.card["validation"]["references"] == 1
    assert model.card["seen_in_training"]["test"]["references"] == {"of": 1, "seen": 0}
    assert row.validation_tau == model.card["validation"]["tau_b"]
    directory = scoring_files.models_directory() / model.directory
    checkpoint = read_checkpoint(directory)
    assert checkpoint.config["criterion"] == CRITERION
    assert "| Dataset | tiny@1 |" in checkpoint.texts["README.md"]
    assert "| test | 3 | 0 of 1 (0.0 %) |" in checkpoint.texts["README.md"]
    scores = load_scorer(directory).score([("1. A cup.", "1. A mug.")])
    assert 0 < scores[0] < 1
    assert model_directories() == [model.directory]
    assert messages
    assert AuditEvent.objects.get(action="model.registered").details["model"] == str(model.pk)


def count_trainings(monkeypatch: pytest.MonkeyPatch, then: Callable[[], None]) -> list[Path]:
    """Replace the training itself by one that leaves a file and does `then`."""
    directories: list[Path] = []

    def train(run: TrainingRun, directory: Path, *_: object) -> Any:
        directories.append(directory)
        directory.mkdir()
        (directory / "MANIFEST.json").write_text(json.dumps({"sha256": {}}))
        then()
        return TrainingResult({"tau_b": 0.5}, 12, 3, 1, 1, 0.0, encoder={}, settings={})

    monkeypatch.setattr(runs_work, "_train", train)
    return directories


def test_the_same_message_ten_times_is_one_training(version, monkeypatch) -> None:
    run = request(version)
    # Four come while the first worker is at it, five when all is done.
    trained = count_trainings(
        monkeypatch, lambda: [scoring_tasks.train.run(str(run.pk)) for _ in range(4)]
    )
    for _ in range(6):
        scoring_tasks.train.run(str(run.pk))
    assert len(trained) == 1
    assert ModelVersion.objects.count() == 1
    assert (state(run).status, state(run).attempt) == (JobStatus.SUCCEEDED, 1)


def test_a_worker_that_lost_its_lease_registers_nothing(version, monkeypatch) -> None:
    run = request(version)
    taken_over = TrainingRun.objects.filter(pk=run.pk)
    count_trainings(monkeypatch, lambda: taken_over.update(owner="another"))
    carry_out_training(run.pk)
    ended_without_model(run, JobStatus.RUNNING)


def test_a_run_cancelled_at_work_ends_cancelled(version, monkeypatch) -> None:
    run = request(version)

    def cancelled() -> None:
        cancel_training(run=run)
        raise leases.LostLease

    count_trainings(monkeypatch, cancelled)
    carry_out_training(run.pk)
    ended_without_model(run, JobStatus.CANCELLED)
    with pytest.raises(OutOfDate):
        cancel_training(run=run)


def test_a_changed_dataset_file_is_not_trained_on(version) -> None:
    run = request(version)
    scoring_files.dataset_path(version.sha256).write_bytes(b"{}\n")
    carry_out_training(run.pk)
    row = ended_without_model(run, JobStatus.FAILED)
    assert "was changed after it was stored" in row.message
    assert AuditEvent.objects.filter(action="training.failed").count() == 1


def test_a_forged_key_has_no_effect(version, monkeypatch) -> None:
    run = request(version)
    trained = count_trainings(monkeypatch, lambda: None)
    scoring_tasks.train.run(str(uuid4()))
    for forged in ("1. A secret cup", "", {"pk": str(run.pk)}, None):
        with suppress(ValidationError):
            scoring_tasks.train.run(forged)
    with pytest.raises(TypeError):
        scoring_tasks.train.run(str(run.pk), "more")  # type: ignore[call-arg]
    assert trained == []
    assert state(run).status == JobStatus.QUEUED


def test_of_two_workers_on_one_run_the_one_that_was_thought_dead_registers_nothing(
    version, monkeypatch
) -> None:
    run = request(version)
    names: list[str] = []

    def the_lease_runs_out() -> None:
        names.append(state(run).owner)
        if len(names) == 1:
            TrainingRun.objects.filter(pk=run.pk).update(lease_until="2000-01-01T00:00Z")
            carry_out_training(run.pk)

    trained = count_trainings(monkeypatch, the_lease_runs_out)
    carry_out_training(run.pk)
    assert len(set(names)) == len(set(trained)) == 2
    model = ModelVersion.objects.get()
    assert model.directory == trained[1].name
    assert model_directories() == [trained[1].name]
    row = state(run)
    assert (row.status, row.owner, row.attempt) == (JobStatus.SUCCEEDED, names[1], 2)


def test_a_run_goes_on_from_the_state_that_its_killed_worker_left(
    version, tiny_encoder, monkeypatch, settings
) -> None:
    settings.TRAINING_STATE_SECONDS = 0.0

    class Killed(BaseException):
        """It ends a worker: nothing of ours is called any more."""

    run = request(version, encoder=str(tiny_encoder), method="finetune", epochs=2, device="cpu")
    with monkeypatch.context() as killing:
        killing.setattr(runs_work, "_clear", lambda run: None)

        def fourth(progress: Any) -> None:
            if progress.stage == "training" and progress.step == 4:
                raise Killed

        killing.setattr(RunProgress, "store_progress", lambda self, progress: fourth(progress))
        with pytest.raises(Killed):
            carry_out_training(run.pk)
    assert state(run).status == JobStatus.RUNNING
    assert begun_runs() == [run.pk.hex]
    TrainingRun.objects.filter(pk=run.pk).update(lease_until="2000-01-01T00:00Z")
    carry_out_training(run.pk)
    row = state(run)
    assert (row.status, row.attempt) == (JobStatus.SUCCEEDED, 2), row.message
    words = [line["words"] for line in row.log]
    assert "attempt 2 began" in words
    assert "Going on after step 3." in words
    assert [point["epoch"] for point in row.history] == [1, 2]
    assert begun_runs() == []


def test_what_happened_just_before_a_failure_stays_in_the_log(version, monkeypatch) -> None:
    def train(run: TrainingRun, directory: Path, progress: RunProgress) -> TrainingResult:
        progress.note("Memory ran out at step 3")
        raise TrainingFailed("Memory ran out at step 4.")

    run = request(version)
    monkeypatch.setattr(runs_work, "_train", train)
    carry_out_training(run.pk)
    words = [line["words"] for line in state(run).log]
    assert words == ["attempt 1 began", "Memory ran out at step 3"]
