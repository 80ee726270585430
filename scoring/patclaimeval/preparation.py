"""What precedes a training: the device, the random state, items that fit, and the state's key."""

from __future__ import annotations

import hashlib
import json
import platform
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from scoring.patclaimeval.code_version import code_version
from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Pair, Quadruplet
from scoring.patclaimeval.durable import full_disk_said, write_whole
from scoring.patclaimeval.encoder import Encoder
from scoring.patclaimeval.errors import TrainingFailed
from scoring.patclaimeval.lengths import left_out_warning, measure, over_limit, refusal
from scoring.patclaimeval.precision import DTYPES
from scoring.patclaimeval.training_state import PRECISION, random_states, restore_random_states


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


def kept_precision(encoder: Encoder, settings: TrainingSettings, directory: Path | None) -> str:
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
    with full_disk_said():
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, measured.encode())
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
