"""The programs beside the web server: workers, the sweeper, the broker; and jobs that wait."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from celery import current_app
from django.conf import settings
from django.db.models import Q
from kombu.exceptions import OperationalError
from redis.exceptions import ResponseError

from annotator.clock import database_now
from annotator.health.findings import Finding, missing, ok, warning
from annotator.jobs.queues import Queues
from annotator.jobs.registry import kinds_of_jobs, queue_of
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
    works, untaken = alive(), _untaken_jobs()
    for queue in Queues:
        part = f"worker of queue {queue.value}"
        if works[queue.value] and untaken[queue.value]:
            yield missing(
                part,
                f"{works[queue.value]} alive, but {untaken[queue.value]} jobs wait, and for "
                f"{LONGEST_WAIT_MINUTES} minutes none was taken or worked on.",
                "Look into its log and start it again. If none is taken then either, look at what "
                f"the broker holds: {_place_of_messages(queue)}.",
            )
        elif works[queue.value]:
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


def _place_of_messages(queue: Queues) -> str:
    if settings.CELERY_BROKER_URL.startswith("redis"):
        return f"the key `{queue.value}` in Redis, a list"
    return f"{settings.CELERY_BROKER_TRANSPORT_OPTIONS['data_folder_in']}, plain files"


def _untaken_jobs() -> Counter[str]:
    """Return by queue how many jobs wait too long although nothing on that queue is worked on.

    A worker says that it lives from a thread of its own, whatever becomes of its queue.
    """
    now = database_now()
    since = now - timedelta(minutes=LONGEST_WAIT_MINUTES)
    waiting, busy = Counter[str](), set[str]()
    is_worked_on = Q(status=JobStatus.RUNNING, lease_until__gte=now) | Q(started_at__gte=since)
    for model in kinds_of_jobs():
        rows = model._default_manager.order_by()
        late = rows.filter(status=JobStatus.QUEUED, created_at__lt=since)
        waiting.update(queue_of(model, pk) for pk in late.values_list("pk", flat=True))
        busy |= {
            queue_of(model, pk) for pk in rows.filter(is_worked_on).values_list("pk", flat=True)
        }
    return Counter({queue: count for queue, count in waiting.items() if queue not in busy})


def look_at_broker() -> Iterator[Finding]:
    """Say whether messages can be sent."""
    address = settings.CELERY_BROKER_URL
    kind = address.partition(":")[0]
    try:
        with current_app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=3)
            channel: Any = connection.default_channel
            if kind.startswith("redis"):
                for queue in Queues:
                    channel.client.llen(queue.value)
    except (OperationalError, OSError):
        yield missing(
            "broker",
            f"The broker ({kind}) is not reached. Rating goes on; jobs wait until it is back.",
            "Start it, and compare CELERY_BROKER_URL with its address and password.",
        )
    except ResponseError:
        yield missing(
            "broker",
            f"The broker ({kind}) is reached, but under the name of a queue it holds no messages.",
            "Find it: `TYPE web` and `TYPE gpu` in redis-cli say `list` or `none`. Rename what is "
            "neither; no job is lost.",
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
            "A long training is before them, or their worker is missing: see the workers above. "
            "`manage.py jobs` lists them.",
        )
    else:
        yield ok("jobs", "None waits for long.")
