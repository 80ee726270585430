"""Three web servers, two workers and a sweeper under load, one of each killed in turn (P1, P8).

Nothing that was acknowledged is lost or doubled, nobody meets an error, and every job ends once.
"""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from annotator.models import Campaign, Rating, ReliabilityReport
from annotator.operations.presences import alive
from annotator.reliability.services import request_reliability
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus
from scoring.datasets.freezing.imports import import_dataset
from scoring.models import ModelVersion, TrainingRun
from scoring.quadruplets import SplitPlan
from scoring.training.runs.services import request_training
from tests.conftest import make_reference
from tests.flows.programs import Programs, wait_until
from tests.promises.harness import (
    Answer,
    Caller,
    differences,
    make_callers,
    rating_body,
    server_errors,
)
from tests.scoring.conftest import dataset_rows

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
WEBS = ("web-1", "web-2", "web-3")
REFERENCES = 30


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    found = Programs(tmp_path)
    yield found
    found.end()


class Load(threading.Thread):
    """One annotator who rates until nothing is left, however often the server dies."""

    def __init__(self, caller: Caller, campaign: Campaign) -> None:
        super().__init__(daemon=True)
        self.caller, self.campaign = caller, campaign
        self.sent: list[dict[str, Any]] = []
        self.acknowledged: dict[str, Answer] = {}

    def run(self) -> None:
        try:
            while (given := self.caller.take_next(self.campaign)).status in (0, 200):
                if given.status == 200:
                    body = rating_body(given.body["id"], (5, 6, 7, 8), "seen")
                    self.sent.append(body)
                    answer = self.caller.submit_until_answered(body)
                    self.acknowledged[body["assignment"]] = answer
        finally:
            connection.close()


def start_all(programs: Programs) -> dict[str, int]:
    ports = {name: programs.start_web(name) for name in WEBS}
    programs.start_worker("worker-web", "web")
    programs.start_worker("worker-gpu", "gpu")
    programs.start_sweeper()
    wait_until(lambda: len(alive()) == 3, "all programs alive")
    return ports


def ask_for_jobs(campaign: Campaign, encoder: Path) -> tuple[ReliabilityReport, TrainingRun]:
    version = import_dataset(name="tiny", rows=dataset_rows(), plan=SplitPlan("file")).version
    options = {"encoder": str(encoder), "method": "finetune", "epochs": 5, "device": "cpu"}
    options |= {"precision": "fp32"}
    run = request_training(version=version, criterion="feature_completeness", options=options)
    report = request_reliability(campaign=campaign)
    for row in (run, report):
        enqueue_on_commit(row)
    return report, run


def is_in(row: Any, *statuses: JobStatus) -> bool:
    row.refresh_from_db()
    return row.status in statuses


def test_programs_are_killed_in_turn_and_nothing_is_lost(
    programs: Programs, tiny_encoder: Path
) -> None:
    campaign = Campaign.objects.create(slug="pumps", name="Pumps", overlap=3)
    for number in range(REFERENCES):
        make_reference(campaign, f"r{number}", 2)
    ports = start_all(programs)
    callers = make_callers(campaign, len(WEBS), 0)
    for caller, port in zip(callers, ports.values(), strict=True):
        caller.port = port
    loads = [Load(caller, campaign) for caller in callers]
    for load in loads:
        load.start()
    report, run = ask_for_jobs(campaign, tiny_encoder)
    # The sweeper dies first: who dies after it is missed by nobody until it is back.
    programs.kill("sweeper")
    wait_until(lambda: is_in(run, JobStatus.RUNNING, JobStatus.SUCCEEDED), "training begun")
    programs.kill("worker-gpu")
    programs.kill("worker-web")
    wait_until(lambda: Rating.objects.count() >= 20, "ratings under way")
    programs.kill("web-2")
    programs.start_worker("worker-gpu-again", "gpu")
    programs.start_worker("worker-web-again", "web")
    programs.start_sweeper("sweeper-again")
    programs.start_web("web-2", ports["web-2"])
    for load in loads:
        load.join(timeout=240)
        assert not load.is_alive()
    for row in (run, report):
        wait_until(lambda row=row: is_in(row, JobStatus.SUCCEEDED, JobStatus.FAILED), "job")  # type: ignore[misc]
        assert row.status == JobStatus.SUCCEEDED, row.message
    assert ModelVersion.objects.filter(run=run).count() == 1
    acknowledged = {pk: answer for load in loads for pk, answer in load.acknowledged.items()}
    assert differences(acknowledged, [body for load in loads for body in load.sent]) == []
    assert Rating.objects.count() == len(acknowledged) == REFERENCES * 2 * len(WEBS)
    assert server_errors(callers) == {}
    # The death of its server was met by somebody, or nothing was tried.
    assert callers[1].statuses[0] > 0
