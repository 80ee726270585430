"""Trains a model from quadruplets: checks the data, runs the method, writes the directory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from patclaimeval.models.checkpoint import write_checkpoint
from patclaimeval.models.config import TrainingSettings
from patclaimeval.models.data import Progress, Quadruplet, TrainingResult, check_training_set
from patclaimeval.models.errors import (
    TrainingCancelled,
    TrainingFailed,
    full_disk_reported,
    needs_extra,
)
from patclaimeval.models.outcome import as_checkpoint, training_result
from patclaimeval.models.ridge_training import train_ridge

__all__ = ["Progress", "TrainingCancelled", "TrainingFailed", "TrainingResult", "train_model"]

EVERY_STEPS = 1000
EVERY_SECONDS = 60.0


def train_model(
    *,
    training: Sequence[Quadruplet],
    validation: Sequence[Quadruplet],
    settings: TrainingSettings,
    directory: Path,
    on_progress: Callable[[Progress], None],
    state_directory: Path | None = None,
    save_every_steps: int = EVERY_STEPS,
    save_every_seconds: float = EVERY_SECONDS,
    describe: Callable[[TrainingResult], str] | None = None,
) -> TrainingResult:
    """Train one model for one criterion and write it to ``directory``.

    ``directory`` must not exist; it appears complete at the end or not at all. A fine-tuning saves
    its state to ``state_directory`` every so many steps or seconds, and goes on from there
    when called again with the same data and settings, to the same weights bit by bit (None: it
    starts again). ``on_progress`` may raise ``TrainingCancelled``. ``describe`` writes the
    directory's README.md. The same data, settings, machine and versions give the same weights.
    Raises ``TrainingFailed`` and ``EncoderUnavailable`` with a sentence to show, ``MissingExtra``
    for a fine-tuning where torch is not installed.
    """
    settings = settings.resolved()
    if directory.exists():
        raise TrainingFailed(f"The model directory {directory} exists already.")
    check_training_set(training)
    with full_disk_reported():
        if settings.method == "probe":
            outcome = train_ridge(training, validation, settings, on_progress)
            result = training_result(outcome, training, validation, settings, {})
        else:
            with needs_extra("neural"):
                from patclaimeval.models.encoder_training import train_encoder
            outcome, result = train_encoder(
                training,
                validation,
                settings,
                on_progress,
                state_directory,
                (save_every_steps, save_every_seconds),
            )
        on_progress(Progress("saving", 0, 1))
        readme = describe(result) if describe else ""
        write_checkpoint(directory, as_checkpoint(outcome, result, readme))
    return result
