"""Model versions for tests: rows without a directory, and a tiny one that really scores."""

from itertools import count
from pathlib import Path
from typing import Any

from annotator.models import User
from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from scoring.services.runs import carry_out_training, request_training

CRITERION = "feature_completeness"
MEASURED: dict[str, Any] = {
    "n": 12,
    "tau_b": 0.5,
    "tau_b_labels": 0.4,
    "accuracy": 0.6,
    "macro_f1": 0.5,
}
_numbers = count(1)


def make_model(
    version: DatasetVersion, criterion: str = CRITERION, by: User | None = None, **measured: Any
) -> ModelVersion:
    """Return a model version whose directory is not there."""
    number = next(_numbers)
    run = TrainingRun.objects.create(
        dataset_version=version, criterion=criterion, settings={}, requested_by=by
    )
    return ModelVersion.objects.create(
        run=run,
        criterion=criterion,
        directory=f"model-{number}",
        manifest_sha256=f"{number:064x}",
        dataset_sha256=version.sha256,
        code_version="1",
        card={
            "n_training": 20,
            "n_validation": 12,
            "validation": MEASURED | measured,
            "tie_threshold": 0.1,
            "settings": {"method": "probe", "encoder": "default"},
            "warnings": [],
        },
    )


def train_tiny(version: DatasetVersion, encoder: Path, by: User | None = None) -> ModelVersion:
    """Return a model that was trained in a moment and scores."""
    run = request_training(
        version=version,
        criterion=CRITERION,
        options={"encoder": str(encoder), "method": "finetune", "epochs": 1, "device": "cpu"},
        requested_by=by,
    )
    carry_out_training(run.pk)
    return ModelVersion.objects.get(run=run)
