"""Finds the model that a run would only train again: same data, settings, encoder and code."""

from typing import Any

from scoring import storage
from scoring.model_directories.seals import is_sealed
from scoring.models import ModelVersion, TrainingRun
from scoring.patclaimeval.code_version import code_version
from scoring.patclaimeval.config import DEFAULT_ENCODER, TrainingSettings
from scoring.patclaimeval.errors import PatClaimEvalError


def unchanged_model(run: TrainingRun) -> ModelVersion | None:
    """Return the oldest such model of the same campaign whose files are whole; None without one.

    The settings are compared as they were asked for, `auto` devices included.
    """
    version = run.dataset_version
    found = ModelVersion.objects.filter(
        criterion=run.criterion,
        dataset_sha256=version.sha256,
        code_version=code_version(),
        run__dataset_version__dataset__campaign=version.dataset.campaign,
    ).select_related("run")
    wanted = _decisive(run)
    alike = [model for model in found.order_by("created_at") if _decisive(model.run) == wanted]
    return next((model for model in alike if _is_whole(model) and _has_same_encoder(model)), None)


def _decisive(run: TrainingRun) -> dict[str, Any]:
    return {name: value for name, value in run.settings.items() if name != "allow_download"}


def _is_whole(model: ModelVersion) -> bool:
    # torch loads here, in a worker or command, and never in the web process.
    from scoring.patclaimeval.checkpoint import read_checkpoint

    if not is_sealed(model):
        return False
    try:
        read_checkpoint(storage.models_directory() / model.directory, model.manifest_sha256)
    except PatClaimEvalError:
        return False
    return True


def _has_same_encoder(model: ModelVersion) -> bool:
    """Tell whether the encoder's files are those of then: a directory may hold others by now."""
    settings = TrainingSettings(**model.run.settings)
    if settings.encoder == DEFAULT_ENCODER:
        return True  # its digest is part of the code
    from scoring.patclaimeval.train import load_settings_encoder

    try:
        return load_settings_encoder(settings).digest == model.card["encoder"]["sha256"]
    except PatClaimEvalError:
        return False  # the training itself will say what is missing
