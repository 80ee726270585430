import json
import os
import signal
import subprocess
from pathlib import Path
from time import sleep
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModel

from scoring.patclaimeval import finetune as finetune_module
from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Progress, Quadruplet
from scoring.patclaimeval.errors import TrainingCancelled, TrainingFailed
from scoring.patclaimeval.process_group import ProcessGroup
from scoring.patclaimeval.several_processes import TUNED, refuse_too_many
from scoring.patclaimeval.training import train_model

Items = list[Quadruplet]
TOLERANCE = 1e-5
"""By which weights of several processes may differ from those of one, after every step."""


@pytest.fixture(scope="module")
def still_bert(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny BERT without dropout, whose draws are each process's own."""
    directory = tmp_path_factory.mktemp("still-bert")
    for path in tiny_bert.iterdir():
        (directory / path.name).write_bytes(path.read_bytes())
    config = json.loads((directory / "config.json").read_text())
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (directory / "config.json").write_text(json.dumps(config))
    assert AutoModel.from_pretrained(directory).config.hidden_dropout_prob == 0
    return directory


def train(
    items: Items, encoder: Path, directory: Path, on_progress: Any = None, **given: Any
) -> dict[str, torch.Tensor]:
    options = {"method": "finetune", "epochs": 2, "learning_rate": 1e-3, "device": "cpu"} | given
    train_model(
        training=items[:13],
        validation=[],  # the last epoch is kept
        settings=TrainingSettings("overall_quality", encoder=str(encoder), **options),
        directory=directory,
        on_progress=on_progress or (lambda progress: None),
        state_directory=directory.with_name(f"{directory.name}-state"),
        save_every_steps=2,
    )
    return load_file(directory / "model.safetensors")


def farthest(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> float:
    assert one.keys() == other.keys()
    return max(float((one[name] - other[name]).abs().max()) for name in one)


def processes() -> set[int]:
    found = subprocess.run(
        ["pgrep", "-f", "scoring.patclaimeval.training_process"], capture_output=True, text=True
    )
    return set(map(int, found.stdout.split()))


def kill_one(found: list[int]) -> int:
    """Kill one of the processes that torchrun started, as the machine would; return which."""
    (victim, *_) = [pid for pid in found if "take-part" in Path(f"/proc/{pid}/cmdline").read_text()]
    os.kill(victim, signal.SIGKILL)
    return victim


def wait_until_none(pids: set[int]) -> None:
    for _ in range(150):
        if not pids & processes():
            return
        sleep(0.1)
    pytest.fail("processes of the training are left")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"batching": "paper"},
        pytest.param({"batching": "by-reference"}, marks=pytest.mark.exhaustive),
        pytest.param({"method": "probe-then-finetune"}, marks=pytest.mark.exhaustive),
    ],
)
def test_two_processes_give_the_weights_of_one(quadruplets, still_bert, tmp_path, options) -> None:
    # 13 items in batches of four: in the last one a process has nothing to do.
    alone = train(quadruplets, still_bert, tmp_path / "alone", **options)
    together = train(quadruplets, still_bert, tmp_path / "together", processes=2, **options)
    assert farthest(alone, together) < TOLERANCE


@pytest.mark.exhaustive
@pytest.mark.slow
def test_all_go_on_from_the_last_state_where_a_process_is_killed(
    quadruplets, tiny_bert, tmp_path
) -> None:
    straight = train(quadruplets, tiny_bert, tmp_path / "straight", processes=2)
    others = processes()
    messages: list[Progress] = []

    def kill_at_six(progress: Progress) -> None:
        messages.append(progress)
        if progress.step == 6 and not any(one.step == 6 for one in messages[:-1]):
            kill_one(list(processes() - others))

    killed = train(quadruplets, tiny_bert, tmp_path / "killed", kill_at_six, processes=2)
    notes = [one.note for one in messages if one.note]
    assert any(note.startswith("Going on after step ") for note in notes), notes
    # Dropout is drawn on by each process from where it stood.
    assert farthest(straight, killed) == 0


@pytest.mark.slow
def test_a_cancelled_training_leaves_no_process(quadruplets, tiny_bert, tmp_path) -> None:
    others, ours = processes(), set[int]()

    def cancel(progress: Progress) -> None:
        if progress.stage == "training" and progress.step == 2:
            ours.update(processes() - others)
            raise TrainingCancelled("Cancelled.")

    with pytest.raises(TrainingCancelled):
        train(quadruplets, tiny_bert, tmp_path / "cancelled", cancel, processes=2)
    assert len(ours) == 3, "torchrun and two others"
    wait_until_none(ours)
    assert not (tmp_path / "cancelled").exists()
    assert not (tmp_path / "cancelled-state" / TUNED).exists()


@pytest.mark.exhaustive
@pytest.mark.slow
def test_nothing_outlives_the_process_that_waits(quadruplets, tiny_bert, tmp_path) -> None:
    others = processes()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:

        def note(progress: Progress) -> None:
            if progress.stage == "training" and progress.step == 2:
                os.write(write, b"x")
                sleep(60)

        train(quadruplets, tiny_bert, tmp_path / "orphaned", note, processes=2)
        os._exit(1)
    os.read(read, 1)
    ours = processes() - others
    assert len(ours) == 3
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    wait_until_none(ours)


@pytest.mark.exhaustive
@pytest.mark.slow
def test_what_stops_a_process_is_a_sentence(quadruplets, tiny_bert, tmp_path) -> None:
    with pytest.raises(TrainingFailed, match="became (nan|inf) at step 1; training stopped"):
        train(quadruplets, broken(tiny_bert, tmp_path), tmp_path / "failed", processes=2)


def broken(encoder: Path, directory: Path) -> Path:
    """An encoder whose states are larger than any number."""
    model = AutoModel.from_pretrained(encoder)
    with torch.no_grad():
        model.embeddings.LayerNorm.weight.fill_(3e38)
    place = directory / "broken"
    model.save_pretrained(place)
    for path in encoder.glob("token*"):
        (place / path.name).write_bytes(path.read_bytes())
    return place


def test_more_gpus_than_there_are_is_a_sentence(monkeypatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    settings = TrainingSettings("overall_quality", device="cuda", processes=3)
    with pytest.raises(TrainingFailed, match="this machine has 2"):
        refuse_too_many(settings)
    refuse_too_many(TrainingSettings("overall_quality", device="cuda", processes=2))
    refuse_too_many(TrainingSettings("overall_quality", device="cpu", processes=3))


def test_shares_are_whole_in_order_and_even() -> None:
    items = [9, 1, 1, 8, 2, 7]
    shares = [ProcessGroup(rank, 3).share(items, float) for rank in range(3)]
    assert shares == [[9, 1], [1, 8], [2, 7]]
    assert ProcessGroup().share(items, float) == items
    assert ProcessGroup(2, 3).share([5], float) == []


def together(work: Any, directory: Path) -> list[Any]:
    """Run `work(group)` in two forked processes of one group; return what each gives."""
    children = []
    for rank in range(2):
        child = os.fork()
        if child == 0:
            torch.distributed.init_process_group(
                "gloo", init_method=f"file://{directory}/group", rank=rank, world_size=2
            )
            found = work(ProcessGroup(rank, 2))
            (directory / str(rank)).write_text(json.dumps(found))
            os._exit(0)
        children.append(child)
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    return [json.loads((directory / str(rank)).read_text()) for rank in range(2)]


def test_gradients_add_up_and_absent_ones_stay_absent(tmp_path) -> None:
    def work(group: ProcessGroup) -> Any:
        one, other, unused = (torch.nn.Parameter(torch.zeros(2)) for _ in range(3))
        one.grad = torch.full((2,), 1.0 + group.rank)
        if group.is_first:
            other.grad = torch.full((2,), 5.0)
        total = group.add_up(torch.tensor(0.5), [one, unused, other])
        return [
            float(total), one.grad.tolist(), other.grad.tolist(), unused.grad is None,
            group.any(group.rank == 1), group.any(False), group.gathered(group.rank),
        ]  # fmt: skip

    assert (
        together(work, tmp_path) == [[1.0, [3.0, 3.0], [5.0, 5.0], True, True, False, [0, 1]]] * 2
    )


def test_memory_that_runs_out_in_one_process_stops_the_step_of_all(tmp_path, monkeypatch) -> None:
    def work(group: ProcessGroup) -> Any:
        def add_gradients(*_: Any) -> torch.Tensor:
            if group.rank == 1:
                raise MemoryError
            return torch.tensor(0.0)

        monkeypatch.setattr(finetune_module, "_add_gradients", add_gradients)
        network: Any = torch.nn.Linear(1, 1)
        optimiser = torch.optim.SGD(network.parameters())
        settings = TrainingSettings("overall_quality", device="cpu", processes=2)
        extra: Any = None
        with pytest.raises(MemoryError):
            finetune_module.take_step(network, extra, [], settings, optimiser, group, 4)
        return "both stopped"

    assert together(work, tmp_path) == ["both stopped"] * 2
