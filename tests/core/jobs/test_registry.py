"""Enqueuing jobs, and sweeping those whose message was lost."""

from typing import Any

import pytest
from django.db import transaction

from core.jobs import registry
from scoring.models import AgreementReport, Dataset, DatasetVersion

pytestmark = pytest.mark.django_db(transaction=True)


def enqueuers() -> dict[Any, Any]:
    return registry._enqueuers


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    found: list[object] = []
    monkeypatch.setitem(enqueuers(), AgreementReport, found.append)
    return found


def make_job() -> AgreementReport:
    version = DatasetVersion.objects.create(
        dataset=Dataset.objects.create(name="tiny"), number=1, sha256="0" * 64, items=0, card={}
    )
    return AgreementReport.objects.create(
        dataset_version=version, criterion="x", scorers=[], split="all", tie_threshold=0
    )


def test_a_job_is_enqueued_only_after_its_row_is_committed(enqueued) -> None:
    with transaction.atomic():
        job = make_job()
        registry.enqueue_on_commit(job)
        assert enqueued == []
    assert enqueued == [job.pk]


def test_a_broker_that_is_down_fails_nobody_and_the_sweep_enqueues_later(
    enqueued, monkeypatch
) -> None:
    def down(pk: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as patched:
        patched.setitem(enqueuers(), AgreementReport, down)
        with transaction.atomic():
            job = make_job()
            registry.enqueue_on_commit(job)
        assert registry.sweep() == 0
    AgreementReport.objects.update(rung_at=None)
    assert registry.sweep() == 1
    assert enqueued == [job.pk]
