import logging
import re
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.utils import timezone

from core.jobs import leases
from core.jobs.rows import JobStatus
from scoring.models import AgreementReport

pytestmark = pytest.mark.django_db
Logged = Callable[[Callable[[], object]], list[str]]


def expire(job: AgreementReport) -> None:
    past = timezone.now() - timedelta(seconds=1)
    AgreementReport.objects.filter(pk=job.pk).update(lease_until=past)


def status_of(job: AgreementReport) -> str:
    return AgreementReport.objects.get(pk=job.pk).status


def claimed(job: AgreementReport) -> AgreementReport:
    found = leases.claim(AgreementReport, job.pk)
    assert found is not None
    return found


def test_the_old_owner_of_an_expired_lease_changes_nothing(job) -> None:
    old = claimed(job)
    expire(job)
    new = claimed(job)
    assert new.attempt == 2
    with pytest.raises(leases.LostLease):
        leases.renew_lease(old, progress=0.9)
    with pytest.raises(leases.LostLease):
        leases.close(old, JobStatus.SUCCEEDED)
    assert status_of(job) == JobStatus.RUNNING
    leases.close(new, JobStatus.SUCCEEDED)
    assert status_of(job) == JobStatus.SUCCEEDED


def test_a_final_job_is_neither_claimed_nor_cancelled(job) -> None:
    leases.close(claimed(job), JobStatus.FAILED, message="why")
    assert leases.claim(AgreementReport, job.pk) is None
    assert leases.request_cancel(job) is False
    assert status_of(job) == JobStatus.FAILED


def test_cancelling_a_queued_job_ends_it_at_once(job) -> None:
    assert leases.request_cancel(job)
    assert status_of(job) == JobStatus.CANCELLED
    assert leases.claim(AgreementReport, job.pk) is None


def test_a_running_job_learns_of_its_cancellation_at_the_next_renewal(job) -> None:
    mine = claimed(job)
    assert leases.request_cancel(job)
    with pytest.raises(leases.LostLease):
        leases.renew_lease(mine)
    leases.settle_cancelled(mine)
    assert status_of(job) == JobStatus.CANCELLED


def test_a_job_that_waits_for_a_day_is_enqueued_ever_less_often_but_every_five_minutes(
    job, monkeypatch
) -> None:
    job.refresh_from_db()
    ages = [*range(0, 600, 10), *range(600, 86_400, 150)]
    enqueued = []
    for age in ages:
        now = job.created_at + timedelta(seconds=age)
        monkeypatch.setattr(leases, "database_now", lambda now=now: now)
        enqueued += [age] * len(list(leases.jobs_to_enqueue(AgreementReport)))
    assert enqueued[:8] == [0, 10, 20, 40, 80, 160, 320, 750]
    assert {later - age for age, later in pairwise(enqueued[7:])} == {300}
    assert len(enqueued) == 293


def test_of_two_sweepers_that_find_a_job_at_once_one_enqueues_it(job, monkeypatch) -> None:
    AgreementReport.objects.update(rung_at=timezone.now() - timedelta(hours=1))
    pause = leases._pause
    others: list[UUID] = []

    def meanwhile(*given: Any) -> timedelta:
        monkeypatch.undo()
        others.extend(leases.jobs_to_enqueue(AgreementReport))
        return pause(*given)

    monkeypatch.setattr(leases, "_pause", meanwhile)
    assert (list(leases.jobs_to_enqueue(AgreementReport)), others) == ([], [job.pk])


@pytest.mark.parametrize(
    ("status", "due_ago", "lapsed_ago", "announced_ago", "is_enqueued"),
    [
        ("queued", 86_400, None, 60, False),
        ("queued", 11, None, 11, True),  # a checked import that is to be stored now
        ("queued", 11, None, 9, False),
        ("queued", -60, None, 600, False),
        ("running", 86_400, 1, 60, True),
        ("running", 86_400, 60, 20, False),
        ("running", 86_400, -1, 600, False),
    ],
)
def test_a_job_that_waits_anew_is_enqueued_as_a_new_one(
    job, status, due_ago, lapsed_ago, announced_ago, is_enqueued
) -> None:
    now = timezone.now()
    AgreementReport.objects.update(
        status=status,
        created_at=now - timedelta(days=1),
        due_at=now - timedelta(seconds=due_ago),
        lease_until=None if lapsed_ago is None else now - timedelta(seconds=lapsed_ago),
        rung_at=now - timedelta(seconds=announced_ago),
    )
    assert bool(leases.jobs_to_enqueue(AgreementReport)) is is_enqueued


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture, django_capture_on_commit_callbacks: Any) -> Logged:
    """Give what does something, commits it, and returns what was logged, warnings marked by "!"."""
    caplog.set_level(logging.INFO, logger="annotator.jobs")

    def after(deed: Callable[[], object]) -> list[str]:
        caplog.clear()
        with django_capture_on_commit_callbacks(execute=True):
            deed()
        return [
            re.sub(r"(?<=seconds=)[\d.]+", "N", one.getMessage())
            + "!" * (one.levelno == logging.WARNING)
            for one in caplog.records
        ]

    return after


def test_a_job_is_logged_once_when_it_starts_and_once_when_it_ends(job, logged, caplog) -> None:
    mine: list[Any] = []
    named = f"kind=agreementreport key={job.pk} attempt=1"
    found = logged(lambda: mine.append(leases.claim(AgreementReport, job.pk)))
    assert found == [f"job started {named}"]
    mine[0].started_at -= timedelta(hours=1)
    found = logged(lambda: leases.close(mine[0], JobStatus.SUCCEEDED))
    assert found == [f"job succeeded {named} seconds=N"]
    facts = caplog.records[0].__dict__["job"]
    assert (facts["status"], facts["key"]) == ("succeeded", str(job.pk))
    assert 3600 <= facts["seconds"] < 7200
    # Announced once more.
    assert logged(lambda: leases.claim(AgreementReport, job.pk)) == []


def test_an_end_that_is_undone_is_not_logged_and_a_failure_by_its_kind_alone(job, logged) -> None:
    mine = claimed(job)

    def fail() -> None:
        try:
            with transaction.atomic():
                leases.close(mine, JobStatus.SUCCEEDED)
                raise KeyError("1. A cup.")
        except KeyError:
            leases.close(mine, JobStatus.FAILED, message="why")

    assert logged(fail) == [
        f"job failed kind=agreementreport key={job.pk} attempt=1 seconds=N error=KeyError"
    ]


def test_who_lost_a_job_logs_no_end_of_it_and_who_cancels_it_one(job, logged) -> None:
    old = claimed(job)
    expire(job)
    new = claimed(job)
    leases.request_cancel(job)
    assert logged(lambda: leases.settle_cancelled(old)) == []
    for lines in ([f"job cancelled kind=agreementreport key={job.pk} attempt=2 seconds=N"], []):
        assert logged(lambda: leases.settle_cancelled(new)) == lines


@pytest.mark.parametrize("is_cancelled", [True, False])
def test_the_end_of_a_job_whose_worker_died_is_a_warning(job, logged, is_cancelled) -> None:
    leases.claim(AgreementReport, job.pk)
    expire(job)
    assert leases.settle_stranded(AgreementReport) == 0
    AgreementReport.objects.update(
        attempt=AgreementReport.most_attempts, cancel_requested=is_cancelled
    )
    status = "cancelled" if is_cancelled else "failed"
    named = f"kind=agreementreport key={job.pk} attempt=5 seconds=N error=LostLease!"
    assert logged(lambda: leases.settle_stranded(AgreementReport)) == [f"job {status} {named}"]
    assert status_of(job) == status
    assert logged(lambda: leases.settle_stranded(AgreementReport)) == []
