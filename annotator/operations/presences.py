"""Which background programs live, how they report it, and the jobs that they do."""

import logging
import os
import socket
import threading
from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, Final

from django.db import transaction

from annotator.models import Presence
from annotator.operations.reach import out_of_reach, own_directory
from core.artefacts.store import is_shared
from core.clock import database_now
from core.jobs.registry import kinds_of_jobs
from core.jobs.rows import JobRow

# Three and a half reports: one that is late makes nobody dead.
ALIVE_FOR: Final = timedelta(seconds=35)


def programs() -> list[Presence]:
    """Return the programs that reported lately, a row for each kind of their work."""
    since = database_now() - ALIVE_FOR
    return list(Presence.objects.filter(seen_at__gte=since).order_by("work", "name"))


def alive() -> Counter[str]:
    """Return how many programs of each kind of work reported lately."""
    return Counter(program.work for program in programs())


def may_be_elsewhere() -> bool:
    """Return whether a file that is missing here may lie where another program finds it."""
    return is_shared() or len(data_directories()) > 1


def data_directories() -> set[str]:
    """Return the ids of this program's data directory and of those of all that live."""
    return {own_directory(), *(program.data_directory for program in programs())} - {""}


FORGOTTEN_AFTER: Final = timedelta(days=1)


def report_presence(*, name: str, works: Iterable[str], unreached: str = "") -> None:
    """Note that this program lives now, and what it cannot reach.

    The clock is the database's, which all share.
    """
    now = database_now()
    seen = {"seen_at": now, "unreached": unreached, "data_directory": own_directory()}
    with transaction.atomic():
        for work in works:
            Presence.objects.update_or_create(
                name=name,
                work=work,
                defaults=seen,
                create_defaults=seen | {"started_at": now},
            )


def end_presence(*, name: str) -> None:
    """Forget a program that stops in order, so that nobody takes it for alive."""
    Presence.objects.filter(name=name).delete()


def forget_presences() -> int:
    """Delete what has not reported for a day; return how many."""
    late = database_now() - FORGOTTEN_AFTER
    return Presence.objects.filter(seen_at__lt=late).delete()[0]


SECONDS_BETWEEN_REPORTS: Final = 10
REPORTS_BETWEEN_LOOKS: Final = 6
logger = logging.getLogger("annotator.jobs")
_stop: Final = threading.Event()


def own_name(work: str) -> str:
    """Return a name that no other program has: work, process, machine."""
    return f"{work}-{os.getpid()}@{socket.gethostname()}"[:200]


def show_life() -> None:
    """Touch the file that a container's health check looks at, where a setting names one.

    One that cannot be touched, on a full disk for example, grows old and is reported.
    """
    if name := os.environ.get("SIGN_OF_LIFE_FILE"):
        with suppress(OSError):
            Path(name).touch()


def begin(sender: Any, **_: object) -> None:
    """Start to report, once the worker consumes its queues; Celery's `worker_ready` calls it.

    A thread of the worker's main process reports: the processes of its pool may be busy for hours.
    """
    queues = sorted(sender.task_consumer.queues, key=str)
    works = tuple(sorted({str(getattr(queue, "name", queue)) for queue in queues}))
    name = own_name("+".join(works))
    _stop.clear()
    threading.Thread(target=_report, args=(name, works), daemon=True, name="presence").start()


def end(**_: object) -> None:
    """Stop to report; Celery's `worker_shutting_down` calls it."""
    _stop.set()


def _report(name: str, works: tuple[str, ...]) -> None:
    from django.db import DatabaseError, connection

    unreached = ""
    for number in count():
        is_over = _stop.is_set()
        try:
            if is_over:
                end_presence(name=name)
            else:
                if number % REPORTS_BETWEEN_LOOKS == 0:
                    unreached = _looked_at(works, unreached)
                report_presence(name=name, works=works, unreached=unreached)
                show_life()
        except DatabaseError:
            pass  # a database that is away is reported by others; the next report is ours
        finally:
            # Left open, it would be inherited by a process of the pool that starts later.
            connection.close()
        if is_over:
            return
        _stop.wait(SECONDS_BETWEEN_REPORTS)


def _looked_at(works: tuple[str, ...], before: str) -> str:
    """Return what cannot be reached now, and log it where that is another thing than before."""
    found = " ".join(out_of_reach(works))
    if found != before:
        text = f"cannot reach all that jobs may need: {found}" if found else "reaches everything"
        logger.warning("worker of %s %s", "+".join(works), text)
    return found


SHOWN: Final = (
    *("status", "attempt", "progress", "message", "unreached_at"),
    *("created_at", "started_at", "finished_at"),
)


def latest_jobs(statuses: Collection[str], kind: str | None, most: int) -> tuple[list[JobRow], int]:
    """Return the jobs asked for last, newest first, and how many there are beyond `most`.

    For operators: keys, states and times, what one waits for, no content.
    """
    found: list[JobRow] = []
    count = 0
    for model in kinds_of_jobs():
        if kind in (None, model.kind()):
            rows = model._default_manager.filter(status__in=statuses)
            count += rows.count()
            found += rows.only(*SHOWN).order_by("-created_at")[:most]
    found.sort(key=lambda row: row.created_at, reverse=True)
    return found[:most], max(0, count - most)
