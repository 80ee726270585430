"""Training runs: refused before queueing, carried out once, ended in one state."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.jobs import leases
from annotator.jobs.rows import JobStatus
from annotator.models import AuditEvent, User
from annotator.refusals import OutOfDate, Refused
from scoring import storage
from scoring.formats.rows import DatasetRow
from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from scoring.services import runs
from scoring.services.dataset_import import import_dataset
from scoring.services.runs import cancel_training, carry_out_training, request_training
from scoring.splits import SplitPlan

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

CRITERION = "feature_completeness"
Rows = Callable[..., list[DatasetRow]]


def request(version: DatasetVersion, **options: Any) -> TrainingRun:
    return request_training(version=version, criterion=CRITERION, options=options)


def state(run: TrainingRun) -> TrainingRun:
    return TrainingRun.objects.get(pk=run.pk)


def model_directories() -> list[str]:
    return sorted(path.name for path in storage.models_directory().iterdir())


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("learning_rate", 0),
        ("learning_rate", -1.0),
        ("learning_rate", float("nan")),
        ("learning_rate", 1e9),
        ("learning_rate", "1e-5"),
        ("epochs", 0),
        ("epochs", True),
        ("batch_size", 0),
        ("margin", 0.0),
        ("tolerance", 0.9),
        ("seed", -1),
        ("device", "tpu"),
        ("method", "magic"),
        ("preset", "best"),
        ("batching", "none"),
        ("encoder", " "),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_by_its_field(
    version: DatasetVersion, option: str, value: Any
) -> None:
    with pytest.raises(Refused) as caught:
        request(version, **{option: value})
    assert set(caught.value.fields) == {option}
    assert option in caught.value.sentence
    assert not TrainingRun.objects.exists()
    assert not AuditEvent.objects.filter(action__startswith="training").exists()


@pytest.mark.parametrize("option", ["output_dir", "trust_remote_code", "report_to", "push_to_hub"])
def test_a_setting_that_no_training_has_is_refused(version: DatasetVersion, option: str) -> None:
    with pytest.raises(Refused, match="no training has"):
        request(version, **{option: "/etc"})
    assert not TrainingRun.objects.exists()


def test_an_unknown_criterion_is_refused_by_its_field(version: DatasetVersion) -> None:
    with pytest.raises(Refused) as caught:
        request_training(version=version, criterion="novelty", options={})
    assert set(caught.value.fields) == {"criterion"}
    assert not TrainingRun.objects.exists()


def test_a_dataset_with_too_few_quadruplets_is_refused(data_directory: Path, rows: Rows) -> None:
    poor = import_dataset(name="poor", rows=rows(4), plan=SplitPlan("file")).version
    with pytest.raises(Refused, match=r"poor@1 has 6 quadruplets .*at least 8"):
        request(poor)
    with pytest.raises(Refused, match="has 0 quadruplets with a label for Overall"):
        request_training(version=poor, criterion="overall_quality", options={})
    assert not TrainingRun.objects.exists()


def test_a_dataset_with_one_reference_only_is_refused(data_directory: Path, rows: Rows) -> None:
    texts = [f"1. A device with {n} springs." for n in range(9)]
    one = [
        DatasetRow(f"q{n}", "r", "1. A device.", a, "1. A pump.", "b", "c", {CRITERION: 1}, "train")
        for n, a in enumerate(texts)
    ]
    lonely = import_dataset(name="lonely", rows=one, plan=SplitPlan("file")).version
    with pytest.raises(Refused, match="share one reference"):
        request(lonely)
    assert not TrainingRun.objects.exists()


def test_a_queued_run_says_what_it_will_do(version: DatasetVersion) -> None:
    person = User.objects.create(username="rita")
    run = request_training(
        version=version, criterion=CRITERION, options={"seed": 3}, requested_by=person
    )
    assert (run.status, run.settings["seed"], run.settings["method"]) == ("queued", 3, "probe")
    assert run.epochs == run.settings["epochs"] > 0
    event = AuditEvent.objects.get(action="training.requested")
    assert (event.actor, event.object_id) == (person, str(run.pk))


def test_a_missing_encoder_directory_fails_the_run_in_a_sentence(
    version: DatasetVersion, tmp_path: Path
) -> None:
    run = request(version, encoder=str(tmp_path / "no-such-encoder"), method="finetune")
    carry_out_training(run.pk)
    row = state(run)
    assert row.status == JobStatus.FAILED
    assert "no-such-encoder" in row.message
    assert row.finished_at is not None
    assert not ModelVersion.objects.exists()
    assert model_directories() == []


@pytest.mark.slow
def test_a_training_registers_one_model_whose_directory_verifies(
    version: DatasetVersion, tiny_encoder: Path
) -> None:
    from scoring.patclaimeval.checkpoint import read_checkpoint
    from scoring.patclaimeval.score import load_scorer

    said: list[str] = []
    run = request(version, encoder=str(tiny_encoder), method="finetune", epochs=1, device="cpu")
    carry_out_training(run.pk, said.append)
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
    directory = storage.models_directory() / model.directory
    checkpoint = read_checkpoint(directory)
    assert checkpoint.config["criterion"] == CRITERION
    assert "| Dataset | tiny@1 |" in checkpoint.texts["README.md"]
    assert "| test | 3 | 0 of 1 (0.0 %) |" in checkpoint.texts["README.md"]
    scores = load_scorer(directory, cache_directory=None).score([("1. A cup.", "1. A mug.")])
    assert 0 < scores[0] < 1
    assert model_directories() == [model.directory]
    assert said
    assert AuditEvent.objects.get(action="model.registered").details["model"] == str(model.pk)


def count_trainings(monkeypatch: pytest.MonkeyPatch, then: Callable[[], None]) -> list[Path]:
    """Replace the training itself by one that leaves a file and does `then`."""
    directories: list[Path] = []

    def train(run: TrainingRun, directory: Path, *_: object) -> Any:
        from scoring.patclaimeval.results import TrainingResult

        directories.append(directory)
        directory.mkdir()
        (directory / "MANIFEST.json").write_text(json.dumps({"sha256": {}}))
        then()
        return TrainingResult(
            validation={"tau_b": 0.5},
            n_training=12,
            n_validation=3,
            epochs_run=1,
            best_epoch=1,
            tie_threshold=0.0,
            encoder={},
            settings={},
            history=[],
            warnings=[],
            chosen={},
        )

    monkeypatch.setattr(runs, "_train", train)
    return directories


def test_carrying_out_a_run_twice_trains_once(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request(version)
    # The second bell rings while the first worker is at it, the third when all is done.
    trained = count_trainings(monkeypatch, lambda: carry_out_training(run.pk))
    carry_out_training(run.pk)
    carry_out_training(run.pk)
    assert len(trained) == 1
    assert ModelVersion.objects.count() == 1
    assert state(run).status == JobStatus.SUCCEEDED


def test_an_unexpected_error_fails_the_row_without_its_words(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def burst() -> None:
        raise ZeroDivisionError("claim text: 1. A secret cup")

    run = request(version)
    count_trainings(monkeypatch, burst)
    with pytest.raises(ZeroDivisionError):
        carry_out_training(run.pk)
    row = state(run)
    assert row.status == JobStatus.FAILED
    assert "ZeroDivisionError" in row.message
    assert "secret" not in row.message
    assert not ModelVersion.objects.exists()
    assert model_directories() == []


def test_a_worker_that_lost_its_lease_registers_nothing(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request(version)

    def another_worker_takes_over() -> None:
        TrainingRun.objects.filter(pk=run.pk).update(owner="another")

    count_trainings(monkeypatch, another_worker_takes_over)
    carry_out_training(run.pk)
    assert state(run).status == JobStatus.RUNNING
    assert not ModelVersion.objects.exists()
    assert model_directories() == []


def test_a_run_cancelled_at_work_ends_cancelled(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request(version)

    def cancelled() -> None:
        cancel_training(run=run)
        raise leases.LostLease

    count_trainings(monkeypatch, cancelled)
    carry_out_training(run.pk)
    assert state(run).status == JobStatus.CANCELLED
    assert not ModelVersion.objects.exists()
    assert model_directories() == []
    with pytest.raises(OutOfDate):
        cancel_training(run=run)


def test_a_cancelled_queued_run_never_trains(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request(version)
    trained = count_trainings(monkeypatch, lambda: None)
    cancel_training(run=run)
    carry_out_training(run.pk)
    assert trained == []
    assert state(run).status == JobStatus.CANCELLED


def test_a_changed_dataset_file_is_not_trained_on(version: DatasetVersion) -> None:
    run = request(version)
    storage.dataset_path(version.sha256).write_bytes(b"{}\n")
    carry_out_training(run.pk)
    row = state(run)
    assert row.status == JobStatus.FAILED
    assert "was changed after it was stored" in row.message
    assert not ModelVersion.objects.exists()
    with pytest.raises(Refused, match="was changed"):
        request(version)
