"""Has a worker tell the database every ten seconds that it lives.

A thread of the worker's main process does it: the processes of its pool may be busy for hours.
"""

import os
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

SECONDS_BETWEEN_REPORTS: Final = 10
_stop: Final = threading.Event()


def own_name(work: str) -> str:
    """Return a name that no other program has: work, process, machine."""
    return f"{work}-{os.getpid()}@{socket.gethostname()}"[:200]


def show_life() -> None:
    """Touch the file that a container's health check looks at, where a setting names one.

    One that cannot be touched, on a full disk for example, grows old and is told so.
    """
    if name := os.environ.get("SIGN_OF_LIFE_FILE"):
        with suppress(OSError):
            Path(name).touch()


def begin(sender: Any, **_: object) -> None:
    """Start to report, once the worker consumes its queues; Celery's `worker_ready` calls it."""
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

    from annotator.services.presences import end_presence, report_presence

    while True:
        is_over = _stop.is_set()
        try:
            if is_over:
                end_presence(name=name)
            else:
                report_presence(name=name, works=works)
                show_life()
        except DatabaseError:
            pass  # a database that is away is told by others; the next report tells of us
        finally:
            # Kept open, it would be inherited by a process of the pool that starts later.
            connection.close()
        if is_over:
            return
        _stop.wait(SECONDS_BETWEEN_REPORTS)
