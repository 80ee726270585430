"""What a method of training hands back, and how it becomes a result and a model directory."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patclaimeval.claims.languages import LATIN, language_of
from patclaimeval.models.checkpoint import README, Checkpoint, Tensors
from patclaimeval.models.config import TrainingSettings
from patclaimeval.models.data import Quadruplet, TrainingResult
from patclaimeval.models.features import FEATURE_VERSION
from patclaimeval.models.validation import measure_validation


@dataclass
class Outcome:
    """A trained model and what is to be told about it.

    ``differences`` are of the validation items, and so are those ``beside``, of other scorers by
    name.
    """

    kind: str
    tensors: Tensors
    clip: float
    features: list[str]
    differences: NDArray[np.float64]
    tie_threshold: float
    epochs_run: int
    best_epoch: int
    history: list[dict[str, Any]]
    texts: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    beside: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def training_result(
    outcome: Outcome,
    training: Sequence[Quadruplet],
    validation: Sequence[Quadruplet],
    settings: TrainingSettings,
    encoder: dict[str, Any],
) -> TrainingResult:
    """Measure a model on its validation items and return what is to be told about it."""
    measured = measure_validation(
        *(validation, outcome.differences, outcome.tie_threshold, outcome.beside)
    )
    warnings = list(outcome.warnings)
    if not validation and "unseen" not in outcome.facts:
        warnings.append(
            "There are no validation items: how well the model agrees with people is not measured. "
            f"Chosen by: {outcome.facts['chosen_by']}."
        )
    elif validation and measured["tau_b"] is None:
        warnings.append(
            "Kendall's tau on the validation items is undefined (too few or all alike)."
        )
    shared = {i.reference_id for i in training} & {i.reference_id for i in validation}
    if shared:
        warnings.append(
            f"{len(shared)} references stand in both training and validation; the validation "
            "figures are then too high."
        )
    return TrainingResult(
        validation=measured,
        n_training=len(training),
        n_validation=len(validation),
        epochs_run=outcome.epochs_run,
        best_epoch=outcome.best_epoch,
        tie_threshold=outcome.tie_threshold,
        encoder=encoder,
        settings=settings.as_dict(),
        history=outcome.history,
        warnings=warnings,
        chosen={"languages": _languages_of(training), **outcome.facts},
        left_out=outcome.left_out,
    )


def _languages_of(training: Sequence[Quadruplet]) -> list[str]:
    """Return the languages of the references; where words do not tell, what is read as English."""
    found = {language_of(item.reference) for item in training}
    return sorted({"en" if language == LATIN else language for language in found})


def as_checkpoint(outcome: Outcome, result: TrainingResult, readme: str) -> Checkpoint:
    """Return what goes into the model directory: no path of this machine, as it may leave."""
    libraries = ("torch", "transformers") if result.encoder else ("numpy", "scipy", "rapidfuzz")
    config = {
        "kind": outcome.kind,
        "criterion": result.settings["criterion"],
        "settings": _without_path(result.settings, "encoder"),
        "encoder": _without_path(result.encoder, "name"),
        "feature_version": FEATURE_VERSION,
        "features": outcome.features,
        "clip": outcome.clip,
        "tie_threshold": result.tie_threshold,
        "validation": result.validation,
        "chosen": result.chosen,
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in libraries},
        },
    }
    texts = outcome.texts | ({README: readme} if readme else {})
    return Checkpoint(outcome.tensors, config, texts)


def _without_path(told: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the same where the encoder's directory is named by its last part."""
    place = str(told.get(key, ""))
    is_path = place.startswith((".", "~")) or Path(place).is_absolute()
    return told | {key: Path(place).resolve().name} if is_path else told
