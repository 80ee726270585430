"""Model versions as rows, as a finished run leaves them, without a directory."""

from typing import Any

from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from tests.scoring.cards.model_builders import MODEL

CRITERION = "feature_completeness"


def model_row(version: DatasetVersion, card: dict[str, Any] | None = None) -> ModelVersion:
    """Store a model of the version with the card, by default one that says everything."""
    run = TrainingRun.objects.create(dataset_version=version, criterion=CRITERION, settings={})
    return ModelVersion.objects.create(
        run=run,
        criterion=CRITERION,
        directory=f"model-{run.pk}",
        manifest_sha256="b" * 64,
        dataset_sha256=version.sha256,
        code_version="torch 1",
        card=MODEL if card is None else card,
    )
