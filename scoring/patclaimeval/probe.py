"""Fits a linear probe on fixed features; selects weight decay by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from scoring.agreement.correlation import tau_b
from scoring.patclaimeval.config import (
    PROBE_FALLBACK_WEIGHT_DECAY,
    PROBE_WEIGHT_DECAYS,
    TrainingSettings,
)
from scoring.patclaimeval.data import grouped_folds
from scoring.patclaimeval.errors import TrainingFailed
from scoring.patclaimeval.network import LinearHead, margin_tolerance_loss
from scoring.patclaimeval.validation import best_tie_threshold

DECAYS: Final = (0.9, 0.999)
EPSILON: Final = 1e-8


class VectorAdamW:
    """Changes ``weight``, shape [size], in place by its gradients; torch's default constants.

    Formula, with g the gradient of step t, a and b the decays of the moments m and v (both from
    zero): w <- (1 - lr * decay) w, then w <- w - lr / (1 - a^t) * m / (sqrt(v / (1 - b^t)) + eps).
    Source: Loshchilov and Hutter, "Decoupled Weight Decay Regularization", ICLR 2019. On a CPU
    each step gives the bits of ``torch.optim.AdamW(foreach=False)``, which spends most of a step
    on this size on its own bookkeeping.
    """

    def __init__(self, weight: Tensor, learning_rate: float, weight_decay: float) -> None:
        """Take over ``weight``; nothing is changed before the first step."""
        self._weight = weight
        self._rate, self._decay = learning_rate, weight_decay
        self._first, self._second = (torch.zeros_like(weight.detach()) for _ in range(2))
        self._steps = 0

    def step(self, gradient: Tensor) -> None:
        """Change the weights by a gradient of their shape."""
        self._steps += 1
        (first, second), rate = DECAYS, self._rate
        with torch.no_grad():
            self._weight.mul_(1 - rate * self._decay)
            self._first.lerp_(gradient, 1 - first)
            self._second.mul_(second).addcmul_(gradient, gradient, value=1 - second)
            spread = (self._second.sqrt() / (1 - second**self._steps) ** 0.5).add_(EPSILON)
            self._weight.addcdiv_(self._first, spread, value=-rate / (1 - first**self._steps))


CALIBRATION_REFERENCES: Final = 4
"""Below so many references there are no folds at all, not even for the tie threshold."""
CHOOSING_REFERENCES: Final = 10
"""Below so many references folds are too noisy to choose by: the recommended values hold."""
FOLDS: Final = 4
DISTANCE_SCALES: Final = (0.0, 0.1)
"""How much the encoder's distance numbers count beside the named features: not at all, or a bit."""
STEPS_A_PULSE: Final = 1000
CHOICE_SLACK: Final = 0.03
"""The most restrained choice within this much tau-b of the best is taken: folds are noisy."""

OnStep = Callable[[int, int, float | None], None]


@dataclass(frozen=True)
class Comparisons:
    """Feature rows and the comparisons between them.

    ``features`` [pairs, size]; ``b``, ``c`` [n] row numbers; ``labels`` [n]; ``groups`` n names.
    ``signs`` [size] as in ``PairFeatures.signs``; ``distances`` marks the encoder's numbers.
    """

    features: NDArray[np.float32]
    b: NDArray[np.int64]
    c: NDArray[np.int64]
    labels: NDArray[np.float64]
    groups: Sequence[str]
    signs: NDArray[np.float32]
    distances: NDArray[np.bool_]

    def part(self, items: Sequence[int]) -> Comparisons:
        """Return the comparisons at the given positions."""
        at = np.asarray(items, dtype=np.int64)
        groups = [self.groups[i] for i in items]
        return Comparisons(
            self.features,
            self.b[at],
            self.c[at],
            self.labels[at],
            groups,
            self.signs,
            self.distances,
        )


@dataclass(frozen=True)
class Probe:
    """A fitted head with what was chosen: decay, distance scale, tie threshold, losses.

    `chosen_by` says in words how decay and scale were come by.
    """

    head: LinearHead
    weight_decay: float
    distance_scale: float
    tie_threshold: float
    folds_tau: float | None
    losses: list[float]
    chosen_by: str
    warnings: list[str] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """Return the choices, fit for JSON."""
        names = ("weight_decay", "distance_scale", "folds_tau", "chosen_by")
        return {name: getattr(self, name) for name in names}


def differences(head: LinearHead, data: Comparisons) -> NDArray[np.float64]:
    """Return s_B - s_C of each comparison, shape [n], in (-1, 1)."""
    with torch.inference_mode():
        scores = head(torch.from_numpy(data.features).to(head.weight.dtype)).numpy()
    return np.asarray(scores[data.b] - scores[data.c], dtype=np.float64)


def fit_probe(data: Comparisons, settings: TrainingSettings, on_step: OnStep) -> Probe:
    """Choose decay and distance scale by folds over the references, then fit on everything.

    ``on_step(step, steps, loss)`` may raise to stop. A weight decay given in the settings is
    kept. Below ``CHOOSING_REFERENCES`` references the recommended values are used unchosen; the
    tie threshold is set on held-out folds from ``CALIBRATION_REFERENCES`` references on.
    """
    references = len(set(data.groups))
    given = settings.weight_decay
    if references >= CHOOSING_REFERENCES:
        decays = PROBE_WEIGHT_DECAYS if given is None else (given,)
        scales = DISTANCE_SCALES if data.distances.any() else (0.0,)
        options = [(scale, decay) for scale in scales for decay in sorted(decays, reverse=True)]
    else:
        options = [(0.0, PROBE_FALLBACK_WEIGHT_DECAY if given is None else given)]
    choice, unseen, tau = options[0], None, None
    if references >= CALIBRATION_REFERENCES:
        choice, unseen, tau = _choose(data, settings, options, on_step)
    head, losses = fit_head(data, settings, choice[1], choice[0], on_step)
    warnings = []
    if unseen is None:
        unseen = differences(head, data)
        warnings.append(
            f"Fewer than {CALIBRATION_REFERENCES} references: the tie threshold could not be set "
            "on unseen references."
        )
    threshold = best_tie_threshold(unseen, data.labels)
    chosen_by = _chosen_by(references, len(options), given)
    return Probe(head, choice[1], choice[0], threshold, tau, losses, chosen_by, warnings)


def _chosen_by(references: int, options: int, given: float | None) -> str:
    """Return how the options were chosen from; validation items have no part in it."""
    if options > 1:
        return (
            f"cross-validation in {min(FOLDS, references)} folds within the {references} "
            "training references"
        )
    if references >= CHOOSING_REFERENCES:
        return "the settings asked for"
    kept = "the weight decay asked for" if given is not None else "the recommended weight decay"
    return (
        f"{kept}: {references} training references are too few for cross-validation to choose, "
        f"which takes {CHOOSING_REFERENCES}"
    )


Choice = tuple[float, float]


def _choose(
    data: Comparisons, settings: TrainingSettings, options: Sequence[Choice], on_step: OnStep
) -> tuple[Choice, NDArray[np.float64], float | None]:
    found: dict[Choice, tuple[float | None, NDArray[np.float64]]] = {}
    for number, (scale, decay) in enumerate(options, start=1):
        pulse = _pulse(on_step, number - 1, len(options))
        unseen = np.zeros(len(data.labels))
        for held_out in grouped_folds(data.groups, FOLDS, settings.seed):
            rest = sorted(set(range(len(data.labels))) - set(held_out))
            head, _ = fit_head(data.part(rest), settings, decay, scale, pulse)
            unseen[held_out] = differences(head, data.part(held_out))
        found[scale, decay] = tau_b(unseen, data.labels).value, unseen
        on_step(number, len(options), None)
    taus = {option: -1.0 if tau is None else tau for option, (tau, _) in found.items()}
    best = max(taus.values())
    # Options are ordered from the most restrained on, so the first within reach is taken.
    choice = next(option for option in options if taus[option] >= best - CHOICE_SLACK)
    return choice, found[choice][1], found[choice][0]


def _pulse(on_step: OnStep, number: int, of: int) -> OnStep:
    """Return what lets a long fit of a fold be stopped, as ``on_step`` may raise."""

    def on_epoch(step: int, steps: int, loss: float | None) -> None:
        if step % STEPS_A_PULSE == 0:
            on_step(number, of, None)

    return on_epoch


def fit_head(
    data: Comparisons,
    settings: TrainingSettings,
    weight_decay: float,
    distance_scale: float,
    on_step: OnStep = lambda step, steps, loss: None,
) -> tuple[LinearHead, list[float]]:
    """Fit a head on all comparisons and return it with its loss per step.

    Full-batch AdamW from zero on the mean loss; after each step weights are put back to zero
    where they contradict ``signs``. Features are scaled by the spread *between the candidates
    of a comparison*, so that differences among references cannot shrink what tells two
    candidates apart. The bias stays 0. Deterministic: no random number is drawn.
    """
    assert settings.epochs is not None and settings.learning_rate is not None
    head = _standardised(data)
    weights = np.where(data.distances, distance_scale, 1.0).astype(np.float32)
    seen = head.standardise(torch.from_numpy(data.features)) * torch.from_numpy(weights)
    left, right = seen[data.b], seen[data.c]
    labels = torch.from_numpy(data.labels).float()
    signs = torch.from_numpy(data.signs)
    weight = torch.zeros(seen.shape[1], requires_grad=True)
    optimiser = VectorAdamW(weight, settings.learning_rate, weight_decay)
    losses: list[float] = []
    with _one_thread():
        for step in range(1, settings.epochs + 1):
            scores = torch.sigmoid(left @ weight), torch.sigmoid(right @ weight)
            gaps = margin_tolerance_loss(*scores, labels, settings.margin, settings.tolerance)
            loss = gaps.mean()
            losses.append(float(loss.detach()))
            if not np.isfinite(losses[-1]):
                raise TrainingFailed(
                    f"The loss became {losses[-1]} at step {step}; training stopped."
                )
            optimiser.step(*torch.autograd.grad(loss, weight))
            with torch.no_grad():
                weight.masked_fill_(weight * signs < 0, 0)
            on_step(step, settings.epochs, losses[-1])
    with torch.no_grad():
        head.weight.copy_(weight * torch.from_numpy(weights))
    return head, losses


@contextmanager
def _one_thread() -> Iterator[None]:
    """Keep torch to one thread: on matrices of this size more only wait for one another."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _standardised(data: Comparisons) -> LinearHead:
    rows = data.features[np.unique(np.concatenate([data.b, data.c]))]
    spread = np.sqrt(((data.features[data.b] - data.features[data.c]) ** 2).mean(0) / 2)
    head = LinearHead(data.features.shape[1])
    head.centre.copy_(torch.from_numpy(rows.mean(0)))
    head.scale.copy_(torch.from_numpy(1 / (spread + 1e-3)))
    return head
