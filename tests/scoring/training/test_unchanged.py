"""A run that would only train an existing model again ends with that model."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from annotator.models import AuditEvent
from core.jobs.rows import JobStatus
from scoring import files as scoring_files
from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from scoring.training.runs import work as runs_work
from scoring.training.runs.services import request_training, train_again
from scoring.training.runs.work import carry_out_training
from tests.scoring.conftest import imported

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

OPTIONS = {"method": "finetune", "epochs": 1, "device": "cpu"}


def trained(version: DatasetVersion, encoder: Path, **more: Any) -> TrainingRun:
    options = {**OPTIONS, "encoder": str(encoder), **more}
    run = request_training(version=version, criterion="feature_completeness", options=options)
    carry_out_training(run.pk)
    run.refresh_from_db()
    assert run.status == JobStatus.SUCCEEDED, run.message
    return run


@pytest.fixture
def encoder(tiny_encoder: Path, tmp_path: Path) -> Path:
    """An encoder directory that a test may change."""
    return Path(shutil.copytree(tiny_encoder, tmp_path / "encoder"))


@pytest.fixture
def first(version: DatasetVersion, encoder: Path) -> TrainingRun:
    return trained(version, encoder)


def test_nothing_is_trained_again_where_nothing_changed(first, monkeypatch) -> None:
    monkeypatch.setattr(runs_work, "_train", lambda *args: pytest.fail("trained again"))
    again = train_again(run=first)
    carry_out_training(again.pk)
    again.refresh_from_db()
    assert again.status == JobStatus.SUCCEEDED
    assert again.model == first.model == ModelVersion.objects.get()
    assert "Nothing was trained" in again.message
    assert (again.epoch, again.validation_tau) == (first.epoch, first.validation_tau)
    event = AuditEvent.objects.get(action="model.reused")
    assert event.details["model"] == str(first.model_version.pk)
    assert list(scoring_files.runs_directory().iterdir()) == []


def test_another_setting_other_data_and_changed_code_are_other_models(
    first, encoder, rows, monkeypatch
) -> None:
    assert trained(first.dataset_version, encoder, seed=1).reused_model is None
    assert trained(imported("other", rows()[:-1]), encoder).reused_model is None
    assert ModelVersion.objects.count() == 3
    monkeypatch.setattr("scoring.training.runs.work.code_version", lambda: "code other")
    assert trained(first.dataset_version, encoder).reused_model is None
    assert ModelVersion.objects.filter(code_version="code other").count() == 1


def test_another_encoder_in_the_same_directory_is_another_model(first, encoder) -> None:
    path = encoder / "config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps(config | {"max_position_embeddings": 64}))
    from safetensors.torch import load_file, save_file

    weights = load_file(encoder / "model.safetensors")
    name = next(name for name in weights if name.endswith("position_embeddings.weight"))
    weights[name] = weights[name][:64].clone()
    save_file(weights, encoder / "model.safetensors", {"format": "pt"})
    assert trained(first.dataset_version, encoder).reused_model is None


def test_a_probe_is_the_same_model_whatever_became_of_an_encoder_that_was_named(
    version, encoder
) -> None:
    first = trained(version, encoder, method="probe")
    shutil.rmtree(encoder)
    assert trained(version, encoder, method="probe").reused_model == first.model_version


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_damaged_model_is_trained_again(first, encoder, damage) -> None:
    directory = scoring_files.models_directory() / first.model_version.directory
    if damage == "missing":
        shutil.rmtree(directory)
    else:
        (directory / "config.json").write_bytes(b"{}")
    assert trained(first.dataset_version, encoder).reused_model is None


def test_the_same_data_under_another_name_is_unchanged_within_one_campaign_only(
    first, encoder, rows, rated
) -> None:
    other = imported("other", rows())
    assert other.sha256 == first.dataset_version.sha256
    assert trained(other, encoder).reused_model == first.model_version
    other.dataset.campaign = rated(0).campaign
    other.dataset.save()
    assert trained(other, encoder).reused_model is None
