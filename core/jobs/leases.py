"""Claim, renew, close and sweep: how a worker owns a job row and how it loses it.

A claim is fenced by a token that is unique per claim, not by the attempt number: a process frozen
between its UPDATE and the read that follows would otherwise adopt the next owner's number.
"""

import logging
import sys
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from core.clock import database_now
from core.errors import Unreachable
from core.jobs.endings import note_ending
from core.jobs.rows import DUE, JobRow, JobStatus

logger = logging.getLogger("annotator.jobs")
Row = TypeVar("Row", bound=JobRow)
# A job behind a training of a day is enqueued some 300 times, not 8,640; a broker that lost its
# messages has each again before doctor says that none is taken.
LEAST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(minutes=5)


class LostLease(Exception):
    """The job was cancelled or belongs to another worker now: stop at once and write nothing."""


def lease_length() -> timedelta:
    return timedelta(seconds=settings.JOB_LEASE_SECONDS)


def claim(model: type[Row], pk: uuid.UUID | str) -> Row | None:
    """Take a job that is queued, or running with its lease run out; None when it is not to be had.

    One UPDATE decides, so duplicate or late messages are harmless on every database.
    """
    token = uuid.uuid4().hex
    free = Q(DUE, status=JobStatus.QUEUED) | Q(status=JobStatus.RUNNING, lease_until__lt=Now())
    model._default_manager.filter(free, pk=pk, cancel_requested=False).update(
        status=JobStatus.RUNNING,
        owner=token,
        attempt=F("attempt") + 1,
        lease_until=database_now() + lease_length(),
        started_at=Now(),
        # That it waits for a worker, or why its last attempt failed.
        message="",
    )
    row = model._default_manager.filter(pk=pk, owner=token).first()
    if row is not None:
        _log_outcome(row, "started")
    return row


def renew_lease(row: JobRow, **fields: Any) -> None:
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

    Call it inside the transaction that writes the job's effects: this is the fence. A failure is
    closed where its error is handled, whose kind the log holds.
    """
    error = type(sys.exception()) if status == JobStatus.FAILED else None
    if not _end(row, status, error=error, **fields):
        raise LostLease


def _end(
    row: JobRow, status: JobStatus, *where: Q, error: type | None = None, **fields: Any
) -> bool:
    """Write the final state of a job that still runs for who owned it; return whether it did."""
    now = database_now()
    rows = type(row)._default_manager.filter(*where, pk=row.pk, owner=row.owner)
    with transaction.atomic():
        ended = {"status": status, "finished_at": now, "lease_until": None}
        if not rows.filter(status=JobStatus.RUNNING).update(**ended, **fields):
            return False
        note_ending(row, status)
    seconds = round((now - (row.started_at or now)).total_seconds(), 3)
    # A transaction that is undone has ended nothing.
    transaction.on_commit(lambda: _log_outcome(row, status.value, error, seconds=seconds))
    return True


def put_back(row: JobRow, pause: timedelta, **fields: Any) -> None:
    """Queue a running job of ours for a later time; raise LostLease when it is not ours."""
    rows = type(row)._default_manager.filter(
        pk=row.pk, owner=row.owner, status=JobStatus.RUNNING, cancel_requested=False
    )
    queued = {"status": JobStatus.QUEUED, "owner": "", "lease_until": None, "rung_at": None}
    if not rows.update(**queued, due_at=database_now() + pause, **fields):
        raise LostLease


def retry_later(row: JobRow, error: Unreachable) -> bool:
    """Queue a running job of ours for another attempt; return False where none is left.

    The pauses are 2, 4, 8 and 16 minutes. A job that was cancelled meanwhile ends.
    """
    if row.attempt >= row.most_attempts:
        return False
    pause = timedelta(minutes=2**row.attempt)
    minutes = int(pause.total_seconds()) // 60
    message = f"{error.sentence} This job is tried again in {minutes} minutes."
    with suppress(LostLease):
        put_back(row, pause, progress=0.0, message=message)
        _log_outcome(row, "queued", type(error))
    settle_cancelled(row)
    return True


def request_cancel(row: JobRow) -> bool:
    """Ask a job to stop: a queued one is cancelled at once, a running one at its next heartbeat."""
    rows = type(row)._default_manager.filter(pk=row.pk)
    if rows.filter(status=JobStatus.QUEUED).update(
        status=JobStatus.CANCELLED, cancel_requested=True, finished_at=Now(), message=""
    ):
        return True
    return bool(rows.filter(status=JobStatus.RUNNING).update(cancel_requested=True))


def settle_stranded(model: type[JobRow]) -> int:
    """End the jobs that nobody will end: cancelled ones left by their worker, and poison ones."""
    late = Q(lease_until__lt=Now())
    rows = model._default_manager.filter(late, status=JobStatus.RUNNING)
    rows = rows.only("owner", "attempt", "started_at")
    cancelled = [
        _end(row, JobStatus.CANCELLED, late, error=LostLease)
        for row in rows.filter(cancel_requested=True)
    ]
    message = f"Given up after {model.most_attempts} attempts; each worker that took it died."
    failed = [
        _end(row, JobStatus.FAILED, late, error=LostLease, message=message)
        for row in rows.filter(attempt__gte=model.most_attempts)
    ]
    return sum(cancelled + failed)


def jobs_to_enqueue(model: type[JobRow]) -> Iterable[uuid.UUID]:
    """Return the keys of jobs that wait for a worker and were not enqueued lately, and mark them.

    A job is left alone for as long as it had waited when last enqueued, within the pauses above:
    behind a long training its messages pile up, and it needs one.
    """
    now = database_now()
    waiting = Q(DUE, status=JobStatus.QUEUED) | Q(status=JobStatus.RUNNING, lease_until__lt=now)
    rows = model._default_manager
    found = rows.filter(waiting).only("status", "lease_until", "rung_at", "due_at")
    return [
        row.pk
        for row in found
        if (row.rung_at is None or now - row.rung_at >= _pause(row, row.rung_at))
        and rows.filter(pk=row.pk, rung_at=row.rung_at).update(rung_at=now)
    ]


def _pause(row: JobRow, rung_at: datetime) -> timedelta:
    since = row.lease_until if row.status == JobStatus.RUNNING else row.due_at
    return _within_pauses(rung_at - since) if since else LEAST_PAUSE


def _within_pauses(waited: timedelta) -> timedelta:
    return min(max(waited, LEAST_PAUSE), LONGEST_PAUSE)


def settle_cancelled(row: JobRow) -> None:
    """Put a job of ours that was asked to stop into its final state, if it is still ours."""
    _end(row, JobStatus.CANCELLED, Q(cancel_requested=True), message="")


def _log_outcome(row: JobRow, status: str, error: type | None = None, **facts: float) -> None:
    """Log what became of a job by ids and codes: the text of an error may quote claims."""
    data: dict[str, Any] = {"kind": row.kind(), "key": str(row.pk), "attempt": row.attempt} | facts
    if error:
        data["error"] = error.__name__
    text = " ".join(f"{name}={value}" for name, value in data.items())
    # A job that lost its worker is ended by the sweeper, which logs nothing below a warning.
    level = logging.WARNING if error is LostLease else logging.INFO
    logger.log(level, "job %s %s", status, text, extra={"job": {"status": status} | data})


@contextmanager
def heartbeat(
    row: JobRow, progress: Callable[[], dict[str, Any]] = dict
) -> Iterator[Callable[[], None]]:
    """Renew four times a lease; yield a function that raises LostLease once the lease is gone.

    `progress` gives columns that each heartbeat writes along: this thread is outside a transaction
    in which the work may be.
    """
    stop = threading.Event()
    lost = threading.Event()

    def run() -> None:
        try:
            while not stop.wait(lease_length().total_seconds() / 4):
                try:
                    renew_lease(row, **progress())
                except LostLease:
                    lost.set()
                    return
                except OperationalError:
                    continue  # a busy database is no lost lease: the next heartbeat decides
        finally:
            connection.close()

    def check() -> None:
        if lost.is_set():
            raise LostLease

    thread = threading.Thread(target=run, daemon=True, name=f"heartbeat-{row.pk}")
    thread.start()
    try:
        yield check
    finally:
        stop.set()
        thread.join()
