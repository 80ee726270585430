"""Trains a model from quadruplets: checks the data, runs the method, writes the directory."""

from __future__ import annotations

import hashlib
import json
import platform
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from core.files import atomic_write
from scoring.patclaimeval.checkpoint import README, Checkpoint, write_checkpoint
from scoring.patclaimeval.config import MIN_ITEMS, TrainingSettings, code_version
from scoring.patclaimeval.data import Pair, Progress, Quadruplet, TrainingResult, reference_count
from scoring.patclaimeval.encoder import (
    DTYPES,
    Encoder,
    left_out_warning,
    load_encoder,
    measure,
    over_limit,
    refusal,
)
from scoring.patclaimeval.errors import (
    TrainingCancelled,
    TrainingFailed,
    full_disk_reported,
)
from scoring.patclaimeval.features import FEATURE_VERSION, FeatureCache
from scoring.patclaimeval.finetune import out_of_memory_reported
from scoring.patclaimeval.methods import Outcome, train_finetuned, train_probe
from scoring.patclaimeval.shared_encoders import shared_encoder
from scoring.patclaimeval.training_state import (
    EVERY_SECONDS,
    EVERY_STEPS,
    PRECISION,
    StateStore,
    random_states,
    restore_random_states,
)
from scoring.patclaimeval.validation import measure_validation


@dataclass(frozen=True)
class Fitting:
    """Items whose pairs all fit the encoder, each pair's tokens, and what was left out."""

    training: list[Quadruplet]
    validation: list[Quadruplet]
    tokens: dict[Pair, int]
    left_out: list[str]
    warnings: list[str]


def fitting_items(
    encoder: Encoder,
    training: Sequence[Quadruplet],
    validation: Sequence[Quadruplet],
    settings: TrainingSettings,
    on_step: Callable[[int, int], None],
) -> Fitting:
    """Measure every pair; refuse items over the limit, or leave them out if the settings say so.

    Raises ``TrainingFailed`` naming the pairs. ``on_step(done, total)`` may raise to stop.
    """
    items = [*training, *validation]
    tokens = measure(encoder, items, on_step)
    _, long, left_out = over_limit(items, tokens, encoder.limit)
    if not long:
        return Fitting(list(training), list(validation), tokens, [], [])
    if settings.over_length == "refuse":
        raise TrainingFailed(refusal(long, encoder.limit))
    learnt, held_out = (
        over_limit(part, tokens, encoder.limit)[0] for part in (training, validation)
    )
    warning = left_out_warning(left_out, encoder.limit)
    return Fitting(learnt, held_out, tokens, left_out, [warning])


def chosen_device(wanted: str) -> str:
    """Return the device to train on; 'auto' is the GPU where there is one."""
    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if wanted.startswith("cuda") and not torch.cuda.is_available():
        raise TrainingFailed(f"The device {wanted} was asked for, but this machine has none.")
    return wanted


def stored_precision(encoder: Encoder, settings: TrainingSettings, directory: Path | None) -> str:
    """Return the precision to compute in; what 'auto' measured is kept in ``directory``.

    A run that is taken up again must not measure again: another outcome would be another model.
    """
    wanted = settings.precision or "fp32"
    if wanted != "auto" or directory is None:
        return wanted
    path = directory / PRECISION
    if path.is_file() and (kept := path.read_text()) in DTYPES:
        return kept
    measured = encoder.use_precision(wanted, settings.device)
    with full_disk_reported():
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        atomic_write(path, [measured.encode()])
    return measured


@contextmanager
def own_random_state(seed: int) -> Iterator[None]:
    """Seed every generator for the run and give the caller's random state back afterwards."""
    before = random_states()
    torch.manual_seed(seed)
    np.random.seed(seed)
    random.seed(seed)
    try:
        yield
    finally:
        restore_random_states(before)


def state_key(encoder: Encoder, fitting: Fitting, settings: TrainingSettings) -> dict[str, str]:
    """Return what decides the weights, by name: a state is good only where all of it is equal."""
    device = settings.device
    name = torch.cuda.get_device_name(device) if device.startswith("cuda") else platform.machine()
    return {
        "data": _items_digest(fitting.training, fitting.validation),
        "settings": _digest(json.dumps(settings.as_dict(), sort_keys=True)),
        "encoder": encoder.digest,
        "code": code_version(),
        "device": f"{device.partition(':')[0]} {name}",
    }


def _items_digest(*parts: Sequence[Quadruplet]) -> str:
    rows = [[[i.reference_id, i.reference, i.b, i.c, i.y] for i in part] for part in parts]
    return _digest(json.dumps(rows))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


__all__ = [
    "Progress",
    "TrainingCancelled",
    "TrainingFailed",
    "TrainingResult",
    "check_training_set",
    "load_settings_encoder",
    "train_model",
]


def train_model(
    *,
    training: Sequence[Quadruplet],
    validation: Sequence[Quadruplet],
    settings: TrainingSettings,
    directory: Path,
    cache_directory: Path | None,
    on_progress: Callable[[Progress], None],
    state_directory: Path | None = None,
    save_every_steps: int = EVERY_STEPS,
    save_every_seconds: float = EVERY_SECONDS,
    describe: Callable[[TrainingResult], str] | None = None,
) -> TrainingResult:
    """Train one model for one criterion and write it to ``directory``.

    ``directory`` must not exist; it appears complete at the end or not at all.
    ``cache_directory`` keeps feature vectors between runs (None: nowhere). A fine-tuning saves
    its state to ``state_directory`` every so many steps or seconds, and goes on from there
    when called again with the same data and settings, to the same weights bit by bit (None: it
    starts again). ``on_progress`` may raise ``TrainingCancelled``. ``describe`` writes the
    directory's README.md. The same data, settings, machine and versions give the same weights.
    Raises ``TrainingFailed`` and ``EncoderUnavailable`` with a sentence to show.
    """
    settings = settings.resolved()
    if directory.exists():
        raise TrainingFailed(f"The model directory {directory} exists already.")
    check_training_set(training)
    settings = replace(settings, device=chosen_device(settings.device))
    on_progress(Progress("preparing", 0, 1))
    encoder = load_settings_encoder(settings)
    precision = stored_precision(encoder, settings, state_directory)
    settings = replace(settings, precision=encoder.use_precision(precision, settings.device))
    facts = encoder.facts()
    fitting = fitting_items(
        encoder, training, validation, settings, lambda *at: on_progress(Progress("preparing", *at))
    )
    if fitting.left_out:
        on_progress(Progress("preparing", 0, 1, note=fitting.warnings[0]))
        check_training_set(fitting.training)
    on_progress(Progress("preparing", 1, 1))
    key = state_key(encoder, fitting, settings)
    states = StateStore(state_directory, key, save_every_steps, save_every_seconds)
    with full_disk_reported(), out_of_memory_reported():
        outcome = _outcome(encoder, fitting, settings, cache_directory, on_progress, states)
        result = _result(outcome, fitting, settings, facts)
        on_progress(Progress("saving", 0, 1))
        readme = describe(result) if describe else ""
        write_checkpoint(directory, _checkpoint(outcome, result, readme))
    return result


def _outcome(
    encoder: Encoder,
    fitting: Fitting,
    settings: TrainingSettings,
    cache_directory: Path | None,
    on_progress: Callable[[Progress], None],
    states: StateStore,
) -> Outcome:
    data = fitting.training, fitting.validation, settings
    with own_random_state(settings.seed):
        if settings.method == "probe":
            encoder.to(settings.device)
            return train_probe(encoder, FeatureCache(cache_directory), *data, on_progress)
        return train_finetuned(encoder, *data, fitting.tokens, on_progress, states)


def check_training_set(training: Sequence[Quadruplet]) -> None:
    """Raise ``TrainingFailed`` with a clear sentence if nothing can be learnt from the items."""
    if len(training) < MIN_ITEMS:
        raise TrainingFailed(
            f"There are {len(training)} quadruplets to train on; at least {MIN_ITEMS} are needed."
        )
    if reference_count(training) < 2:
        raise TrainingFailed(
            "All quadruplets share one reference; a model needs at least two references to learn "
            "what holds beyond one of them."
        )
    labels = Counter(item.y for item in training)
    if len(labels) == 1:
        word = {1: "B is better", 0: "equal", -1: "C is better"}[next(iter(labels))]
        raise TrainingFailed(
            f"All {len(training)} quadruplets carry the same label ({word}); training needs "
            "different ones."
        )


def load_settings_encoder(settings: TrainingSettings) -> Encoder:
    """Load the encoder that the settings name, on the CPU; raises ``EncoderUnavailable``.

    A probe on a CPU, which leaves it as it is, shares it with other models of this process.
    """
    load = load_encoder
    if settings.method == "probe" and settings.device == "cpu":
        load = shared_encoder
    return load(
        settings.encoder,
        max_tokens=settings.max_tokens,
        global_tokens=settings.global_tokens,
        allow_download=settings.allow_download,
    )


def _result(
    outcome: Outcome, fitting: Fitting, settings: TrainingSettings, encoder: dict[str, Any]
) -> TrainingResult:
    training, validation = fitting.training, fitting.validation
    measured = measure_validation(validation, outcome.differences, outcome.tie_threshold)
    warnings = [*fitting.warnings, *outcome.warnings]
    if not validation:
        warnings.append(
            "There are no validation items: how well the model agrees with people is not measured. "
            f"Chosen by: {outcome.facts['chosen_by']}."
        )
    elif measured["tau_b"] is None:
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
        chosen=outcome.facts,
        left_out=fitting.left_out,
    )


def _checkpoint(outcome: Outcome, result: TrainingResult, readme: str) -> Checkpoint:
    config = {
        "kind": outcome.kind,
        "criterion": result.settings["criterion"],
        "settings": result.settings,
        "encoder": result.encoder,
        "feature_version": FEATURE_VERSION,
        "features": outcome.features,
        "clip": outcome.clip,
        "tie_threshold": result.tie_threshold,
        "validation": result.validation,
        "chosen": result.chosen,
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        },
    }
    texts = outcome.texts | ({README: readme} if readme else {})
    return Checkpoint(outcome.tensors, config, texts)
