"""The fine-tuning loop: the encoder itself learns, by the paper's loss, keeping its best epoch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

import numpy as np
from torch import Tensor

from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Pair, Quadruplet, batches, distinct_pairs
from scoring.patclaimeval.held_out import validation_tau
from scoring.patclaimeval.memory import TokenBudget, first_budget, is_out_of_memory, release
from scoring.patclaimeval.network import PairScorer
from scoring.patclaimeval.optimiser import make_optimiser
from scoring.patclaimeval.results import Progress
from scoring.patclaimeval.step import Extra, read_steps, take_step
from scoring.patclaimeval.training_state import (
    State,
    StateStore,
    random_states,
    restore_random_states,
)

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
            self._tell(epoch, self.told)
            if self.states.is_due(self.step):
                self._read()
                self._save()
        self._read()
        tau = validation_tau(
            self.network,
            self.extra,
            validation,
            lambda pairs: self.budget.pair_parts(pairs, self.tokens),
            lambda: self._tell(epoch, self.told),
        )
        loss = float(np.mean(self.losses))
        self.history.append({"epoch": epoch, "loss": loss, "validation_tau": tau})
        self.losses = []
        if tau is not None and (self.best is None or tau > self.best[0]):
            # In the machine's memory: the device's is for the training.
            weights = self.network.state_dict().items()
            self.best = tau, epoch, {k: v.detach().to("cpu", copy=True) for k, v in weights}
        self._tell(epoch, loss, ends_epoch=True)

    def _take_step(self, epoch: int, part: Sequence[Quadruplet]) -> Tensor:
        while True:
            chunks = self.budget.chunks(part, self.tokens)
            try:
                result = take_step(self.network, self.extra, chunks, self.settings, self.optimiser)
                self.encoded += sum(self.tokens[p] for c in chunks for p in distinct_pairs(c))
                return result
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                sentence = self.budget.halve(self.step)
            # Out here, where the error is gone: its traceback held the step's memory.
            self.optimiser.zero_grad(set_to_none=True)
            release(self.settings.device)
            self._note(epoch, sentence)

    def _read(self) -> None:
        """Take over the losses since the last read; refuse what is not finite."""
        read = read_steps(self.unread, self.step)
        self.unread = []
        self.losses += read
        if read:
            self.told = float(np.mean(read))

    def _tell(
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
        self._tell(epoch, self.told, sentence)

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
            self._tell(len(self.history), self.told, sentence)
