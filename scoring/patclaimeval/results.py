"""What training reports: progress while it runs, and the result once it is done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Progress:
    """One message of a running training.

    ``stage`` is one of preparing, features, training, calibrating, saving. ``step`` of ``steps``
    counts within the stage; ``loss`` is the mean since the last message; ``validation_tau`` is
    Kendall's tau-b on the validation items, None until known or where undefined.
    ``tokens_per_second`` and ``seconds_left`` (of the stage) are measured since this process
    began the stage. ``note`` is a sentence about something that happened, fit to be shown.
    ``ends_epoch`` marks the last message of an epoch, whose ``loss`` is the epoch's mean.
    """

    stage: str
    step: int
    steps: int
    epoch: int = 0
    epochs: int = 0
    loss: float | None = None
    validation_tau: float | None = None
    tokens_per_second: float | None = None
    seconds_left: float | None = None
    note: str = ""
    ends_epoch: bool = False


@dataclass(frozen=True)
class TrainingResult:
    """What a finished training produced, all of it fit for JSON.

    ``validation`` holds what ``measure_validation`` gives (None where undefined);
    ``history`` one row per recorded epoch: epoch, loss, validation_tau. ``chosen`` holds what
    the probe chose: weight_decay, distance_scale, folds_tau, and in ``chosen_by`` how; for
    fine-tuning ``chosen_by`` alone, which says how the epoch was.
    ``left_out`` names the items left out for their length, as 'reference ID, item N'.
    ``seen_in_training`` is for whoever knows the other splits to fill in; the library does not.
    """

    validation: dict[str, Any]
    n_training: int
    n_validation: int
    epochs_run: int
    best_epoch: int
    tie_threshold: float
    encoder: dict[str, Any]
    settings: dict[str, Any]
    history: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    chosen: dict[str, Any] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    seen_in_training: dict[str, Any] = field(default_factory=dict)
