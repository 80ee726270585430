"""Background jobs of all kinds as an operator sees them: keys, states and times, no content."""

from collections.abc import Collection

from annotator.jobs.registry import kinds_of_jobs
from annotator.jobs.rows import JobRow

SHOWN = ("status", "attempt", "progress", "created_at", "started_at", "finished_at")


def latest_jobs(statuses: Collection[str], kind: str | None, most: int) -> tuple[list[JobRow], int]:
    """Return the jobs asked for last, newest first, and how many there are beyond `most`."""
    found: list[JobRow] = []
    count = 0
    for model in kinds_of_jobs():
        if kind in (None, model.kind()):
            rows = model._default_manager.filter(status__in=statuses)
            count += rows.count()
            found += rows.only(*SHOWN).order_by("-created_at")[:most]
    found.sort(key=lambda row: row.created_at, reverse=True)
    return found[:most], max(0, count - most)
