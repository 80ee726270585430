"""A thread that keeps a job's lease alive while the work itself is busy."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection

from annotator.jobs.leases import LostLease, beat, lease_length
from annotator.jobs.rows import JobRow


@contextmanager
def heartbeat(
    row: JobRow, progress: Callable[[], dict[str, Any]] = dict
) -> Iterator[Callable[[], None]]:
    """Beat four times a lease; yield a function that raises LostLease once the lease is gone.

    `progress` gives the columns that each beat writes along: this thread is outside a transaction
    in which the work may be.
    """
    stop = threading.Event()
    lost = threading.Event()

    def run() -> None:
        try:
            while not stop.wait(lease_length().total_seconds() / 4):
                try:
                    beat(row, **progress())
                except LostLease:
                    lost.set()
                    return
                except OperationalError:
                    continue  # a busy database is no lost lease: the next beat tells
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
