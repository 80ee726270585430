"""Scores by real workers: asked for on the page, killed on the way, scored once at last."""

import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from annotator.models import Campaign, User
from core.jobs.registry import sweep
from core.jobs.rows import JobStatus
from scoring import files as scoring_files
from scoring.datasets.freezing.imports import import_dataset
from scoring.models import ModelVersion, ScoreRequest
from scoring.quadruplets import SplitPlan
from tests.conftest import grant, make_user, signed_in
from tests.flows.conftest import StartWorker, kill_group
from tests.scoring.conftest import dataset_rows, tiny_encoder
from tests.scoring.model_builders import CRITERION, promote, train_tiny

__all__ = ["tiny_encoder"]
pytestmark = [
    pytest.mark.broker,
    pytest.mark.embedded,
    pytest.mark.slow,
]
LONGEST_WAIT_SECONDS = 240


@pytest.fixture
def rita(transactional_db: None, settings: Any) -> User:
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.SECURE_SSL_REDIRECT = False
    campaign = Campaign.objects.create(slug="cups", name="Cups")
    return grant(make_user("rita"), campaign, "researcher")


@pytest.fixture
def model(rita: User, tiny_encoder: Path) -> ModelVersion:
    version = import_dataset(name="tiny", rows=dataset_rows(), plan=SplitPlan("file")).version
    found = train_tiny(version, tiny_encoder)
    promote(found, rita)
    return found


def wait_for(status: JobStatus, pause: float) -> ScoreRequest:
    """Sweep as the sweeper does until the only request is there."""
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while (row := ScoreRequest.objects.get()).status != status:
        assert time.monotonic() < deadline, f"{row.status}: {row.message}"
        assert row.status != JobStatus.FAILED, row.message
        sweep()
        time.sleep(pause)
    return row


@pytest.mark.exhaustive
def test_a_worker_killed_while_it_scores_leaves_a_request_that_the_next_one_scores_once(
    rita: User, model: ModelVersion, start_worker: StartWorker
) -> None:
    client = signed_in(rita)
    first = start_worker("gpu")
    # Text of this one test: another run of it may have filled the cache.
    texts = [f"1. A pump {uuid4()}.", f"1. A lever {uuid4()}."]
    sent = {"reference": "1. A housing.", "candidate_1": texts[0], "candidate_2": texts[1]}
    answer = client.post("/score/", sent)
    assert answer.status_code == 302
    wait_for(JobStatus.RUNNING, 0.01)
    kill_group(first)
    left = ScoreRequest.objects.get()
    assert (left.status, left.attempt) == (JobStatus.RUNNING, 1)
    start_worker("gpu")
    done = wait_for(JobStatus.SUCCEEDED, 0.2)
    assert done.attempt == 2
    assert done.scores is not None
    page = client.get(answer["Location"]).content.decode()
    assert f"{done.scores[CRITERION][0]['score']:.3f}" in page
    assert not any(text.encode() in read for text in texts for read in messages())
    # The same pairs once more are known: no worker is asked.
    again = client.post("/score/", sent)
    assert ScoreRequest.objects.exclude(pk=done.pk).get().scores == done.scores
    assert client.get(again["Location"]).status_code == 200


def messages() -> list[bytes]:
    """Return what lies in the folder of the filesystem broker, if that is in use."""
    folder = scoring_files.models_directory().parent / "broker"
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
