"""Which background programs live, and how they report it."""

import os
import socket
import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, Final

from django.db import transaction

from annotator.models import Presence
from core.clock import database_now
from core.jobs.registry import tidy
from core.storage import is_shared

# Three and a half reports: one that is late makes nobody dead.
ALIVE_FOR: Final = timedelta(seconds=35)


def programs() -> list[Presence]:
    """Return the programs that reported lately, a row for each kind of their work."""
    since = database_now() - ALIVE_FOR
    return list(Presence.objects.filter(seen_at__gte=since).order_by("work", "name"))


def alive() -> Counter[str]:
    """Return how many programs of each kind of work reported lately."""
    return Counter(program.work for program in programs())


FORGOTTEN_AFTER: Final = timedelta(days=1)


def report_presence(*, name: str, works: Iterable[str]) -> None:
    """Note that this program lives now; the clock is the database's, which all share."""
    now = database_now()
    with transaction.atomic():
        for work in works:
            Presence.objects.update_or_create(
                name=name,
                work=work,
                defaults={"seen_at": now},
                create_defaults={"seen_at": now, "started_at": now},
            )


def end_presence(*, name: str) -> None:
    """Forget a program that stops in order, so that nobody takes it for alive."""
    Presence.objects.filter(name=name).delete()


def forget_presences() -> int:
    """Delete what has not reported for a day; return how many."""
    late = database_now() - FORGOTTEN_AFTER
    return Presence.objects.filter(seen_at__lt=late).delete()[0]


SECONDS_BETWEEN_REPORTS: Final = 10
REPORTS_BETWEEN_TIDYINGS: Final = 6
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

    for number in count():
        is_over = _stop.is_set()
        try:
            if is_over:
                end_presence(name=name)
            else:
                report_presence(name=name, works=works)
                show_life()
                if is_shared() and number % REPORTS_BETWEEN_TIDYINGS == 0:
                    tidy(only_host=True)
        except (DatabaseError, OSError):
            pass  # a database that is away is reported by others; the next report is ours
        finally:
            # Left open, it would be inherited by a process of the pool that starts later.
            connection.close()
        if is_over:
            return
        _stop.wait(SECONDS_BETWEEN_REPORTS)
