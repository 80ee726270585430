"""Runs one job: claims it, renews its lease during the work, and puts it into a final state."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.db import transaction

from core.errors import Refused, Unreachable
from core.jobs import leases
from core.jobs.leases import LostLease, Row
from core.jobs.rows import JobStatus
from patclaimeval.files import why_stopped


def run_job(
    model: type[Row],
    pk: UUID | str,
    work: Callable[[Row, Callable[[], None]], dict[str, Any] | None],
    *,
    noun: str,
    on_success: Callable[[Row], object] = lambda job: None,
    on_failure: Callable[[Row], object] = lambda job: None,
    cleanup: Callable[[Row], object] = lambda job: None,
    refusals: tuple[type[Exception], ...] = (),
    heartbeat_columns: Sequence[str] = (),
    failure_columns: Sequence[str] = (),
) -> Row | None:
    """Claim a queued job or one whose lease expired, do its work, and close it.

    Returns the job if this call claimed it, else None.

    `work(job, check)` runs under a heartbeat; `check` raises LostLease once the lease is gone. It
    returns the columns of a success, or None where it closed the job in a transaction of its own.
    Unreachable queues the job for another attempt. Refused, each of `refusals`, and Unreachable in
    the last attempt fail the job with the error's text. Any other error fails it with a sentence
    that begins with `noun`, and is raised again.

    `on_success` and `on_failure` are called in the transaction that closes the job, `cleanup` last,
    however the work ended. Columns that the work updates on `job` are stored by each
    heartbeat (`heartbeat_columns`) or with a failure (`failure_columns`).
    """
    job = leases.claim(model, pk)
    if job is None:
        return None

    expected: tuple[type[Exception], ...] = (Refused, *refusals)

    def current(names: Sequence[str]) -> dict[str, Any]:
        return {name: getattr(job, name) for name in names}

    def fail(sentence: str) -> None:
        # A lost lease means that another worker owns the job now: nothing of ours is written.
        with suppress(LostLease), transaction.atomic():
            leases.close(job, JobStatus.FAILED, message=sentence, **current(failure_columns))
            on_failure(job)

    try:
        with leases.heartbeat(job, lambda: current(heartbeat_columns)) as check:
            outcome = work(job, check)
        if outcome is not None:
            done = {"progress": 1.0, "message": ""} | outcome
            with transaction.atomic():
                leases.close(job, JobStatus.SUCCEEDED, **done)
                on_success(job)
    except LostLease:
        leases.settle_cancelled(job)
    except Exception as error:
        if isinstance(error, Unreachable) and leases.retry_later(job, error):
            pass
        elif isinstance(error, expected):
            fail(str(error))
        else:
            fail(why_stopped(noun, error))
            raise
    finally:
        cleanup(job)
    return job
