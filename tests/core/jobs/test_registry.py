from typing import Any

import pytest
from django.db import transaction

from core.jobs import registry
from scoring.models import AgreementReport
from tests.core.jobs.conftest import make_job
from tests.faults import raising

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    keys: list[object] = []
    enqueuers: dict[Any, Any] = registry._enqueuers
    monkeypatch.setitem(enqueuers, AgreementReport, keys.append)
    return keys


def test_a_job_is_enqueued_only_after_its_row_is_committed(enqueued) -> None:
    with transaction.atomic():
        job = make_job()
        registry.enqueue_on_commit(job)
        assert enqueued == []
    assert enqueued == [job.pk]


def test_a_broker_that_is_down_fails_nobody_and_the_sweep_enqueues_later(
    enqueued, monkeypatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setitem(registry._enqueuers, AgreementReport, raising(ConnectionError()))
        with transaction.atomic():
            job = make_job()
            registry.enqueue_on_commit(job)
        assert registry.sweep() == 0
    AgreementReport.objects.update(rung_at=None)
    assert registry.sweep() == 1
    assert enqueued == [job.pk]
