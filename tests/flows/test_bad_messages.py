"""Messages that no worker should get: none runs anything, and the next training is carried out."""

import pickle
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from kombu import Producer
from redis import Redis

from config.celery import app
from core.jobs.queues import Queues
from core.jobs.rows import JobStatus
from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from tests.bad_input.model_directories import Evil
from tests.flows.conftest import LONGEST_WAIT_SECONDS, StartWorker, request_finetuning
from tests.soak.tally import Tally

pytestmark = [
    pytest.mark.promise("P10"),
    pytest.mark.broker,
    pytest.mark.embedded,
    pytest.mark.slow,
]
TRAIN = "scoring.train"
PLAIN = '{"callbacks": null, "errbacks": null, "chain": null, "chord": null}'


HEADERS = (
    ("eta", "tomorrow"),
    ("eta", {"a": 1}),
    ("expires", "never"),
    ("retries", "many"),
    ("timelimit", ["soon", "later"]),
    ("task", "celery.backend_cleanup; x"),
    ("task", ["scoring.train"]),
)
# Each ends the worker, which is started again.
NO_ENVELOPES = ("", "{}")


def publish(body: Any, content_type: str, **headers: Any) -> None:
    given = {"lang": "py", "task": TRAIN, "id": str(uuid4()), "argsrepr": "", **headers}
    encoding = "binary" if isinstance(body, bytes) else "utf-8"
    with app.connection_for_write() as connection:
        producer = Producer(connection)
        producer.publish(
            body,
            routing_key=Queues.GPU.value,
            content_type=content_type,
            content_encoding=encoding,
            headers=given,
            declare=[queue for queue in app.conf.task_queues if queue.name == Queues.GPU.value],
        )


def publish_bad_ones(run: TrainingRun, place: Path) -> None:
    """Send what a neighbour of the broker, or a bug, might send; none of it asks for `run`."""
    wanted = f'[["{run.pk}"], {{}}, {PLAIN}]'
    publish(pickle.dumps(Evil(place)), "application/x-python-serialize")
    publish("!!python/object/apply:os.system [touch]", "application/x-yaml")
    publish(wanted, "application/json", task="os.system")
    # Of a program of another version: the row of the job is what counts, and stays.
    publish(wanted, "application/json", task="scoring.train_as_before")
    publish("{", "application/json")
    publish("[]", "application/json")
    publish(f'[["{run.pk}", "more"], {{}}, {PLAIN}]', "application/json")
    publish(f'[[{{"pk": "{run.pk}"}}], {{}}, {PLAIN}]', "application/json")
    # CE12 and its siblings: what a message says of itself is input, too.
    unknown = f'[["{uuid4()}"], {{}}, {PLAIN}]'
    for name, value in HEADERS:
        publish(unknown, "application/json", **{name: value})
    publish(f'[{{"pk": "{run.pk}"}}, ["{run.pk}"], {PLAIN}]', "application/json")
    publish(f'[["{run.pk}\\u0000"], {{}}, {PLAIN}]', "application/json")
    publish(f'[[], {{"pk": ["{run.pk}"]}}, {PLAIN}]', "application/json")
    publish('"text"', "application/json")
    publish(b"\xff\xfe", "application/json")
    publish(wanted, "text/plain")


def put_in_the_broker_itself() -> None:
    """Put what is no message where messages are, ahead of those that are sent later."""
    if settings.CELERY_BROKER_URL.startswith("redis"):
        with Redis.from_url(settings.CELERY_BROKER_URL) as client:
            client.lpush(Queues.GPU.value, *NO_ENVELOPES)
        return
    folder = Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_in"])
    for number, content in enumerate(NO_ENVELOPES):
        (folder / f"0_{number}.{Queues.GPU.value}.msg").write_text(content)


def wait_for(
    run: TrainingRun, start_worker: StartWorker, *, is_supervised: bool = True, **settings: str
) -> None:
    """Start a worker, and again when it ends, as the supervisor does, until the run has ended."""
    worker = start_worker("gpu", **settings)
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not run.is_final:
        assert time.monotonic() < deadline, f"{run.status}: {run.message}"
        if worker.poll() is not None:
            assert is_supervised, f"{run.status}: the worker has ended"
            worker = start_worker("gpu", **settings)
        time.sleep(0.1)
        run.refresh_from_db()


def test_a_worker_survives_bad_messages_runs_none_and_does_the_next_training(
    version: DatasetVersion,
    tiny_encoder: Path,
    start_worker: StartWorker,
    tmp_path: Path,
    tally: Tally,
) -> None:
    tally.tried(bad_messages=18)
    named, following = (
        request_finetuning(version, tiny_encoder, epochs=1, seed=seed) for seed in (1, 2)
    )
    publish_bad_ones(named, tmp_path / "ran")
    # No sweeper rings here: the good one, sent likewise, shows that such messages arrive.
    publish(f'[["{following.pk}"], {{}}, {PLAIN}]', "application/json")
    wait_for(following, start_worker, is_supervised=False)
    assert following.status == JobStatus.SUCCEEDED, following.message
    assert not (tmp_path / "ran").exists()
    named.refresh_from_db()
    assert (named.status, named.attempt) == (JobStatus.QUEUED, 0)
    assert ModelVersion.objects.get().run == following


def test_what_is_no_message_ends_a_worker_only_until_it_is_started_again(
    version: DatasetVersion, tiny_encoder: Path, start_worker: StartWorker
) -> None:
    run = request_finetuning(version, tiny_encoder, epochs=1, seed=1)
    put_in_the_broker_itself()
    publish(f'[["{run.pk}"], {{}}, {PLAIN}]', "application/json")
    wait_for(run, start_worker)
    assert run.status == JobStatus.SUCCEEDED, run.message


def test_a_worker_that_reads_without_care_and_that_nobody_starts_again_is_found_out(
    version: DatasetVersion, tiny_encoder: Path, start_worker: StartWorker
) -> None:
    named, following = (
        request_finetuning(version, tiny_encoder, epochs=1, seed=seed) for seed in (1, 2)
    )
    wanted = f'[["{named.pk}"], {{}}, {PLAIN}]'
    publish(wanted, "application/json", timelimit=["soon", "later"])
    publish(f'[["{following.pk}"], {{}}, {PLAIN}]', "application/json")
    careless = {"DJANGO_SETTINGS_MODULE": "tests.served.careless"}
    with pytest.raises(AssertionError, match="queued: the worker has ended"):
        wait_for(following, start_worker, is_supervised=False, **careless)
