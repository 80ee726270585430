"""A heartbeat keeps a lease, tells what the work has come to, and says when the lease is gone."""

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
def beats(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[dict[str, Any]]:
    """Give what each beat writes, four of them a second; none reaches the database."""
    settings.JOB_LEASE_SECONDS = 1
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(module, "renew_lease", lambda row, **fields: found.append(fields))
    return found


def wait_until(fact: Any) -> None:
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not fact():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_each_beat_writes_what_the_work_has_come_to(beats) -> None:
    done = [0.25]
    with heartbeat(ClaimImport(), lambda: {"progress": done[0]}):
        wait_until(lambda: beats)
        done[0] = 0.5
        wait_until(lambda: {"progress": 0.5} in beats)
    assert beats[0] == {"progress": 0.25}


def test_without_progress_a_beat_only_keeps_the_lease(beats) -> None:
    with heartbeat(ClaimImport()):
        wait_until(lambda: beats)
    assert beats[0] == {}


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
    beaten: list[int] = []

    def beat(row: object) -> None:
        beaten.append(1)
        if len(beaten) == 1:
            raise OperationalError("database is locked")

    monkeypatch.setattr(module, "renew_lease", beat)
    with heartbeat(ClaimImport()) as still_ours:
        wait_until(lambda: len(beaten) > 1)
        still_ours()
