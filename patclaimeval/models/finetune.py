"""The fine-tuning loop: the encoder itself learns, by the paper's loss, keeping its best epoch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from patclaimeval.agreement.correlation import tau_b
from patclaimeval.models.config import TrainingSettings
from patclaimeval.models.data import Pair, Progress, Quadruplet, batches, distinct_pairs
from patclaimeval.models.errors import TrainingFailed
from patclaimeval.models.graphed_steps import GraphedSteps
from patclaimeval.models.memory import (
    TokenBudget,
    first_budget,
    is_out_of_memory,
    release,
)
from patclaimeval.models.network import PairScorer, margin_tolerance_loss
from patclaimeval.models.packed.forward import PackedForward
from patclaimeval.models.training_state import (
    State,
    StateStore,
    random_states,
    restore_random_states,
)

GRADIENT_CLIP: Final = 1.0

Extra = Callable[[Sequence[Pair]], Tensor]


def take_step(
    network: PairScorer,
    extra: Extra,
    chunks: Sequence[Sequence[Quadruplet]],
    settings: TrainingSettings,
    optimiser: torch.optim.Optimizer,
) -> Tensor:
    """Take one step on a batch; return its mean loss and its gradient's length, shape [2].

    ``chunks`` are the parts of the batch that are encoded at once: gradients add up over them,
    so that they are the batch's, in the memory of one part. Each distinct pair of a part is
    encoded once. The result stays on the device: reading it is what would wait.
    """
    optimiser.zero_grad(set_to_none=True)
    size = sum(map(len, chunks))
    total = torch.zeros((), device=network.head.weight.device)
    for chunk in chunks:
        loss = batch_losses(network, extra, chunk, settings).sum() / size
        loss.backward()
        total = total + loss.detach()
    length = torch.nn.utils.clip_grad_norm_(network.parameters(), GRADIENT_CLIP)
    optimiser.step()
    return torch.stack([total, length.to(total.device)])


def batch_losses(
    network: PairScorer, extra: Extra, items: Sequence[Quadruplet], settings: TrainingSettings
) -> Tensor:
    """Return the loss of each item, shape [n]; a pair that stands in several is encoded once."""
    pairs = distinct_pairs(items)
    scores = network(pairs, extra(pairs))
    sides, labels = (
        one.to(scores.device, non_blocking=True) for one in sides_and_labels(items, pairs)
    )
    left, right = scores[sides]
    return margin_tolerance_loss(left, right, labels, settings.margin, settings.tolerance)


def sides_and_labels(items: Sequence[Quadruplet], pairs: Sequence[Pair]) -> tuple[Tensor, Tensor]:
    """Return where among ``pairs`` each item's two stand, shape [2, n], and its label, [n]."""
    place = {pair: i for i, pair in enumerate(pairs)}
    sides = torch.tensor([[place[item.pairs[side]] for item in items] for side in (0, 1)])
    return sides, torch.tensor([float(item.y) for item in items])


def graphed_steps(
    network: PairScorer, settings: TrainingSettings, optimiser: torch.optim.Optimizer
) -> GraphedSteps | None:
    """Return what replays the steps of a training on CUDA; None where they cannot be recorded."""
    forward = network.encoder.forward_pass
    is_recordable = isinstance(forward, PackedForward) and forward.dtype == torch.bfloat16
    if not (settings.device.startswith("cuda") and is_recordable and network.pooling == "cls"):
        return None
    assert isinstance(forward, PackedForward)

    def loss(vectors: Tensor, sides: Tensor, labels: Tensor) -> Tensor:
        left, right = network.head(vectors)[sides]
        return margin_tolerance_loss(
            left, right, labels, settings.margin, settings.tolerance
        ).mean()

    return GraphedSteps(forward, loss, list(network.parameters()), optimiser, GRADIENT_CLIP)


def read_steps(results: Sequence[Tensor], last_step: int) -> list[float]:
    """Return the losses of the steps up to ``last_step``, of what ``take_step`` gave for them.

    Raises ``TrainingFailed`` naming the first step whose loss or gradient is not finite.
    """
    if not results:
        return []
    rows = torch.stack(list(results)).tolist()
    for step, (loss, length) in enumerate(rows, start=last_step - len(rows) + 1):
        for name, value in (("loss", loss), ("gradient", length)):
            if not math.isfinite(value):
                raise TrainingFailed(f"The {name} became {value} at step {step}; training stopped.")
    return [loss for loss, _ in rows]


HEAD_LEARNING_RATE: Final = 1e-3
"""For a head that starts at random: at an encoder's rate it would not move within an epoch."""


def make_optimiser(network: PairScorer, settings: TrainingSettings) -> torch.optim.AdamW:
    """Return AdamW over the network's parameters, each in exactly one group; fused on CUDA.

    Biases and the weights of normalisation layers do not decay, except under the preset 'paper',
    which gives one decay for everything.
    """
    assert settings.learning_rate is not None and settings.weight_decay is not None
    rate = settings.learning_rate
    # The paper gives one rate for everything; a head fitted by the probe needs no rate of its own.
    one_rate = settings.preset == "paper" or settings.method == "probe-then-finetune"
    head_rate = rate if one_rate else max(rate, HEAD_LEARNING_RATE)
    groups: list[dict[str, Any]] = []
    for part, part_rate in ((network.encoder, rate), (network.head, head_rate)):
        decaying, plain = _divided(part)
        if settings.preset == "paper":
            decaying, plain = [*decaying, *plain], []
        for parameters, decay in ((decaying, settings.weight_decay), (plain, 0.0)):
            if parameters:
                groups.append({"params": parameters, "lr": part_rate, "weight_decay": decay})
    on_cuda = settings.device.startswith("cuda")
    return torch.optim.AdamW(groups, fused=on_cuda, capturable=on_cuda)


def _divided(part: nn.Module) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """Return the parameters that decay, and the biases and normalisation weights."""
    does_decay: dict[nn.Parameter, bool] = {}  # by parameter: a shared one is listed once
    for module in part.modules():
        is_norm = "norm" in type(module).__name__.lower()
        for name, parameter in module.named_parameters(recurse=False):
            does_decay.setdefault(parameter, not is_norm and not name.endswith("bias"))
    return (
        [parameter for parameter, decays in does_decay.items() if decays],
        [parameter for parameter, decays in does_decay.items() if not decays],
    )


Parts = Callable[[Sequence[Pair]], Sequence[Sequence[Pair]]]


def one_by_one(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Return each pair as a part of its own."""
    return [[pair] for pair in pairs]


def score_differences(
    network: PairScorer,
    extra: Extra,
    items: Sequence[Quadruplet],
    parts: Parts = one_by_one,
    check: Callable[[], None] = lambda: None,
) -> NDArray[np.float64]:
    """Return s_B - s_C of each item, shape [n], encoding each distinct pair once.

    ``parts`` divides the pairs into those encoded at once; ``check`` is called before each part
    and may raise to stop.
    """
    network.eval()
    scores: dict[Pair, float] = {}
    for part in parts(distinct_pairs(items)):
        check()
        with torch.inference_mode():
            found = network(part, extra(part)).tolist()
        scores.update(zip(part, found, strict=True))
    return np.array([scores[item.pairs[0]] - scores[item.pairs[1]] for item in items])


def validation_tau(
    network: PairScorer,
    extra: Extra,
    items: Sequence[Quadruplet],
    parts: Parts = one_by_one,
    check: Callable[[], None] = lambda: None,
) -> float | None:
    """Return tau-b of score differences with labels; None where undefined or a score is no number.

    The next step's loss then is no number either, and stops the training with its own message.
    """
    differences = score_differences(network, extra, items, parts, check)
    if not np.isfinite(differences).all():
        return None
    return tau_b(differences, [item.y for item in items]).value


STEPS_BETWEEN_READS: Final = 16
"""On CUDA, where reading a loss waits for the device; elsewhere it is free."""

OnProgress = Callable[[Progress], None]
Tensors = dict[str, Tensor]


@dataclass(frozen=True)
class Tuned:
    """What the loop did: epochs run, the kept epoch, one row per epoch, and what happened."""

    epochs_run: int
    best_epoch: int
    history: list[dict[str, Any]]
    notes: list[str]


def finetune(
    network: PairScorer,
    extra: Extra,
    training: Sequence[Quadruplet],
    validation: Sequence[Quadruplet],
    settings: TrainingSettings,
    tokens: Mapping[Pair, int],
    on_progress: OnProgress,
    states: StateStore,
) -> Tuned:
    """Train ``network`` in place and leave it with the weights of its best epoch.

    Best is the highest tau-b of score differences on ``validation``, the earlier of equal ones;
    without a defined tau the last epoch is kept. ``extra`` gives features [n, k] beside the
    encoder's, ``tokens`` the length of each pair. ``on_progress`` may raise to stop. Goes on from
    the newest of ``states``, to the same weights as without a stop. Draws from torch's global
    generator (dropout): the caller seeds it. Raises ``TrainingFailed``.
    """
    loop = _Loop(network, extra, settings, tokens, on_progress, states)
    return loop.run(training, validation)


class _Loop:
    """Where the loop stands; all of it that matters later is part of a state."""

    def __init__(
        self,
        network: PairScorer,
        extra: Extra,
        settings: TrainingSettings,
        tokens: Mapping[Pair, int],
        on_progress: OnProgress,
        states: StateStore,
    ) -> None:
        self.network, self.extra, self.settings = network, extra, settings
        self.tokens, self.on_progress, self.states = tokens, on_progress, states
        self.optimiser = make_optimiser(network, settings)
        self.graphs = graphed_steps(network, settings, self.optimiser)
        self.budget = TokenBudget(first_budget(settings.device))
        self.read_every = STEPS_BETWEEN_READS if settings.device.startswith("cuda") else 1
        self.step, self.steps = 0, 0
        self.unread: list[Tensor] = []
        self.losses: list[float] = []  # of the epoch so far
        self.told: float | None = None  # the mean of those read last
        self.history: list[dict[str, Any]] = []
        self.best: tuple[float, int, Tensors] | None = None
        self.notes: list[str] = []
        self.began, self.first_step, self.encoded = monotonic(), 0, 0

    def run(self, training: Sequence[Quadruplet], validation: Sequence[Quadruplet]) -> Tuned:
        settings = self.settings
        assert settings.epochs is not None
        plan = [
            list(batches(training, settings.batch_size, settings.batching, settings.seed, epoch))
            for epoch in range(settings.epochs)
        ]
        self.steps = sum(map(len, plan))
        self._resume()
        before = 0
        for epoch, parts in enumerate(plan, start=1):
            if epoch > len(self.history):
                self._run_epoch(epoch, parts[self.step - before :], validation)
            before += len(parts)
        if self.best is not None:
            self.network.load_state_dict(self.best[2])
        self.network.eval()
        best_epoch = self.best[1] if self.best else settings.epochs
        return Tuned(settings.epochs, best_epoch, self.history, self.notes)

    def _run_epoch(
        self, epoch: int, parts: Sequence[Sequence[Quadruplet]], validation: Sequence[Quadruplet]
    ) -> None:
        self.network.train()
        for part in parts:
            self.step += 1
            self.unread.append(self._take_step(epoch, part))
            if len(self.unread) >= self.read_every:
                self._read()
            self._report(epoch, self.told)
            if self.states.is_due(self.step):
                self._read()
                self._save()
        self._read()
        tau = validation_tau(
            self.network,
            self.extra,
            validation,
            lambda pairs: self.budget.pair_parts(pairs, self.tokens),
            lambda: self._report(epoch, self.told),
        )
        loss = float(np.mean(self.losses))
        self.history.append({"epoch": epoch, "loss": loss, "validation_tau": tau})
        self.losses = []
        if tau is not None and (self.best is None or tau > self.best[0]):
            # In the machine's memory: the device's is for the training.
            weights = self.network.state_dict().items()
            self.best = tau, epoch, {k: v.detach().to("cpu", copy=True) for k, v in weights}
        self._report(epoch, loss, ends_epoch=True)

    def _take_step(self, epoch: int, part: Sequence[Quadruplet]) -> Tensor:
        while True:
            chunks = self.budget.chunks(part, self.tokens)
            try:
                result = self._replay(epoch, chunks)
                if result is None:
                    result = take_step(
                        self.network, self.extra, chunks, self.settings, self.optimiser
                    )
                self.encoded += sum(self.tokens[pair] for pair in distinct_pairs(part))
                return result
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                sentence = self.budget.halve(self.step)
            # Out here, where the error is gone: its traceback held the step's memory.
            self.optimiser.zero_grad(set_to_none=True)
            release(self.settings.device)
            self._note(epoch, sentence)

    def _replay(self, epoch: int, chunks: Sequence[Sequence[Quadruplet]]) -> Tensor | None:
        """Take the step by its graph; None if it has none."""
        if self.graphs is None or len(chunks) > 1:
            return None
        pairs, extra = distinct_pairs(chunks[0]), self.extra
        further = (extra(pairs), *sides_and_labels(chunks[0], pairs))
        try:
            return self.graphs.take(self.network.encoder.tokens(pairs), *further)
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise
            self.graphs = None
        self.optimiser.zero_grad(set_to_none=True)
        self._note(
            epoch, "This GPU records no step as a graph: each is launched anew, which is slow."
        )
        return None

    def _read(self) -> None:
        """Take over the losses since the last read; refuse what is not finite."""
        read = read_steps(self.unread, self.step)
        self.unread = []
        self.losses += read
        if read:
            self.told = float(np.mean(read))

    def _report(
        self, epoch: int, loss: float | None, note: str = "", *, ends_epoch: bool = False
    ) -> None:
        seconds = max(monotonic() - self.began, 1e-9)
        done = self.step - self.first_step
        self.on_progress(
            Progress(
                "training",
                self.step,
                self.steps,
                epoch,
                self.settings.epochs or 0,
                loss,
                self.history[-1]["validation_tau"] if self.history else None,
                self.encoded / seconds if self.encoded else None,
                seconds / done * (self.steps - self.step) if done else None,
                note,
                ends_epoch,
            )
        )

    def _note(self, epoch: int, sentence: str) -> None:
        self.notes.append(sentence)
        self._report(epoch, self.told, sentence)

    def _save(self) -> None:
        tau, epoch, weights = self.best or (None, 0, None)
        rest = {
            "optimiser": self.optimiser.state_dict(),
            "random": random_states(),
            "history": self.history,
            "losses": self.losses,
            "told": self.told,
            "best_tau": tau,
            "budget": [self.budget.tokens, self.budget.is_halved],
            "notes": self.notes,
        }
        self.states.save(State(self.step, self.network.state_dict(), weights, epoch, rest))

    def _resume(self) -> None:
        state, sentence = self.states.load()
        if state is not None:
            rest = state.rest
            self.network.load_state_dict(state.weights)
            self.optimiser.load_state_dict(rest["optimiser"])
            self.step = self.first_step = state.step
            self.history, self.losses, self.told = rest["history"], rest["losses"], rest["told"]
            self.budget = TokenBudget(rest["budget"][0], is_halved=rest["budget"][1])
            self.notes = rest["notes"]
            if state.best is not None:
                self.best = rest["best_tau"], state.best_epoch, state.best
            restore_random_states(rest["random"])
        if sentence:
            # Told, but no fact about the model: the same weights come out.
            self._report(len(self.history), self.told, sentence)
