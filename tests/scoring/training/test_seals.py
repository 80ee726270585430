from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from annotator.models import AuditEvent
from core.errors import Refused
from patclaimeval.models.errors import CheckpointInvalid
from scoring import files as scoring_files
from scoring.models import DatasetVersion, ModelVersion
from scoring.scores.queries import known_scores
from scoring.scores.scorers import ScoringModel, cached_scorer
from scoring.training.model_versions.files import is_sealed
from scoring.training.model_versions.promotions import ask_promotion
from scoring.training.model_versions.services import export_model, model_archive
from tests.scoring.conftest import dataset_rows, imported
from tests.scoring.model_builders import make_model
from tests.scoring.model_rows import model_row, sealed, write_directory

pytestmark = pytest.mark.django_db
FILES = {"model.safetensors": b"weights", "config.json": b"{}"}
PAIRS = [("1. A cup.", "1. A mug.")]


@pytest.fixture
def model(version: DatasetVersion) -> ModelVersion:
    row = model_row(version)
    row.manifest_sha256 = write_directory(scoring_files.models_directory() / row.directory, FILES)
    return sealed(row)


def changed(model: ModelVersion, **fields: Any) -> ModelVersion:
    """Write to the row as somebody with the database, but without the secret, would."""
    ModelVersion.objects.filter(pk=model.pk).update(**fields)
    return ModelVersion.objects.get(pk=model.pk)


@pytest.mark.parametrize(
    "fields",
    [
        {"manifest_sha256": "0" * 64},
        {"directory": "model-of-another"},
        {"criterion": "overall"},
        {"dataset_sha256": "0" * 64},
        {"code_version": "torch 2"},
        {"seal": ""},
        {"seal": "0" * 64},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_a_changed_row_is_used_by_nobody(model, fields, tmp_path) -> None:
    row = changed(model, **fields)
    assert not is_sealed(row)
    with pytest.raises(CheckpointInvalid, match="was not sealed"):
        cached_scorer(ScoringModel(row.criterion, row))
    assert known_scores({row.criterion: ScoringModel(row.criterion, row)}, PAIRS) is None
    with pytest.raises(Refused, match="was not sealed"):
        model_archive(model=row)
    with pytest.raises(Refused, match="was not sealed"):
        export_model(model=row, directory=tmp_path / "plain")
    assert not AuditEvent.objects.filter(action="model.exported").exists()


def test_the_seal_of_another_model_does_not_fit(model, version) -> None:
    other = make_model(version)
    assert not is_sealed(changed(model, seal=other.seal))


def test_a_changed_row_is_not_promoted(cast, data_directory) -> None:
    version = imported("tiny", dataset_rows(), campaign=cast.campaign)
    row = changed(make_model(version), dataset_sha256="0" * 64)
    with pytest.raises(Refused, match="was not sealed"):
        ask_promotion(model=row, asked_by=cast.rita, reason="Best so far.", is_aware=True)


def test_another_secret_refuses_and_an_earlier_one_may_still_count(model, settings) -> None:
    earlier = settings.SECRET_KEY
    settings.SECRET_KEY = "another secret that is long enough to be one"
    assert not is_sealed(model)
    settings.SECRET_KEY_FALLBACKS = [earlier]
    assert is_sealed(model)
    call_command("seal_models", "--json", stdout=StringIO())
    settings.SECRET_KEY_FALLBACKS = []
    assert is_sealed(ModelVersion.objects.get(pk=model.pk))


def test_who_runs_the_site_seals_whole_models_anew_and_reads_of_the_others(
    model, version, settings
) -> None:
    damaged = model_row(version)
    settings.SECRET_KEY = "another secret that is long enough to be one"
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("seal_models", stderr=out)
    assert f"{damaged.pk}: The file MANIFEST.json of the model is missing" in out.getvalue()
    assert "1 sealed" in out.getvalue()
    assert is_sealed(ModelVersion.objects.get(pk=model.pk))
    assert not is_sealed(ModelVersion.objects.get(pk=damaged.pk))
    assert AuditEvent.objects.get(action="model.sealed").object_id == str(model.pk)
    cached_scorer(ScoringModel(model.criterion, ModelVersion.objects.get(pk=model.pk)))


def test_a_model_is_sealed_as_it_was_registered_and_sealing_twice_changes_nothing(model) -> None:
    assert is_sealed(ModelVersion.objects.get(pk=model.pk))
    assert len(model.seal) == 64
    out = StringIO()
    call_command("seal_models", "--json", stdout=out)
    assert '"sealed": 0' in out.getvalue()
    assert not AuditEvent.objects.filter(action="model.sealed").exists()
