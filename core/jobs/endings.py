"""Who wants to know that a job has ended; they are called in the transaction that ends it."""

from collections.abc import Callable

from core.jobs.rows import JobRow, JobStatus

Listener = Callable[[JobRow, JobStatus], object]
_listeners: list[Listener] = []


def register_ending(listener: Listener) -> None:
    """Register a function that gets each job as it succeeds or fails; packages do so at start.

    It writes rows and does nothing else: what it raises undoes the ending.
    """
    _listeners.append(listener)


def note_ending(row: JobRow, status: JobStatus) -> None:
    """Call all of them, unless somebody cancelled the job, who knows."""
    if status != JobStatus.CANCELLED:
        for listener in _listeners:
            listener(row, status)
