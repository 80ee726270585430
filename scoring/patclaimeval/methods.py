"""The training methods: each takes an encoder and quadruplets and hands back a model to save."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from scoring.agreement.correlation import tau_b
from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Pair, Progress, Quadruplet, distinct_pairs
from scoring.patclaimeval.encoder import Encoder, encoder_files
from scoring.patclaimeval.features import FeatureCache, PairFeatures, surface_matrix, surface_signs
from scoring.patclaimeval.finetune import finetune, score_differences
from scoring.patclaimeval.network import CLIP, LinearHead, PairScorer
from scoring.patclaimeval.probe import Comparisons, differences, fit_head, fit_probe
from scoring.patclaimeval.training_state import StateStore
from scoring.patclaimeval.validation import best_tie_threshold

MIN_CALIBRATION: Final = 20
"""Validation items needed to calibrate the tie threshold of a fine-tuned model on them."""
START_DECAY: Final = 24.0
START_SCALE: Final = 0.1
"""Weight decay and scale of the pooled state in the probe that a fine-tuning starts from."""
NO_CLIP: Final = 1e6
"""The paper's head sees the pooled state as it is."""

Items = Sequence[Quadruplet]
OnProgress = Callable[[Progress], None]


@dataclass
class Outcome:
    """A trained model and what is to be told about it; ``differences`` are of the validation."""

    kind: str
    tensors: dict[str, Tensor]
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


def train_probe(
    encoder: Encoder,
    cache: FeatureCache,
    training: Items,
    validation: Items,
    settings: TrainingSettings,
    on_progress: OnProgress,
) -> Outcome:
    """Fit a head over frozen features; the last step is kept, as decay already restrains it.

    Validation never chooses anything here: it is a measurement on unseen references.
    """
    features = PairFeatures(encoder, cache)
    pairs = distinct_pairs([*training, *validation])
    matrix = features.compute(pairs, lambda done, of: on_progress(Progress("features", done, of)))
    distances = np.array([name.startswith("distance") for name in features.names])
    seen = _comparisons(training, pairs, matrix, features.signs, distances)
    unseen = _comparisons(validation, pairs, matrix, features.signs, distances)
    epochs = settings.epochs or 0

    def on_step(step: int, steps: int, loss: float | None) -> None:
        epoch = step if loss is not None else 0
        done = loss is not None  # before that, folds are compared
        on_progress(Progress("training", step, steps, epoch, epochs, loss, ends_epoch=done))

    probe = fit_probe(seen, settings, on_step)
    found = differences(probe.head, unseen)
    tau = tau_b(found, unseen.labels).value
    history: list[dict[str, Any]] = [
        {"epoch": i, "loss": loss, "validation_tau": tau if i == epochs else None}
        for i, loss in enumerate(probe.losses, start=1)
        if i % max(1, epochs // 20) == 0 or i == epochs
    ]
    tensors = {f"head.{name}": value for name, value in probe.head.state_dict().items()}
    return Outcome(
        "probe", tensors, probe.head.clip, list(features.names), found, probe.tie_threshold,
        epochs, epochs, history, facts=probe.facts(), warnings=probe.warnings,
    )  # fmt: skip


def train_finetuned(
    encoder: Encoder,
    training: Items,
    validation: Items,
    settings: TrainingSettings,
    tokens: Mapping[Pair, int],
    on_progress: OnProgress,
    states: StateStore,
) -> Outcome:
    """Fine-tune the encoder with its head: from a random head, or from one fitted by the probe.

    'probe-then-finetune' adds the surface features (no alignment: its frozen encoder would have
    to be kept beside the trained one) and starts where the probe ends. The head's start and
    dropout draw from torch's global generator: the caller seeds it. ``tokens`` gives each pair's
    length; a stopped training goes on from ``states``.
    """
    started = settings.method == "probe-then-finetune"
    device = torch.device(settings.device)
    encoder.to(device)
    if started:
        head, columns = _started_head(encoder, training, settings, on_progress)
    else:
        head, columns = _random_head(encoder.width), 0
    network = PairScorer(encoder, head, settings.pooling).to(device)
    extra = _extra(columns, device)

    tuned = finetune(network, extra, training, validation, settings, tokens, on_progress, states)
    epochs = settings.epochs or 0

    def check() -> None:
        on_progress(Progress("calibrating", 0, 1, epochs, epochs))

    found = score_differences(network, extra, validation, check=check)
    threshold, warnings = _calibrate(network, extra, training, validation, found, check)
    network.cpu()
    tensors = {f"head.{name}": value for name, value in head.state_dict().items()}
    tensors |= {f"encoder.{name}": value for name, value in encoder.model.state_dict().items()}
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


def _extra(columns: int, device: torch.device) -> Callable[[Sequence[Pair]], Tensor]:
    """Return what gives pairs their surface features, made once; none if ``columns`` is 0."""
    known: dict[Pair, Tensor] = {}

    def extra(pairs: Sequence[Pair]) -> Tensor:
        if not columns:
            return torch.zeros((len(pairs), 0), device=device)
        for pair in pairs:
            if pair not in known:
                known[pair] = torch.from_numpy(surface_matrix([pair])[0]).to(device)
        return torch.stack([known[pair] for pair in pairs])

    return extra


def _comparisons(
    items: Items,
    pairs: Sequence[Pair],
    matrix: NDArray[np.float32],
    signs: NDArray[np.float32],
    distances: NDArray[np.bool_],
) -> Comparisons:
    place = {pair: i for i, pair in enumerate(pairs)}
    b, c = (np.array([place[i.pairs[k]] for i in items], dtype=np.int64) for k in (0, 1))
    labels = np.array([item.y for item in items], dtype=np.float64)
    return Comparisons(matrix, b, c, labels, [i.reference_id for i in items], signs, distances)


def _random_head(width: int) -> LinearHead:
    head = LinearHead(width, clip=NO_CLIP)
    torch.nn.init.uniform_(head.weight, -(width**-0.5), width**-0.5)
    return head


def _started_head(
    encoder: Encoder, training: Items, settings: TrainingSettings, on_progress: OnProgress
) -> tuple[LinearHead, int]:
    pairs = distinct_pairs(training)
    pooled = []
    for done, pair in enumerate(pairs, start=1):
        with torch.inference_mode():
            pooled.append(encoder.pooled_pair(*pair, settings.pooling).cpu().numpy())
        on_progress(Progress("features", done, len(pairs)))
    named = surface_signs()
    matrix = np.hstack([surface_matrix(pairs), np.stack(pooled)])
    signs = np.concatenate([named, np.zeros(encoder.width, dtype=np.float32)])
    data = _comparisons(training, pairs, matrix, signs, np.arange(len(signs)) >= len(named))
    start = TrainingSettings(
        settings.criterion, margin=settings.margin, tolerance=settings.tolerance
    ).resolved()
    head, _ = fit_head(data, start, START_DECAY, START_SCALE)
    assert head.clip == CLIP
    return head, len(named)


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
