import hashlib
import io
import json
import shutil
import tarfile
from pathlib import Path

import pytest

from annotator.models import AuditEvent
from core.errors import Refused
from patclaimeval.models.checkpoint import read_checkpoint, write_checkpoint
from patclaimeval.models.scorer import load_scorer
from scoring import files as scoring_files
from scoring.files import StoredFileDamaged
from scoring.models import DatasetVersion, ModelVersion
from scoring.training.model_versions.services import export_model, model_archive
from scoring.training.runs.services import request_training
from scoring.training.runs.work import carry_out_training
from tests.conftest import make_user
from tests.scoring.model_builders import train_tiny
from tests.scoring.model_rows import model_row, sealed, write_directory

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
FILES = {"model.safetensors": b"weights", "config.json": b"{}"}


def stored(version: DatasetVersion) -> ModelVersion:
    model = model_row(version)
    write_directory(scoring_files.models_directory() / model.directory, FILES)
    return registered(model)


def registered(model: ModelVersion) -> ModelVersion:
    """Register what lies in the model's directory now."""
    manifest = scoring_files.models_directory() / model.directory / "MANIFEST.json"
    model.manifest_sha256 = hashlib.sha256(manifest.read_bytes()).hexdigest()
    return sealed(model)


def trained(version: DatasetVersion, encoder: Path, method: str) -> ModelVersion:
    options = {"encoder": str(encoder), "method": method, "device": "cpu", "epochs": 1}
    run = request_training(version=version, criterion="feature_completeness", options=options)
    carry_out_training(run.pk)
    return ModelVersion.objects.get(run=run)


def test_an_archive_is_named_after_what_it_is_and_on_record(version) -> None:
    model, person = stored(version), make_user("ada")
    found = model_archive(model=model, exported_by=person)
    name = f"patclaimeval-tiny-1-feature_completeness-{model.manifest_sha256[:12]}"
    assert (found.name, found.media_type) == (f"{name}.tar", "application/x-tar")
    with tarfile.open(fileobj=io.BytesIO(b"".join(found.pieces))) as opened:
        assert opened.getnames()[0] == f"{name}/MANIFEST.json"
        assert len(opened.getnames()) == 3
    event = AuditEvent.objects.get(action="model.exported")
    assert (event.actor, event.object_id) == (person, str(model.pk))
    assert event.details["as"] == "directory"


@pytest.mark.parametrize("method", ["probe", "finetune"])
def test_a_tar_holds_no_path_of_this_machine_and_scores_elsewhere(
    version, tiny_encoder, tmp_path, method
) -> None:
    encoder = shutil.copytree(tiny_encoder, tmp_path / "here" / "tiny")
    model = trained(version, encoder, method)
    pairs = [("1. A housing, a pump.", "1. A pump.")]
    scores = load_scorer(scoring_files.models_directory() / model.directory).score(pairs)

    found = model_archive(model=model)
    with tarfile.open(fileobj=io.BytesIO(b"".join(found.pieces))) as opened:
        opened.extractall(tmp_path / "there", filter="data")
    (there,) = (tmp_path / "there").iterdir()
    for path in there.iterdir():
        assert str(tmp_path).encode() not in path.read_bytes(), path.name
        assert b"_name_or_path" not in path.read_bytes(), path.name
    manifest = (there / "MANIFEST.json").read_bytes()
    assert hashlib.sha256(manifest).hexdigest() == model.manifest_sha256
    shutil.rmtree(encoder)
    assert load_scorer(there).score(pairs) == scores


def test_the_plain_export_holds_no_path_even_of_a_model_that_noted_its_origin(
    version, tiny_encoder, tmp_path
) -> None:
    model = train_tiny(version, tiny_encoder)
    directory = scoring_files.models_directory() / model.directory
    checkpoint = read_checkpoint(directory)
    noted = json.loads(checkpoint.texts["encoder_config.json"]) | {"_name_or_path": "/srv/secret"}
    checkpoint.texts["encoder_config.json"] = json.dumps(noted)
    shutil.rmtree(directory)
    write_checkpoint(directory, checkpoint)
    registered(model)
    export_model(model=model, directory=tmp_path / "plain")
    for path in (tmp_path / "plain").iterdir():
        assert b"/srv/secret" not in path.read_bytes(), path.name
        assert str(tiny_encoder).encode() not in path.read_bytes(), path.name


def test_a_damaged_model_leaves_nothing_and_no_record(version, tmp_path) -> None:
    model = stored(version)
    (scoring_files.models_directory() / model.directory / "config.json").write_bytes(b"[]")
    with pytest.raises(StoredFileDamaged):
        model_archive(model=model)
    with pytest.raises(Refused, match="was changed after training"):
        export_model(model=model, directory=tmp_path / "plain")
    assert not AuditEvent.objects.filter(action="model.exported").exists()
    assert not (tmp_path / "plain").exists()


def test_what_stands_there_already_stays(version, tmp_path) -> None:
    model = stored(version)
    (tmp_path / "plain").mkdir()
    with pytest.raises(Refused, match="is there already"):
        export_model(model=model, directory=tmp_path / "plain")
    with pytest.raises(Refused, match="Cannot write the model"):
        export_model(model=model, directory=tmp_path / "no" / "such" / "place")


def test_a_fine_tuned_model_is_exported_whole_and_a_probe_is_refused(
    version, tiny_encoder, tmp_path
) -> None:
    tuned = trained(version, tiny_encoder, "finetune")
    files = export_model(model=tuned, directory=tmp_path / "plain")
    names = sorted(path.name for path in (tmp_path / "plain").iterdir())
    assert len(names) == files
    assert {"config.json", "head.safetensors", "README.md", "SHA256SUMS"} <= set(names)
    assert AuditEvent.objects.get(action="model.exported").details["as"] == "transformers"
    assert "| Dataset | tiny@1 |" in (tmp_path / "plain" / "README.md").read_text()
    with pytest.raises(Refused, match="is a probe: its score also rests on features"):
        export_model(model=trained(version, tiny_encoder, "probe"), directory=tmp_path / "probe")
    assert not [
        path for path in tmp_path.iterdir() if "probe" in path.name or ".export" in path.name
    ]
