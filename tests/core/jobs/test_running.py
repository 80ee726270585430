from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

import pytest

from annotator.campaigns.services import create_campaign
from annotator.models import ReliabilityReport
from core.errors import Refused
from core.jobs import leases
from core.jobs.rows import JobStatus
from core.jobs.running import run_job
from tests.faults import raising

pytestmark = pytest.mark.django_db
Work = Callable[..., dict[str, Any] | None]


@pytest.fixture(autouse=True)
def job(settings: Any) -> ReliabilityReport:
    # The heartbeat's own connection does not see a test's open transaction: let none be due.
    settings.JOB_LEASE_SECONDS = 3600
    return ReliabilityReport.objects.create(campaign=create_campaign(slug="pots"), input_sha256="0")


def stored(job: ReliabilityReport) -> ReliabilityReport:
    return ReliabilityReport.objects.get(pk=job.pk)


def run(job: ReliabilityReport, work: Work, **options: Any) -> ReliabilityReport | None:
    return run_job(ReliabilityReport, job.pk, work, noun="The report", **options)


def test_a_job_claimed_by_another_worker_is_not_worked_on(job) -> None:
    leases.claim(ReliabilityReport, job.pk)
    called: list[object] = []
    assert run(job, lambda *given: called.append(given), cleanup=called.append) is None
    assert called == []
    assert (stored(job).status, stored(job).attempt) == (JobStatus.RUNNING, 1)


def test_a_refusal_fails_the_job_with_its_sentence(job) -> None:
    def refuse(report: ReliabilityReport, check: object) -> NoReturn:
        report.result = {"found": 1}
        raise Refused("Nobody rated yet.")

    run(job, refuse, failure_columns=("result",))
    row = stored(job)
    assert (row.status, row.message) == (JobStatus.FAILED, "Nobody rated yet.")
    assert row.result == {"found": 1}


def test_an_unexpected_error_fails_the_job_and_its_text_is_not_stored(job) -> None:
    with pytest.raises(ValueError):
        run(job, raising(ValueError("1. A secret cup.")))
    row = stored(job)
    assert row.status == JobStatus.FAILED
    assert row.message == "The report stopped on an unexpected error (ValueError)."


@pytest.mark.parametrize("error", [None, Refused("Too late."), ValueError("x")])
def test_a_worker_that_lost_its_lease_writes_nothing(job, error) -> None:
    written: list[object] = []

    def overtaken(*_: object) -> dict[str, Any]:
        ReliabilityReport.objects.update(owner="somebody else", message="At work.")
        if error:
            raise error
        return {"message": "Mine."}

    with suppress(ValueError):
        run(job, overtaken, on_success=written.append, on_failure=written.append)
    assert written == []
    assert (stored(job).status, stored(job).message) == (JobStatus.RUNNING, "At work.")
