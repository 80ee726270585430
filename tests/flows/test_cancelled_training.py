"""A training that is cancelled while a real worker trains: it ends so, and leaves no model.

The seconds it took are printed, and asserted nowhere: `pytest -s` shows them.
"""

import sys
import time
from pathlib import Path

import pytest

from annotator.models import Campaign, User
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus
from scoring import files as scoring_files
from scoring.datasets.freezing.imports import import_dataset
from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from scoring.quadruplets import SplitPlan
from tests.conftest import signed_in
from tests.flows.conftest import StartWorker, request_finetuning, swept_until
from tests.scoring.conftest import dataset_rows

pytestmark = [pytest.mark.broker, pytest.mark.embedded, pytest.mark.slow]
ENDLESS = 100_000  # epochs: no machine is done before it is asked to stop
DEFAULT_LEASE_SECONDS = "20"  # the wait that people meet, not the short one of other flows


@pytest.fixture
def version(rita: User) -> DatasetVersion:
    campaign = Campaign.objects.get()
    return import_dataset(
        name="tiny", rows=dataset_rows(), plan=SplitPlan("file"), campaign=campaign
    ).version


def ask(version: DatasetVersion, encoder: Path, epochs: int) -> TrainingRun:
    run = request_finetuning(version, encoder, epochs=epochs)
    enqueue_on_commit(run)
    return run


def test_a_run_cancelled_while_it_trains_ends_cancelled_and_the_worker_takes_the_next(
    rita: User, version: DatasetVersion, tiny_encoder: Path, start_worker: StartWorker
) -> None:
    client = signed_in(rita)
    run = ask(version, tiny_encoder, ENDLESS)
    start_worker("gpu", JOB_LEASE_SECONDS=DEFAULT_LEASE_SECONDS)
    swept_until(run, lambda: run.stage == "training" or run.is_final, 0.05)
    assert run.status == JobStatus.RUNNING, run.message
    asked = time.monotonic()
    assert client.post(f"/runs/{run.pk}/cancel/", {"confirmed": "1"}).status_code == 302
    swept_until(run, lambda: run.is_final, 0.05)
    sys.stdout.write(f"\ncancelled after {time.monotonic() - asked:.1f} s\n")
    assert (run.status, run.attempt, run.message) == (JobStatus.CANCELLED, 1, "")
    assert not ModelVersion.objects.exists()

    following = ask(version, tiny_encoder, 1)
    swept_until(following, lambda: following.is_final)
    assert following.status == JobStatus.SUCCEEDED, following.message
    # The worker has left the first one for good: nothing of it lies about.
    model = ModelVersion.objects.get()
    assert model.run == following
    places = (scoring_files.runs_directory(), scoring_files.models_directory())
    assert [path for place in places for path in place.glob(f"*{run.pk.hex}*")] == []
