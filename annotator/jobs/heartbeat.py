"""A thread that keeps a job's lease alive while the work itself is busy."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection

from annotator.jobs.leases import LostLease, beat, lease_length
from annotator.jobs.rows import JobRow


@contextmanager
def heartbeat(row: JobRow) -> Iterator[Callable[[], None]]:
    """Beat four times a lease; yield a function that raises LostLease once the lease is gone."""
    stop = threading.Event()
    lost = threading.Event()

    def run() -> None:
        try:
            while not stop.wait(lease_length().total_seconds() / 4):
                try:
                    beat(row)
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
