import errno
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from patclaimeval.files import TEMPORARY_PREFIX
from patclaimeval.models import finetune as step_module
from patclaimeval.models.checkpoint import read_checkpoint
from patclaimeval.models.config import TrainingSettings
from patclaimeval.models.data import Progress, Quadruplet, TrainingResult, distinct_pairs
from patclaimeval.models.encoder import load_encoder
from patclaimeval.models.errors import TrainingFailed, full_disk_reported
from patclaimeval.models.training import train_model
from patclaimeval.models.training_state import LATEST

Items = list[Quadruplet]
OnProgress = Callable[[Progress], None]
STEPS = 9  # three epochs of three batches


class Scene:
    """One training set, an encoder with dropout, and a place for the models and the state."""

    def __init__(self, items: Items, encoder: Path, directory: Path) -> None:
        self.items, self.encoder, self.directory = items, encoder, directory
        self.state = directory / "state"
        self.history: list[dict[str, Any]] = []

    def train(
        self, name: str, on_progress: OnProgress = lambda progress: None, **settings: Any
    ) -> TrainingResult:
        given = {"method": "finetune", "epochs": 3, "learning_rate": 1e-3} | settings
        return train_model(
            training=self.items[:12],
            validation=self.items[12:],
            settings=TrainingSettings("overall_quality", encoder=str(self.encoder), **given),
            directory=self.directory / name,
            on_progress=on_progress,
            state_directory=self.state,
            save_every_steps=2,
        )

    def straight(self, **settings: Any) -> bytes:
        """Train without a stop, and clear the state away."""
        self.history = self.train("straight", **settings).history
        for path in self.state.iterdir():
            path.unlink()
        return self.weights("straight")

    def weights(self, name: str) -> bytes:
        return (self.directory / name / "model.safetensors").read_bytes()

    def killed(self, prepare: Callable[[], OnProgress], **settings: Any) -> None:
        """Train in another process that kills itself as with kill -9."""
        child = os.fork()
        if child == 0:
            try:
                self.train("killed", prepare(), **settings)
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), "the training ended before it was killed"
        assert os.WTERMSIG(status) == signal.SIGKILL
        assert not (self.directory / "killed").exists()


@pytest.fixture
def scene(quadruplets: Items, tiny_bert: Path, tmp_path: Path) -> Scene:
    return Scene(quadruplets, tiny_bert, tmp_path)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def at_step(step: int) -> Callable[[], OnProgress]:
    """Die when the step is reported, which is before its state is saved."""

    def prepare() -> OnProgress:
        def on_progress(progress: Progress) -> None:
            if progress.stage == "training" and progress.step == step:
                die()

        return on_progress

    return prepare


def at_rename(number: int) -> Callable[[], OnProgress]:
    """Die instead of a rename: weights, tensors, the rest, the index, and so on.

    In a run's first attempt the rename of the precision comes before them.
    """

    def prepare() -> OnProgress:
        real, count = Path.replace, [0]

        def replace(path: Path, target: Path) -> Path:
            count[0] += 1
            if count[0] == number:
                die()
            return real(path, target)

        Path.replace = replace  # type: ignore[method-assign,assignment]
        return lambda progress: None

    return prepare


@pytest.mark.parametrize(
    "batching", ["paper", pytest.param("by-reference", marks=pytest.mark.exhaustive)]
)
def test_a_training_killed_at_any_moment_goes_on_to_the_very_same_weights(scene, batching) -> None:
    straight = scene.straight(batching=batching)
    moments = [
        at_step(3),
        at_step(6),
        at_rename(1),
        at_rename(3),
        at_rename(4),
        at_rename(5),
        at_rename(2),
    ]
    for moment in moments if batching == "paper" else moments[:2]:
        scene.killed(moment, batching=batching)
    seen: list[Progress] = []
    result = scene.train("resumed", seen.append, batching=batching)
    assert scene.weights("resumed") == straight
    assert result.history == scene.history
    steps = [progress.step for progress in seen if progress.stage == "training"]
    assert steps[0] > 2, "nothing was gone on from"
    assert any(progress.note.startswith("Going on after step") for progress in seen)


def test_a_training_killed_at_its_last_step_keeps_the_best_epoch_of_before(scene) -> None:
    straight = scene.straight()
    scene.killed(at_step(STEPS))
    assert list(scene.state.glob("best-*"))
    scene.train("resumed")
    assert scene.weights("resumed") == straight
    first, second = (read_checkpoint(scene.directory / n).config for n in ("straight", "resumed"))
    assert first == second


def test_a_state_of_other_settings_is_left_aside_and_noted(scene) -> None:
    straight = scene.straight(seed=1)
    scene.killed(at_step(6), seed=2)
    seen: list[Progress] = []
    result = scene.train("other", seen.append, seed=1)
    assert scene.weights("other") == straight
    assert any("belongs to another settings" in progress.note for progress in seen)
    assert result.warnings == scene.train("again", seed=1).warnings


def test_memory_that_runs_out_halves_what_is_encoded_at_once_and_says_so(
    scene, monkeypatch
) -> None:
    encoder = load_encoder(str(scene.encoder), max_tokens=4096)
    longest = max(encoder.token_count(*pair) for pair in distinct_pairs(scene.items))
    real, sizes = step_module.batch_losses, []

    def losses(network: Any, extra: Any, items: Items, settings: Any) -> torch.Tensor:
        sizes.append(sum(encoder.token_count(*pair) for pair in distinct_pairs(items)))
        if sizes[-1] > 2 * longest:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(network, extra, items, settings)

    monkeypatch.setattr(step_module, "batch_losses", losses)
    monkeypatch.setattr("patclaimeval.models.finetune.first_budget", lambda device: 4 * longest)
    seen: list[Progress] = []
    result = scene.train("m", seen.append, epochs=1)
    assert sizes[0] > 2 * longest >= max(sizes[1:])
    assert any("Memory ran out at step 1" in warning for warning in result.warnings)
    assert any("Memory ran out" in progress.note for progress in seen)


OUT_OF_MEMORY = torch.OutOfMemoryError("CUDA out of memory")


@pytest.mark.parametrize(
    ("place", "error", "expected", "words"),
    [
        ("batch_losses", OUT_OF_MEMORY, TrainingFailed, "ran out at step 1, also with"),
        ("validation_tau", OUT_OF_MEMORY, TrainingFailed, "ran out while texts were encoded"),
        ("validation_tau", MemoryError(), TrainingFailed, "ran out while texts were encoded"),
        ("batch_losses", RuntimeError("shapes do not"), RuntimeError, "shapes do not"),
    ],
)
def test_memory_that_runs_out_fails_in_a_sentence_and_other_errors_are_passed_on(
    scene, monkeypatch, place, error, expected, words
) -> None:
    def fail(*args: Any) -> None:
        raise error

    monkeypatch.setattr(step_module, place, fail)
    with pytest.raises(expected, match=words):
        scene.train("m", epochs=1)
    assert not (scene.directory / "m").exists()


def test_scores_that_are_no_numbers_leave_tau_undefined(monkeypatch) -> None:
    monkeypatch.setattr(step_module, "score_differences", lambda *args: np.array([0.1, np.nan]))
    items = [Quadruplet("r", "a", "b", "c", y) for y in (0, 1)]
    assert step_module.validation_tau(torch.nn.Identity(), lambda pairs: None, items) is None


@pytest.mark.parametrize("write", range(1, 9))
def test_a_full_disk_fails_in_a_sentence_and_leaves_no_half_file(scene, monkeypatch, write) -> None:
    real, count = os.fsync, [0]

    def fsync(handle: int) -> None:
        count[0] += 1
        if count[0] >= write:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(TrainingFailed, match="disk is full"):
        scene.train("m", epochs=1)
    assert count[0] >= write
    left = {path.name for path in scene.directory.rglob("*")}
    assert not [
        name for name in left if name.startswith(TEMPORARY_PREFIX) or name.endswith(".partial")
    ]
    assert left <= {
        "state",
        "weights-2.safetensors",
        "tensors-2.safetensors",
        "rest-2.json",
        LATEST,
    }


def test_other_errors_of_the_system_are_passed_on() -> None:
    with pytest.raises(PermissionError), full_disk_reported():
        raise PermissionError(errno.EACCES, "no")


def test_progress_has_speed_and_time_left(scene) -> None:
    seen: list[Progress] = []
    scene.train("m", seen.append)
    steps = [progress for progress in seen if progress.stage == "training"]
    assert all(progress.tokens_per_second and progress.tokens_per_second > 0 for progress in steps)
    assert steps[-1].seconds_left == 0
    assert all((progress.seconds_left or 0) > 0 for progress in steps if progress.step < STEPS)


def test_the_global_random_state_of_the_caller_is_given_back(scene) -> None:
    torch.manual_seed(3)
    wanted = torch.rand(2)
    torch.manual_seed(3)
    scene.train("m", epochs=1)
    assert torch.equal(torch.rand(2), wanted)
