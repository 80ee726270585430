"""The programs beside the web server: workers, the sweeper, the broker; and jobs that wait."""

from collections.abc import Iterator
from typing import Any, Final

from django.conf import settings
from kombu.exceptions import OperationalError

from annotator.celery import Queues, app
from annotator.clock import database_now
from annotator.health.findings import Finding, missing, ok, warning
from annotator.jobs.registry import kinds_of_jobs
from annotator.jobs.rows import JobStatus
from annotator.models import SWEEPER
from annotator.queries.presences import alive

PURPOSES: Final = {
    Queues.WEB: "imports, reports and freezes wait",
    Queues.GPU: "trainings and scores of models wait",
}
LONGEST_WAIT_MINUTES: Final = 10


def queues_without_worker() -> list[str]:
    """Return the queues that no living worker serves."""
    works = alive()
    return [queue.value for queue in Queues if not works[queue.value]]


def look_at_programs() -> Iterator[Finding]:
    """Say whether each queue has a worker, and whether the sweeper runs."""
    works = alive()
    for queue in Queues:
        part = f"worker of queue {queue.value}"
        if works[queue.value]:
            yield ok(part, f"{works[queue.value]} alive.")
        else:
            yield missing(
                part,
                f"None is alive: {PURPOSES[queue]}.",
                f"Start one: `celery -A annotator.celery worker -Q {queue.value} "
                f"-n {queue.value}@%h --concurrency 1`, or `make run` for all programs.",
            )
    if works[SWEEPER]:
        yield ok(SWEEPER, "Alive.")
    else:
        yield missing(
            SWEEPER,
            "It is not alive: leases do not lapse, and jobs of dead workers are not taken up.",
            "Start it: `manage.py sweep --forever`, or `make run` for all programs.",
        )


def look_at_broker() -> Iterator[Finding]:
    """Say whether messages can be sent."""
    address = settings.CELERY_BROKER_URL
    kind = address.partition(":")[0]
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=3)
            channel: Any = connection.default_channel
            if kind.startswith("redis"):
                channel.client.ping()
    except (OperationalError, OSError):
        yield missing(
            "broker",
            f"The broker ({kind}) is not reached. Rating goes on; jobs wait until it is back.",
            "Start it, and compare CELERY_BROKER_URL with its address and password.",
        )
    else:
        yield ok("broker", f"The broker ({kind}) is reached.")


def look_at_jobs() -> Iterator[Finding]:
    """Say how many jobs wait for longer than a worker that is free would let them."""
    waiting, now = 0, database_now()
    for model in kinds_of_jobs():
        for since in model._default_manager.filter(status=JobStatus.QUEUED).values_list(
            "created_at", flat=True
        ):
            waiting += (now - since).total_seconds() > 60 * LONGEST_WAIT_MINUTES
    if waiting:
        yield warning(
            "jobs",
            f"{waiting} jobs have waited for more than {LONGEST_WAIT_MINUTES} minutes.",
            "A long training is before them, or their worker is missing: see the workers above.",
        )
    else:
        yield ok("jobs", "None waits for long.")
