"""P9: a broker that is down, or hangs, stops neither rating nor reading, and loses no job."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest
from django.db import connection

from annotator.accounts.sessions import create_token
from core.jobs.leases import request_cancel
from core.jobs.rows import JobStatus
from scoring.datasets.freezing.imports import import_dataset
from scoring.models import ModelVersion, TrainingRun
from scoring.quadruplets import SplitPlan
from scoring.training.runs.services import request_training
from tests.promises.conftest import sweeping
from tests.promises.harness import SCALE, Answer, Caller, make_callers, wait_until
from tests.promises.rated_work import Work, assert_faithful, give_work, send_all, sent_of
from tests.scoring.conftest import dataset_rows
from tests.served.faults import wait_for_the_broker
from tests.served.redis import OwnRedis, program
from tests.soak.tally import Tally

pytestmark = [
    pytest.mark.promise("P9"),
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(program() is None, reason="no program of Redis"),
]
ANNOTATORS: Final = 20
REFERENCES_EACH: Final = 2 * SCALE
SECONDS_DOWN: Final = 3 if SCALE == 1 else 30
# Asked for in each of the two outages.
TRAININGS: Final = 1 if SCALE == 1 else 3
# Three seconds are promised.
PATIENCE: Final = 6


@pytest.fixture
def broker() -> Iterator[OwnRedis]:
    if connection.vendor == "sqlite":
        pytest.skip("the embedded broker is a folder, and cannot be down")
    broker = OwnRedis()
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
def sweeper(transactional_db: None, broker: OwnRedis) -> Iterator[None]:
    with sweeping(CELERY_BROKER_URL=broker.url):
        yield


def earlier_runs(cast: Any, encoder: Path, count: int) -> list[TrainingRun]:
    """Return cancelled runs of a tiny encoder; a program may ask to have each done again."""
    rows = dataset_rows()
    version = import_dataset(
        name="tiny", rows=rows, plan=SplitPlan("file"), created_by=cast.rita
    ).version
    runs = []
    for seed in range(count):
        options = {"encoder": str(encoder), "method": "finetune", "epochs": 1, "seed": seed}
        options |= {"precision": "fp32", "device": "cpu"}
        run = request_training(version=version, criterion="feature_completeness", options=options)
        request_cancel(run)
        runs.append(run)
    return runs


@contextmanager
def an_outage(broker: OwnRedis, kind: str) -> Iterator[None]:
    if kind == "killed":
        broker.kill()
    else:
        broker.freeze()
    begun = time.monotonic()
    yield
    time.sleep(max(0, SECONDS_DOWN - (time.monotonic() - begun)))
    if kind == "killed":
        broker.start()
    else:
        broker.thaw()


def ask_for_trainings(rita: Caller, runs: list[TrainingRun], tally: Tally) -> None:
    for run in runs:
        begun = time.monotonic()
        answer = rita.call("POST", f"/api/v1/training-runs/{run.pk}/again/")
        tally.noted(f"`train` was answered {answer.status} in {time.monotonic() - begun:.1f} s")
        assert answer.status == 202, answer


def read_on(caller: Caller, is_over: list[bool]) -> None:
    while not is_over:
        assert caller.call("GET", "/api/v1/training-runs/").status == 200
        time.sleep(0.1)


def test_a_broker_that_dies_or_hangs_stops_nobody_and_each_training_runs_once(
    cast, broker, sweeper, start_server, start_worker, tiny_encoder, tally
) -> None:
    server = start_server(CELERY_BROKER_URL=broker.url)
    start_worker("gpu", CELERY_BROKER_URL=broker.url, JOB_LEASE_SECONDS="20")
    callers = make_callers(cast.campaign, ANNOTATORS, server.port)
    rita = Caller(cast.rita, create_token(user=cast.rita).token, server.port)
    reader = Caller(cast.rita, create_token(user=cast.rita).token, server.port)
    runs = earlier_runs(cast, tiny_encoder, 2 * TRAININGS)
    work = give_work(cast, callers, REFERENCES_EACH)
    halves: list[Work] = [
        {caller: ratings[half::2] for caller, ratings in work.items()} for half in (0, 1)
    ]
    acknowledged: dict[str, Answer] = {}
    is_over: list[bool] = []
    reading = Thread(target=partial(read_on, reader, is_over))
    reading.start()
    try:
        for number, kind in enumerate(("killed", "frozen")):
            with an_outage(broker, kind):
                wanted = runs[number * TRAININGS :][:TRAININGS]
                asking = Thread(target=partial(ask_for_trainings, rita, wanted, tally))
                asking.start()
                acknowledged |= send_all(halves[number], {})
                asking.join()
    finally:
        is_over.append(True)
        reading.join()
    asked = TrainingRun.objects.exclude(pk__in=[run.pk for run in runs])
    wait_until(
        lambda: not asked.exclude(status__in=(JobStatus.SUCCEEDED, JobStatus.FAILED)).exists(),
        "the trainings",
    )
    tally.tried(submits=len(sent_of(work)), outages=2, trainings=2 * TRAININGS)
    assert_faithful(work, acknowledged, tally, more_callers=[rita, reader])
    ended = list(asked.values_list("status", "attempt"))
    tally.found(lost=2 * TRAININGS - len(ended), doubled=sum(n - 1 for _, n in ended))
    assert ended == [(JobStatus.SUCCEEDED, 1)] * 2 * TRAININGS
    assert ModelVersion.objects.count() == 2 * TRAININGS


def test_a_server_that_enqueues_without_a_limit_of_time_is_found_out(
    cast, broker, start_server, tiny_encoder
) -> None:
    server = start_server(CELERY_BROKER_URL=broker.url, SERVED_FAULT=wait_for_the_broker.__name__)
    (run,) = earlier_runs(cast, tiny_encoder, 1)
    rita = Caller(cast.rita, create_token(user=cast.rita).token, server.port, patience=PATIENCE)
    broker.freeze()
    try:
        with pytest.raises(AssertionError, match="status=0"):
            ask_for_trainings(rita, [run], Tally())
    finally:
        broker.thaw()
