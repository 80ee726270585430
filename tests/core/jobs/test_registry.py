"""Ringing for jobs, and sweeping those that nobody heard."""

from typing import Any

import pytest
from django.db import transaction

from core.jobs import registry
from scoring.models import AgreementReport
from tests.core.jobs.conftest import make_job
from tests.faults import raising

pytestmark = pytest.mark.django_db(transaction=True)


def bells() -> dict[Any, Any]:
    return registry._enqueuers


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    heard: list[object] = []
    monkeypatch.setitem(bells(), AgreementReport, heard.append)
    return heard


def test_a_job_is_rung_only_after_its_row_is_committed(rung) -> None:
    with transaction.atomic():
        job = make_job()
        registry.enqueue_on_commit(job)
        assert rung == []
    assert rung == [job.pk]


def test_a_broker_that_is_down_fails_nobody_and_the_sweep_rings_later(rung, monkeypatch) -> None:
    with monkeypatch.context() as patched:
        patched.setitem(bells(), AgreementReport, raising(ConnectionError()))
        with transaction.atomic():
            job = make_job()
            registry.enqueue_on_commit(job)
        assert registry.sweep() == 0
    AgreementReport.objects.update(rung_at=None)
    assert registry.sweep() == 1
    assert rung == [job.pk]
