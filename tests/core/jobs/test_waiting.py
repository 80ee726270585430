"""A job whose work cannot reach something waits and is tried again."""

import logging
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any, NoReturn

import pytest
from django.db.models import F
from django.utils import timezone

from core.errors import Unreachable
from core.jobs import leases
from core.jobs.rows import UNREACHED, JobStatus
from core.jobs.running import run_job
from scoring.models import AgreementReport
from tests.faults import raising

pytestmark = pytest.mark.django_db
AWAY = Unreachable("The store does not answer.")
Work = Callable[..., dict[str, Any] | None]


@pytest.fixture(autouse=True)
def no_heartbeat_is_due(settings: Any) -> None:
    # Its own connection does not see a test's open transaction.
    settings.JOB_LEASE_SECONDS = 3600


def run(job: AgreementReport, work: Work, **options: Any) -> AgreementReport:
    run_job(AgreementReport, job.pk, work, noun="The report", **options)
    return AgreementReport.objects.get(pk=job.pk)


def pass_time(seconds: int) -> None:
    """Let time go by: all times of the job lie so much longer ago."""
    some = timedelta(seconds=seconds)
    names = ("due_at", "unreached_at", "created_at", "rung_at")
    AgreementReport.objects.update(**{name: F(name) - some for name in names})


def test_what_cannot_be_reached_is_waited_for_and_told(job, caplog) -> None:
    caplog.set_level(logging.INFO, logger="annotator.jobs")
    failed: list[object] = []
    row = run(job, raising(AWAY), on_failure=failed.append, on_success=failed.append)
    assert (row.status, row.attempt, row.owner, failed) == (JobStatus.QUEUED, 0, "", [])
    assert row.is_unreached
    assert row.message == (
        f"Waiting since {row.unreached_at:%Y-%m-%d %H:%M} UTC: The store does not answer. "
        "It goes on by itself; there is no need to ask again."
    )
    assert caplog.messages[-1] == (
        f"job waiting kind=agreementreport key={job.pk} attempt=1 error=Unreachable"
    )


def test_it_is_tried_again_ever_less_often_but_every_five_minutes_and_never_given_up(job) -> None:
    pauses = []
    for _ in range(AgreementReport.most_attempts + 4):
        row = run(job, raising(AWAY))
        pauses.append(round((row.due_at - timezone.now()).total_seconds()))
        assert list(leases.jobs_to_enqueue(AgreementReport)) == []
        assert leases.claim(AgreementReport, job.pk) is None
        pass_time(pauses[-1] - 2)
        assert list(leases.jobs_to_enqueue(AgreementReport)) == []
        pass_time(3)
        assert list(leases.jobs_to_enqueue(AgreementReport)) == [job.pk]
    assert pauses[:2] == [10, 11]
    assert {round(later / pause) for pause, later in pairwise(pauses[1:6])} == {2}
    assert pauses[-2:] == [300, 300]
    assert leases.settle_stranded(AgreementReport) == 0
    row = run(job, lambda *_: {"message": "Done."})
    assert (row.status, row.attempt, row.message) == (JobStatus.SUCCEEDED, 1, "Done.")
    assert row.unreached_at is None


def test_it_says_since_when_it_waits_however_often_it_was_tried(job) -> None:
    first = run(job, raising(AWAY))
    AgreementReport.objects.update(unreached_at=F("unreached_at") - timedelta(hours=2))
    pass_time(60)
    again = run(job, raising(Unreachable("No room.")))
    assert first.unreached_at is not None
    since = first.unreached_at - timedelta(hours=2, seconds=60)
    assert again.unreached_at == since
    assert again.message.startswith(f"Waiting since {since:%Y-%m-%d %H:%M} UTC: No room.")


def test_while_it_is_tried_again_it_does_not_say_that_it_waits(job) -> None:
    run(job, raising(AWAY))
    pass_time(60)
    seen = []

    def look(*_: object) -> dict[str, Any]:
        seen.append(AgreementReport.objects.get(pk=job.pk))
        return {}

    run(job, look)
    assert [(row.message, row.is_unreached) for row in seen] == [("", False)]


def test_one_that_waits_can_be_cancelled_and_waits_for_nothing_then(job) -> None:
    run(job, raising(AWAY))
    assert leases.request_cancel(job)
    row = AgreementReport.objects.get(pk=job.pk)
    assert (row.status, row.message, row.is_unreached) == (JobStatus.CANCELLED, "", False)


def test_one_that_was_cancelled_while_it_reached_for_something_does_not_wait(job) -> None:
    def cancelled(*_: object) -> NoReturn:
        leases.request_cancel(job)
        raise AWAY

    row = run(job, cancelled)
    assert (row.status, row.message) == (JobStatus.CANCELLED, "")


def test_who_lost_it_meanwhile_does_not_put_it_off(job) -> None:
    def overtaken(*_: object) -> NoReturn:
        AgreementReport.objects.update(owner="somebody else", message="At work.")
        raise AWAY

    row = run(job, overtaken)
    assert (row.status, row.message) == (JobStatus.RUNNING, "At work.")


def test_what_waits_is_found_until_it_ends(job) -> None:
    found = AgreementReport.objects.filter(UNREACHED)
    assert not found.exists()
    run(job, raising(AWAY))
    assert found.exists()
    pass_time(60)
    leases.claim(AgreementReport, job.pk)
    assert not found.exists()
