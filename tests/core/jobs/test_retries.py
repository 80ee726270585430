"""A job that needs something unreachable is tried again a few times."""

from datetime import timedelta
from typing import Any, NoReturn

import pytest
from django.db.models import F
from django.utils import timezone

from core.errors import Unreachable
from core.jobs import leases
from core.jobs.rows import JobStatus
from core.jobs.running import run_job
from scoring.models import AgreementReport
from tests.faults import raising

pytestmark = pytest.mark.django_db
AWAY = Unreachable("The storage bucket does not answer.")


@pytest.fixture(autouse=True)
def no_heartbeat_is_due(settings: Any) -> None:
    # Its own connection does not see a test's open transaction.
    settings.JOB_LEASE_SECONDS = 3600


def run(job: AgreementReport, work: Any, **options: Any) -> AgreementReport:
    run_job(AgreementReport, job.pk, work, noun="The report", **options)
    return AgreementReport.objects.get(pk=job.pk)


def pass_time(minutes: int) -> None:
    AgreementReport.objects.update(due_at=F("due_at") - timedelta(minutes=minutes))


def test_the_attempt_fails_with_a_sentence_and_the_job_is_tried_again(job) -> None:
    row = run(job, raising(AWAY))
    assert (row.status, row.attempt, row.owner) == (JobStatus.QUEUED, 1, "")
    assert row.is_retried
    assert row.message == (
        "The storage bucket does not answer. This job is tried again in 2 minutes."
    )
    assert leases.claim(AgreementReport, job.pk) is None
    pass_time(2)
    assert list(leases.jobs_to_enqueue(AgreementReport)) == [job.pk]

    row = run(job, lambda *_: {"message": "Done."})

    assert (row.status, row.attempt, row.message) == (JobStatus.SUCCEEDED, 2, "Done.")


def test_the_last_attempt_fails_the_job(job) -> None:
    failed: list[object] = []
    pauses = []
    for _ in range(AgreementReport.most_attempts - 1):
        row = run(job, raising(AWAY), on_failure=failed.append)
        pauses.append(round((row.due_at - timezone.now()).total_seconds() / 60))
        pass_time(pauses[-1])
    assert (pauses, failed) == ([2, 4, 8, 16], [])

    row = run(job, raising(AWAY), on_failure=failed.append)

    assert (row.status, row.message) == (JobStatus.FAILED, str(AWAY))
    assert len(failed) == 1


def test_a_job_that_was_cancelled_meanwhile_is_not_tried_again(job) -> None:
    def cancelled(*_: object) -> NoReturn:
        leases.request_cancel(job)
        raise AWAY

    row = run(job, cancelled)
    assert (row.status, row.message) == (JobStatus.CANCELLED, "")


def test_a_job_that_another_worker_has_taken_over_is_left_alone(job) -> None:
    def overtaken(*_: object) -> NoReturn:
        AgreementReport.objects.update(owner="somebody else", message="At work.")
        raise AWAY

    row = run(job, overtaken)
    assert (row.status, row.message) == (JobStatus.RUNNING, "At work.")
