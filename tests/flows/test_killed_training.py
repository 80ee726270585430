"""A training whose worker is killed at random moments: one end, one model, the same weights.

Killed 3 times in `make test`, 12 times on each pair of services in the full tier.
"""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.jobs.registry import enqueue_on_commit, tidy
from core.jobs.rows import JobStatus
from scoring import files as scoring_files
from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from scoring.training.runs.services import train_again
from tests.amounts import tries
from tests.flows.conftest import (
    LONGEST_WAIT_SECONDS,
    StartWorker,
    kill_group,
    request_finetuning,
    swept_until,
)
from tests.soak.tally import Tally

pytestmark = [pytest.mark.promise("P8"), pytest.mark.broker, pytest.mark.embedded, pytest.mark.slow]
KILLS = 1 if int(os.environ.get("PROMISES_SCALE", "1")) == 1 else 20
KILLS_OF_A_RUN = min(KILLS, 3)  # each is an attempt, and the fifth attempt is the last
EPOCHS = tries(40, share=3)  # long enough that no machine is done before it is killed
# The lease of a worker here is two seconds long.
SECONDS_PAST_THE_LEASE = 6


def ask(version: DatasetVersion, encoder: Path, seed: int) -> TrainingRun:
    run = request_finetuning(version, encoder, epochs=EPOCHS, seed=seed)
    enqueue_on_commit(run)
    return run


def wait_for(run: TrainingRun, is_reached: Callable[[], bool]) -> None:
    swept_until(run, lambda: is_reached() or run.is_final, 0.05)


def weights(model: ModelVersion) -> bytes:
    return (scoring_files.models_directory() / model.directory / "model.safetensors").read_bytes()


def left_by(run: TrainingRun) -> list[str]:
    """Return what lies about of a run: its state, and its models, whole and half made."""
    places = (scoring_files.runs_directory(), scoring_files.models_directory())
    return [path.name for place in places for path in place.glob(f"*{run.pk.hex}*")]


def kill_at_random_moments(run: TrainingRun, kills: int, start_worker: StartWorker) -> list[str]:
    """Kill one worker after the other, then let one finish; return the moments as text."""
    moments = []
    worker = start_worker("gpu")
    for attempt in range(1, kills + 1):
        wait_for(run, lambda attempt=attempt: run.attempt == attempt)  # type: ignore[misc]
        spare = start_worker("gpu")  # gets ready meanwhile, and finds nothing to claim
        # Of several, the first while it loads, on all but the fastest machines; the others while
        # they train.
        loads = attempt == 1 < kills
        moment = time.monotonic() + (random.uniform(0, 4) if loads else LONGEST_WAIT_SECONDS)
        aim = state_of(run) + random.randrange(3, 15)
        wait_for(
            run,
            lambda moment=moment, aim=aim: (  # type: ignore[misc]
                time.monotonic() >= moment or state_of(run) >= aim
            ),
        )
        kill_group(worker)
        worker = spare
        run.refresh_from_db()
        moments.append(f"attempt {run.attempt}, {run.status}, {run.message}, at {state_of(run)}")
    wait_for(run, lambda: False)
    return moments


def state_of(run: TrainingRun) -> int:
    """Return the step of the newest state on disk, which the row holds only now and then."""
    steps = (
        path.stem.split("-")[1]
        for path in scoring_files.runs_directory().glob(f"{run.pk.hex}/rest-*.json")
    )
    return max(map(int, steps), default=0)


@pytest.mark.parametrize("seed", range(-(-KILLS // KILLS_OF_A_RUN)))
def test_a_training_killed_at_random_moments_ends_once_with_the_weights_of_a_straight_one(
    version: DatasetVersion, tiny_encoder: Path, start_worker: StartWorker, seed: int, tally: Tally
) -> None:
    run = ask(version, tiny_encoder, seed)
    tally.tried(trainings=1, kills_of_its_worker=KILLS_OF_A_RUN)
    moments = kill_at_random_moments(run, KILLS_OF_A_RUN, start_worker)
    assert run.status == JobStatus.SUCCEEDED, (run.message, moments)
    assert run.attempt >= 2, moments
    model = ModelVersion.objects.get(run=run)
    tidy()  # the worker itself may not have come to clear up yet
    assert left_by(run) == [model.directory], moments
    killed = weights(model)
    assert any("Going on after step" in line["words"] for line in run.log), (moments, run.log)
    tally.found(lost=0, doubled=0)
    # Otherwise the straight run would find this model and train nothing.
    model.delete()
    straight = train_again(run=run)
    enqueue_on_commit(straight)
    wait_for(straight, lambda: False)
    assert weights(ModelVersion.objects.get(run=straight)) == killed, moments


def test_a_training_that_relies_on_the_broker_alone_is_found_out(
    version: DatasetVersion,
    tiny_encoder: Path,
    start_worker: StartWorker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = ask(version, tiny_encoder, 0)
    worker = start_worker("gpu")
    wait_for(run, lambda: run.attempt == 1)
    kill_group(worker)
    # Nobody sweeps from here on: the message is gone with the worker that took it.
    monkeypatch.setattr("tests.flows.conftest.sweep", lambda: 0)
    monkeypatch.setattr("tests.flows.conftest.LONGEST_WAIT_SECONDS", SECONDS_PAST_THE_LEASE)
    start_worker("gpu")
    with pytest.raises(AssertionError, match="running: "):
        wait_for(run, lambda: False)
