"""Trains a model from quadruplets: checks the data, runs the method, writes the directory."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
import transformers

from scoring.patclaimeval.cache import FeatureCache
from scoring.patclaimeval.checkpoint import README, Checkpoint, write_checkpoint
from scoring.patclaimeval.config import MIN_ITEMS, TrainingSettings
from scoring.patclaimeval.data import Quadruplet, reference_count
from scoring.patclaimeval.encoder import Encoder, load_encoder
from scoring.patclaimeval.errors import TrainingCancelled, TrainingFailed
from scoring.patclaimeval.features import FEATURE_VERSION
from scoring.patclaimeval.lengths import refusal, too_long
from scoring.patclaimeval.methods import Outcome, train_finetuned, train_probe
from scoring.patclaimeval.results import Progress, TrainingResult
from scoring.patclaimeval.validation import measure_validation

__all__ = [
    "Progress",
    "TrainingCancelled",
    "TrainingFailed",
    "TrainingResult",
    "check_training_set",
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
    describe: Callable[[TrainingResult], str] | None = None,
) -> TrainingResult:
    """Train one model for one criterion and write it to ``directory``.

    ``directory`` must not exist; it appears complete at the end or not at all.
    ``cache_directory`` keeps feature vectors between runs (None: nowhere). ``on_progress`` may
    raise ``TrainingCancelled``. ``describe`` writes the directory's README.md. The same data,
    settings, machine and versions give the same weights. Raises ``TrainingFailed`` and
    ``EncoderUnavailable`` with a sentence to show.
    """
    settings = settings.resolved()
    if directory.exists():
        raise TrainingFailed(f"The model directory {directory} exists already.")
    check_training_set(training)
    settings = replace(settings, device=_device(settings.device))
    on_progress(Progress("preparing", 0, 1))
    encoder = _encoder(settings)
    facts = encoder.facts()
    _refuse_long(encoder, [*training, *validation])
    on_progress(Progress("preparing", 1, 1))
    with _own_random_state(settings.seed):
        if settings.method == "probe":
            encoder.to(settings.device)
            cache = FeatureCache(cache_directory)
            outcome = train_probe(encoder, cache, training, validation, settings, on_progress)
        else:
            outcome = train_finetuned(encoder, training, validation, settings, on_progress)
    result = _result(outcome, training, validation, settings, facts)
    on_progress(Progress("saving", 0, 1))
    write_checkpoint(directory, _checkpoint(outcome, result, describe(result) if describe else ""))
    return result


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


def _encoder(settings: TrainingSettings) -> Encoder:
    return load_encoder(
        settings.encoder,
        max_tokens=settings.max_tokens,
        global_tokens=settings.global_tokens,
        allow_download=settings.allow_download,
    )


def _refuse_long(encoder: Encoder, items: Sequence[Quadruplet]) -> None:
    pairs = [pair for item in items for pair in item.pairs]
    named = dict.fromkeys(
        f"reference {items[place // 2].reference_id}, candidate {'BC'[place % 2]} of item "
        f"{place // 2 + 1} ({tokens} tokens)"
        for place, tokens in too_long(encoder, pairs)
    )
    if named:
        raise TrainingFailed(refusal(list(named), encoder.limit))


def _device(wanted: str) -> str:
    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if wanted.startswith("cuda") and not torch.cuda.is_available():
        raise TrainingFailed(f"The device {wanted} was asked for, but this machine has none.")
    return wanted


@contextmanager
def _own_random_state(seed: int) -> Iterator[None]:
    """Seed torch for the run and give the caller's random state back afterwards."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield


def _result(
    outcome: Outcome,
    training: Sequence[Quadruplet],
    validation: Sequence[Quadruplet],
    settings: TrainingSettings,
    encoder: dict[str, Any],
) -> TrainingResult:
    measured = measure_validation(validation, outcome.differences, outcome.tie_threshold)
    warnings = list(outcome.warnings)
    if measured["tau_b"] is None:
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
