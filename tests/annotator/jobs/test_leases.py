"""Who owns a job row, and who may no longer write."""

from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from annotator.jobs import leases
from annotator.jobs.rows import JobStatus
from scoring.models import AgreementReport, Dataset, DatasetVersion

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]


@pytest.fixture
def job() -> AgreementReport:
    version = DatasetVersion.objects.create(
        dataset=Dataset.objects.create(name="tiny"), number=1, sha256="0" * 64, items=0, card={}
    )
    return AgreementReport.objects.create(
        dataset_version=version, criterion="x", scorers=[], split="all", tie_threshold=0
    )


def expire(job: AgreementReport) -> None:
    past = timezone.now() - timedelta(seconds=1)
    AgreementReport.objects.filter(pk=job.pk).update(lease_until=past)


def status_of(job: AgreementReport) -> str:
    return AgreementReport.objects.get(pk=job.pk).status


def test_a_queued_job_is_claimed_once(job: AgreementReport) -> None:
    assert leases.claim(AgreementReport, job.pk) is not None
    assert leases.claim(AgreementReport, job.pk) is None


def test_the_old_owner_of_an_expired_lease_changes_nothing(job: AgreementReport) -> None:
    old = leases.claim(AgreementReport, job.pk)
    expire(job)
    new = leases.claim(AgreementReport, job.pk)
    assert old is not None
    assert new is not None
    assert new.attempt == 2
    with pytest.raises(leases.LostLease):
        leases.beat(old, progress=0.9)
    with pytest.raises(leases.LostLease):
        leases.close(old, JobStatus.SUCCEEDED)
    assert status_of(job) == JobStatus.RUNNING
    leases.close(new, JobStatus.SUCCEEDED)
    assert status_of(job) == JobStatus.SUCCEEDED


def test_a_final_job_is_neither_claimed_nor_cancelled(job: AgreementReport) -> None:
    mine = leases.claim(AgreementReport, job.pk)
    assert mine is not None
    leases.close(mine, JobStatus.FAILED, message="why")
    assert leases.claim(AgreementReport, job.pk) is None
    assert leases.request_cancel(job) is False
    assert status_of(job) == JobStatus.FAILED


def test_cancelling_a_queued_job_ends_it_at_once(job: AgreementReport) -> None:
    assert leases.request_cancel(job)
    assert status_of(job) == JobStatus.CANCELLED
    assert leases.claim(AgreementReport, job.pk) is None


def test_a_running_job_learns_of_its_cancellation_at_the_next_beat(job: AgreementReport) -> None:
    mine = leases.claim(AgreementReport, job.pk)
    assert mine is not None
    assert leases.request_cancel(job)
    with pytest.raises(leases.LostLease):
        leases.beat(mine)
    leases.settle_cancelled(mine)
    assert status_of(job) == JobStatus.CANCELLED


def test_the_sweep_ends_a_cancelled_job_whose_worker_died(job: AgreementReport) -> None:
    leases.claim(AgreementReport, job.pk)
    leases.request_cancel(job)
    expire(job)
    assert leases.settle_stranded(AgreementReport) == 1
    assert status_of(job) == JobStatus.CANCELLED


def test_the_sweep_gives_up_after_the_last_attempt_and_says_so(job: AgreementReport) -> None:
    for _ in range(leases.MOST_ATTEMPTS):
        assert leases.claim(AgreementReport, job.pk) is not None
        expire(job)
    leases.settle_stranded(AgreementReport)
    row = AgreementReport.objects.get(pk=job.pk)
    assert row.status == JobStatus.FAILED
    assert "Given up" in row.message


def test_a_waiting_job_is_rung_and_not_rung_again_at_once(job: AgreementReport) -> None:
    assert leases.to_ring(AgreementReport) == [job.pk]
    assert leases.to_ring(AgreementReport) == []
    leases.claim(AgreementReport, job.pk)
    expire(job)
    AgreementReport.objects.update(rung_at=None)
    assert leases.to_ring(AgreementReport) == [job.pk]


def test_a_job_that_waits_for_a_day_is_rung_for_ever_less_often_but_every_five_minutes(
    job: AgreementReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    job.refresh_from_db()
    ages = [*range(0, 600, 10), *range(600, 86_400, 150)]
    rung = []
    for age in ages:
        now = job.created_at + timedelta(seconds=age)
        monkeypatch.setattr(leases, "database_now", lambda now=now: now)
        rung += [age] * len(list(leases.to_ring(AgreementReport)))
    assert rung[:8] == [0, 10, 20, 40, 80, 160, 320, 750]
    assert {later - age for age, later in pairwise(rung[7:])} == {300}
    assert len(rung) == 293


def test_of_two_sweepers_that_find_a_job_at_once_one_rings(
    job: AgreementReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    AgreementReport.objects.update(rung_at=timezone.now() - timedelta(hours=1))
    pause = leases._pause
    others: list[UUID] = []

    def meanwhile(*given: Any) -> timedelta:
        monkeypatch.undo()
        others.extend(leases.to_ring(AgreementReport))
        return pause(*given)

    monkeypatch.setattr(leases, "_pause", meanwhile)
    assert (list(leases.to_ring(AgreementReport)), others) == ([], [job.pk])


@pytest.mark.parametrize(
    ("status", "is_started", "lapsed_ago", "rung_ago", "is_rung"),
    [
        ("queued", False, None, 60, False),
        ("queued", True, None, 11, True),  # a checked import that is to be stored now
        ("queued", True, None, 9, False),
        ("running", True, 1, 60, True),
        ("running", True, 60, 20, False),
        ("running", True, -1, 600, False),
    ],
)
def test_a_job_that_waits_anew_is_rung_for_as_a_new_one(
    job: AgreementReport,
    status: str,
    is_started: bool,
    lapsed_ago: int | None,
    rung_ago: int,
    is_rung: bool,
) -> None:
    now = timezone.now()
    AgreementReport.objects.update(
        status=status,
        created_at=now - timedelta(days=1),
        started_at=now - timedelta(hours=1) if is_started else None,
        lease_until=None if lapsed_ago is None else now - timedelta(seconds=lapsed_ago),
        rung_at=now - timedelta(seconds=rung_ago),
    )
    assert bool(leases.to_ring(AgreementReport)) is is_rung
