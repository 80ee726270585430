"""`manage.py jobs`: which background jobs wait, run or have failed, by their keys."""

from datetime import datetime
from typing import Any

from django.core.management.base import CommandParser

from annotator.management.base import WorkbenchCommand
from annotator.management.plain_text import GAP, aligned, wrapped
from annotator.operations.presences import latest_jobs
from core.clock import database_now
from core.errors import Refused
from core.jobs.registry import kinds_of_jobs
from core.jobs.rows import JobRow, JobStatus

HEAD = ["kind", "key", "status", "done"]
NEEDS_A_LOOK = (JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.FAILED)


class Command(WorkbenchCommand):
    help = "List the jobs that wait, run or have failed, newest first; nothing of their content."

    def add_own_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--status", choices=JobStatus.values, help="of this status only")
        which.add_argument("--all", action="store_true", help="succeeded and cancelled ones, too")
        parser.add_argument("--kind", choices=sorted(model.kind() for model in kinds_of_jobs()))
        parser.add_argument("--limit", type=int, default=50, metavar="N")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        if options["limit"] < 1:
            raise Refused("--limit must be 1 or more.")
        given = [options["status"]] if options["status"] else NEEDS_A_LOOK
        statuses = JobStatus.values if options["all"] else given
        rows, more = latest_jobs(statuses, options["kind"], options["limit"])
        now = database_now()
        return {"jobs": [_facts(row, now) for row in rows], "more": more}

    def sentence(self, document: dict[str, Any]) -> str:
        if not document["jobs"]:
            return "No jobs match."
        table = [
            [job["kind"], job["key"], job["status"], f"{job['progress']:.0%}"]
            for job in document["jobs"]
        ]
        head, *rows = aligned([HEAD, *table])
        lines = [head]
        for row, job in zip(rows, document["jobs"], strict=True):
            lines += [row, *wrapped(_details(job), GAP)]
        if document["more"]:
            lines.append(f"{document['more']} more; give a higher --limit.")
        return "\n".join(lines)


def _facts(row: JobRow, now: datetime) -> dict[str, Any]:
    # What is queued once more bears the times of the last time that it ran.
    started_at = None if row.status == JobStatus.QUEUED else row.started_at
    spent = (row.finished_at or now) - started_at if started_at else None
    return {
        "kind": row.kind(),
        "key": str(row.pk),
        "status": row.status,
        "attempt": row.attempt,
        "progress": round(row.progress, 2),
        "queued_at": _time(row.created_at),
        "started_at": _time(started_at),
        "seconds": round(spent.total_seconds(), 1) if spent else None,
        "waits": row.message or None if row.is_retried else None,
    }


def _time(at: datetime | None) -> str | None:
    return at.isoformat(timespec="seconds") if at else None


def _details(job: dict[str, Any]) -> str:
    """Return when a job was queued and started, how often it was tried, and what it waits for."""
    parts = [f"queued {_short_time(job['queued_at'])}"]
    if job["started_at"]:
        parts += [f"started {_short_time(job['started_at'])}", f"{job['seconds']} s"]
    if job["attempt"] > 1:
        parts.append(f"attempt {job['attempt']}")
    return ", ".join(parts) + (f". {job['waits']}" if job["waits"] else "")


def _short_time(at: str) -> str:
    """Return day and minute of a time; --json has the whole of it."""
    return at[:16].replace("T", " ")
