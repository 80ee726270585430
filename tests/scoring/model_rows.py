"""Model versions as rows and directories, as a finished run leaves them."""

import hashlib
import json
from pathlib import Path
from typing import Any

from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from scoring.training.model_versions.files import seal_of
from tests.scoring.training.card_builders import MODEL

CRITERION = "feature_completeness"


def model_row(version: DatasetVersion, card: dict[str, Any] | None = None) -> ModelVersion:
    """Store a model of the version with the card, by default one that says everything."""
    run = TrainingRun.objects.create(dataset_version=version, criterion=CRITERION, settings={})
    model = ModelVersion(run=run, criterion=CRITERION, directory=f"model-{run.pk}")
    model.manifest_sha256, model.dataset_sha256 = "b" * 64, version.sha256
    model.code_version, model.card = "torch 1", MODEL if card is None else card
    return sealed(model)


def sealed(model: ModelVersion) -> ModelVersion:
    """Store a model as whoever registers one does."""
    model.seal = seal_of(model)
    model.save()
    return model


def write_directory(directory: Path, files: dict[str, bytes]) -> str:
    """Write files with a manifest that vouches for them; return the digest of the manifest."""
    directory.mkdir(parents=True)
    for name, content in files.items():
        (directory / name).write_bytes(content)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    manifest = json.dumps({"sha256": digests}).encode()
    (directory / "MANIFEST.json").write_bytes(manifest)
    return hashlib.sha256(manifest).hexdigest()
