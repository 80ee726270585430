"""Claim, beat, close and sweep: how a worker owns a job row and how it loses it.

A claim is fenced by a token that is unique per claim, not by the attempt number: a process frozen
between its UPDATE and the read that follows would otherwise adopt the next owner's number.
"""

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import F, Q
from django.db.models.functions import Now

from annotator.clock import database_now
from annotator.jobs.rows import JobRow, JobStatus

Row = TypeVar("Row", bound=JobRow)
MOST_ATTEMPTS = 5
# A job behind a training of a day is rung some 300 times, not 8,640; a broker that lost its
# messages has each again before doctor says that none is taken.
LEAST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(minutes=5)


class LostLease(Exception):
    """The job was cancelled or belongs to another worker now: stop at once and write nothing."""


def lease_length() -> timedelta:
    return timedelta(seconds=settings.JOB_LEASE_SECONDS)


def claim(model: type[Row], pk: uuid.UUID | str) -> Row | None:
    """Take a job that is queued, or running with its lease run out; None when it is not to be had.

    One UPDATE decides, so duplicate or late bells are harmless on every database.
    """
    token = uuid.uuid4().hex
    free = Q(status=JobStatus.QUEUED) | Q(status=JobStatus.RUNNING, lease_until__lt=Now())
    model._default_manager.filter(free, pk=pk, cancel_requested=False).update(
        status=JobStatus.RUNNING,
        owner=token,
        attempt=F("attempt") + 1,
        lease_until=database_now() + lease_length(),
        started_at=Now(),
    )
    return model._default_manager.filter(pk=pk, owner=token).first()


def beat(row: JobRow, **fields: Any) -> None:
    """Extend the lease and write progress in one UPDATE; raise LostLease when it is not ours."""
    changed = (
        type(row)
        ._default_manager.filter(
            pk=row.pk, owner=row.owner, status=JobStatus.RUNNING, cancel_requested=False
        )
        .update(lease_until=database_now() + lease_length(), **fields)
    )
    if not changed:
        raise LostLease


def close(row: JobRow, status: JobStatus, **fields: Any) -> None:
    """Put a running job of ours into a final state; raise LostLease when it is not ours.

    Call it inside the transaction that writes the job's effects: this is the fence.
    """
    changed = (
        type(row)
        ._default_manager.filter(pk=row.pk, owner=row.owner, status=JobStatus.RUNNING)
        .update(status=status, finished_at=Now(), lease_until=None, **fields)
    )
    if not changed:
        raise LostLease


def request_cancel(row: JobRow) -> bool:
    """Ask a job to stop: a queued one is cancelled at once, a running one at its next beat."""
    rows = type(row)._default_manager.filter(pk=row.pk)
    if rows.filter(status=JobStatus.QUEUED).update(
        status=JobStatus.CANCELLED, cancel_requested=True, finished_at=Now()
    ):
        return True
    return bool(rows.filter(status=JobStatus.RUNNING).update(cancel_requested=True))


def settle_stranded(model: type[JobRow]) -> int:
    """End the jobs that nobody will end: cancelled ones left by their worker, and poison ones."""
    rows = model._default_manager
    late = Q(status=JobStatus.RUNNING, lease_until__lt=Now())
    cancelled = rows.filter(late, cancel_requested=True).update(
        status=JobStatus.CANCELLED, finished_at=Now(), lease_until=None
    )
    failed = rows.filter(late, attempt__gte=MOST_ATTEMPTS).update(
        status=JobStatus.FAILED,
        finished_at=Now(),
        lease_until=None,
        message=f"Given up after {MOST_ATTEMPTS} attempts; each worker that took it died.",
    )
    return cancelled + failed


def to_ring(model: type[JobRow]) -> Iterable[uuid.UUID]:
    """Return the keys of jobs that wait for a worker and were not rung lately, and mark them.

    A job is left alone for as long as it had waited when it was rung last, within the pauses above:
    behind a long training its messages pile up, and it needs one.
    """
    now = database_now()
    waiting = Q(status=JobStatus.QUEUED) | Q(status=JobStatus.RUNNING, lease_until__lt=now)
    rows = model._default_manager
    found = rows.filter(waiting).only(
        *("status", "lease_until", "rung_at", "created_at", "started_at")
    )
    return [
        row.pk
        for row in found
        if (row.rung_at is None or now - row.rung_at >= _pause(row, row.rung_at))
        and rows.filter(pk=row.pk, rung_at=row.rung_at).update(rung_at=now)
    ]


def _pause(row: JobRow, rung_at: datetime) -> timedelta:
    since = row.lease_until if row.status == JobStatus.RUNNING else row.created_at
    if since is None or (row.status == JobStatus.QUEUED and row.started_at is not None):
        return LEAST_PAUSE  # queued again, and no column says since when
    return min(max(rung_at - since, LEAST_PAUSE), LONGEST_PAUSE)


def settle_cancelled(row: JobRow) -> None:
    """Put a job of ours that was asked to stop into its final state, if it is still ours."""
    type(row)._default_manager.filter(
        pk=row.pk, owner=row.owner, status=JobStatus.RUNNING, cancel_requested=True
    ).update(
        status=JobStatus.CANCELLED,
        finished_at=Now(),
        lease_until=None,
        message="Cancelled.",
    )
