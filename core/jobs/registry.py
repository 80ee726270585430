"""Registry of job types and their Celery tasks; each package registers its own at start."""

import logging
from collections.abc import Callable
from uuid import UUID

from django.db import transaction

from core.errors import Unreachable
from core.jobs.leases import jobs_to_enqueue, settle_stranded
from core.jobs.rows import JobRow

logger = logging.getLogger("annotator.jobs")
Enqueue = Callable[[UUID], object]
_enqueuers: dict[type[JobRow], Enqueue] = {}
_tidying: list[Callable[[], int]] = []
_tidying_of_hosts: list[Callable[[], int]] = []


def register(model: type[JobRow], enqueue: Enqueue) -> None:
    """Register the task of a job type, which takes the row's key."""
    _enqueuers[model] = enqueue


def kinds_of_jobs() -> tuple[type[JobRow], ...]:
    """Return the models of all kinds of jobs."""
    return tuple(_enqueuers)


def register_tidying(delete: Callable[[], int], *, on_each_host: bool = False) -> None:
    """Register what the sweeper does now and then: delete what is old, ask for what is due.

    With `on_each_host`, workers do it, too, because nobody else reaches their data directories.
    """
    _tidying.append(delete)
    if on_each_host:
        _tidying_of_hosts.append(delete)


def tidy(*, only_host: bool = False) -> int:
    """Do what both packages have registered; return how many rows and folders that touched.

    What cannot be reached now keeps nothing else from being done.
    """
    count = 0
    for delete in _tidying_of_hosts if only_host else _tidying:
        try:
            count += delete()
        except Unreachable as error:
            logger.warning("not tidied: %s", error.sentence)
    return count


def enqueue_on_commit(row: JobRow) -> None:
    """Enqueue a job once its row is committed; a broker that is down fails no request.

    The row then waits for the sweep, which enqueues it again.
    """
    enqueue = _enqueuers[type(row)]
    transaction.on_commit(lambda: enqueue(row.pk), robust=True)


def sweep() -> int:
    """Enqueue every job that waits unclaimed, end those nobody will end; return how many.

    A broker that is down is no error here: the rows stay, and the next sweep enqueues them again.
    """
    enqueued = 0
    for model, enqueue in _enqueuers.items():
        settle_stranded(model)
        for pk in jobs_to_enqueue(model):
            try:
                enqueue(pk)
                enqueued += 1
            except Exception as error:  # noqa: BLE001 - each broker fails in its own way
                logger.warning("cannot enqueue %s %s: %s", model.kind(), pk, type(error).__name__)
    return enqueued
