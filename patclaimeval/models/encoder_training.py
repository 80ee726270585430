"""Trains an encoder with its head: measures what fits, fine-tunes, calibrates the tie threshold."""

from __future__ import annotations

import hashlib
import json
import platform
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from patclaimeval.models.config import STRENGTH, TrainingSettings, code_version
from patclaimeval.models.data import (
    Pair,
    Progress,
    Quadruplet,
    TrainingResult,
    check_training_set,
    distinct_pairs,
)
from patclaimeval.models.encoder import (
    Encoder,
    encoder_files,
    left_out_warning,
    load_encoder,
    measure,
    over_limit,
    refusal,
)
from patclaimeval.models.errors import TrainingFailed
from patclaimeval.models.features import FEATURES
from patclaimeval.models.finetune import finetune, score_differences
from patclaimeval.models.memory import device_errors_reported, out_of_memory_reported
from patclaimeval.models.network import LinearHead, PairScorer, features_of
from patclaimeval.models.outcome import Outcome, training_result
from patclaimeval.models.prior import prior_of
from patclaimeval.models.ridge import CLIP, fit
from patclaimeval.models.ridge_training import compare
from patclaimeval.models.training_state import (
    StateStore,
    random_states,
    restore_random_states,
)
from patclaimeval.models.validation import best_tie_threshold

MIN_CALIBRATION: Final = 20
"""Validation items needed to calibrate the tie threshold of a fine-tuned model on them."""
NO_CLIP: Final = 1e6
"""The paper's head sees the pooled state as it is."""

Items = Sequence[Quadruplet]
OnProgress = Callable[[Progress], None]


def train_encoder(
    training: Items,
    validation: Items,
    settings: TrainingSettings,
    on_progress: OnProgress,
    state_directory: Path | None,
    save_every: tuple[int, float],
) -> tuple[Outcome, TrainingResult]:
    """Fine-tune the encoder that the settings name; ``save_every`` is in steps and in seconds.

    Raises ``TrainingFailed`` and ``EncoderUnavailable``.
    """
    settings = replace(settings, device=chosen_device(settings.device))
    on_progress(Progress("preparing", 0, 1))
    encoder = load_settings_encoder(settings)
    precision = encoder.use_precision(settings.precision or "fp32", settings.device)
    settings = replace(settings, precision=precision)
    facts = encoder.facts()
    fitting = fitting_items(
        encoder, training, validation, settings, lambda *at: on_progress(Progress("preparing", *at))
    )
    if fitting.left_out:
        on_progress(Progress("preparing", 0, 1, note=fitting.warnings[0]))
        check_training_set(fitting.training)
    on_progress(Progress("preparing", 1, 1))
    key = state_key(encoder, fitting, settings)
    states = StateStore(state_directory, key, *save_every)
    with device_errors_reported(), out_of_memory_reported(), own_random_state(settings.seed):
        outcome = _train_finetuned(encoder, fitting, settings, on_progress, states)
    outcome.left_out = fitting.left_out
    outcome.warnings = [*fitting.warnings, *outcome.warnings]
    return outcome, training_result(outcome, fitting.training, fitting.validation, settings, facts)


def load_settings_encoder(settings: TrainingSettings) -> Encoder:
    """Load the encoder that the settings name, on the CPU; raises ``EncoderUnavailable``."""
    return load_encoder(
        settings.encoder, max_tokens=settings.max_tokens, global_tokens=settings.global_tokens
    )


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


def _train_finetuned(
    encoder: Encoder,
    fitting: Fitting,
    settings: TrainingSettings,
    on_progress: OnProgress,
    states: StateStore,
) -> Outcome:
    """Fine-tune the encoder with its head: from a random head, or from where the probe ends.

    'probe-then-finetune' gives the head the probe's features beside the pooled state. The head's
    start and dropout draw from torch's global generator: the caller seeds it. A stopped training
    goes on from ``states``.
    """
    training, validation, tokens = fitting.training, fitting.validation, fitting.tokens
    started = settings.method == "probe-then-finetune"
    device = torch.device(settings.device)
    if started:
        encoder.to(device)
        head, columns = _started_head(encoder, training, settings, on_progress)
    else:
        head, columns = _random_head(encoder.width), 0
    network = PairScorer(encoder, head, settings.pooling).cpu()
    extra = extra_features(columns, device)
    tuned = finetune(
        network.to(device), extra, training, validation, settings, tokens, on_progress, states
    )
    epochs = settings.epochs or 0

    def check() -> None:
        on_progress(Progress("calibrating", 0, 1, epochs, epochs))

    found = score_differences(network, extra, validation, check=check)
    threshold, warnings = _calibrate(network, extra, training, validation, found, check)
    network.cpu()
    parts = {"head.": head, "encoder.": encoder.model}
    tensors = {
        f"{prefix}{name}": np.asarray(value.detach().numpy(), order="C")
        for prefix, module in parts.items()
        for name, value in module.state_dict().items()
    }
    return Outcome(
        settings.method, tensors, head.clip, [], found, threshold, tuned.epochs_run,
        tuned.best_epoch, tuned.history, texts=encoder_files(encoder),
        facts={"chosen_by": _epoch_chosen_by(tuned.history)},
        warnings=[*tuned.notes, *warnings],
    )  # fmt: skip


def _epoch_chosen_by(history: Sequence[Mapping[str, Any]]) -> str:
    if any(row["validation_tau"] is not None for row in history):
        return "the epoch by tau-b on the validation items"
    return "the last epoch, as no validation items could choose one"


def extra_features(columns: int, device: torch.device) -> Callable[[Sequence[Pair]], Tensor]:
    """Return what gives pairs their surface features, made once; none if ``columns`` is 0."""
    known: dict[Pair, Tensor] = {}

    def extra(pairs: Sequence[Pair]) -> Tensor:
        if not columns:
            return torch.zeros((len(pairs), 0), device=device)
        for pair in pairs:
            if pair not in known:
                known[pair] = features_of(pair).to(device)
        return torch.stack([known[pair] for pair in pairs])

    return extra


def _random_head(width: int) -> LinearHead:
    head = LinearHead(width, clip=NO_CLIP)
    torch.nn.init.uniform_(head.weight, -(width**-0.5), width**-0.5)
    return head


def _started_head(
    encoder: Encoder, training: Items, settings: TrainingSettings, on_progress: OnProgress
) -> tuple[LinearHead, int]:
    """Return the probe's head with weights for the pooled state behind it.

    These are fitted by the same ridge regression, without a prior, to what the probe leaves of
    the labels; the pooled numbers share the weight of one feature.
    """
    pairs = distinct_pairs(training)
    pooled = []
    for done, pair in enumerate(pairs, start=1):
        with torch.inference_mode():
            pooled.append(encoder.pooled_pair(*pair, settings.pooling).cpu().numpy())
        on_progress(Progress("features", done, len(pairs)))
    data = compare(training, lambda done, of: None)
    probe = fit(data, prior_of(settings.criterion), STRENGTH)
    logits = probe.contributions(data.features).sum(axis=1)
    left = data.labels - (logits[data.b] - logits[data.c])
    states = np.stack(pooled).astype(np.float64)
    centre, width = states.mean(axis=0), encoder.width
    spread = np.sqrt(((states[data.b] - states[data.c]) ** 2).mean(axis=0)) + 1e-6
    seen = np.clip((states - centre) / spread, -CLIP, CLIP) / np.sqrt(width)
    apart = seen[data.b] - seen[data.c]
    weight = np.linalg.solve(apart.T @ apart + STRENGTH * np.eye(width), apart.T @ left)
    head = LinearHead(len(FEATURES) + width, clip=CLIP)
    for name, probed, own in (
        ("weight", probe.weight, weight / np.sqrt(width)),
        ("centre", probe.centre, centre),
        ("scale", probe.factor, 1 / spread),
    ):
        with torch.no_grad():
            getattr(head, name).copy_(torch.from_numpy(np.concatenate([probed, own])))
    return head, len(FEATURES)


def _calibrate(
    network: PairScorer,
    extra: Callable[[Sequence[Pair]], Tensor],
    training: Items,
    validation: Items,
    found: NDArray[np.float64],
    check: Callable[[], None],
) -> tuple[float, list[str]]:
    if len(validation) >= MIN_CALIBRATION:
        return best_tie_threshold(found, np.array([i.y for i in validation], dtype=float)), []
    seen = score_differences(network, extra, training, check=check)
    warning = (
        f"Fewer than {MIN_CALIBRATION} validation items: the tie threshold was set on the "
        "training items and is likely too small a guide for unseen references."
    )
    return best_tie_threshold(seen, np.array([i.y for i in training], dtype=float)), [warning]
