import time
from typing import Any

import pytest
from django.db import OperationalError

from annotator.models import ClaimImport
from core.jobs import leases as module
from core.jobs.leases import LostLease, heartbeat
from tests.faults import raising

LONGEST_WAIT_SECONDS = 20


@pytest.fixture
def renewals(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[dict[str, Any]]:
    """Give what each heartbeat writes, four of them a second; none reaches the database."""
    settings.JOB_LEASE_SECONDS = 1
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(module, "renew_lease", lambda row, **fields: found.append(fields))
    return found


def wait_until(fact: Any) -> None:
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not fact():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_each_heartbeat_writes_what_the_work_has_come_to(renewals) -> None:
    done = [0.25]
    with heartbeat(ClaimImport(), lambda: {"progress": done[0]}):
        wait_until(lambda: renewals)
        done[0] = 0.5
        wait_until(lambda: {"progress": 0.5} in renewals)
    assert renewals[0] == {"progress": 0.25}


def test_without_progress_a_heartbeat_only_renews_the_lease(renewals) -> None:
    with heartbeat(ClaimImport()):
        wait_until(lambda: renewals)
    assert renewals[0] == {}


def test_a_lost_lease_is_raised_where_the_work_asks(monkeypatch, settings) -> None:
    settings.JOB_LEASE_SECONDS = 1
    monkeypatch.setattr(module, "renew_lease", raising(LostLease()))

    def is_lost() -> bool:
        try:
            still_ours()
        except LostLease:
            return True
        return False

    with heartbeat(ClaimImport()) as still_ours:
        wait_until(is_lost)


def test_a_busy_database_is_no_lost_lease(monkeypatch, settings) -> None:
    settings.JOB_LEASE_SECONDS = 1
    calls: list[int] = []

    def renew(row: object) -> None:
        calls.append(1)
        if len(calls) == 1:
            raise OperationalError("database is locked")

    monkeypatch.setattr(module, "renew_lease", renew)
    with heartbeat(ClaimImport()) as still_ours:
        wait_until(lambda: len(calls) > 1)
        still_ours()
