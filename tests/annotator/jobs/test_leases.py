"""Who owns a job row, and who may no longer write."""

from datetime import timedelta

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
