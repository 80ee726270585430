"""Which kinds of jobs are announced when they end, each with its campaign and who asked for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.jobs.rows import JobRow, JobStatus

IdOf = Callable[[Any], UUID | None]


@dataclass(frozen=True, slots=True)
class Finished:
    """A job that ended: the event that it is, its campaign if it has one, and who asked for it."""

    event: str
    job: UUID
    status: JobStatus
    campaign_id: UUID | None
    asker_id: UUID | None


@dataclass(frozen=True, slots=True)
class _Kind:
    event: str
    campaign_of: IdOf
    asker_of: IdOf
    is_end: Callable[[Any, JobStatus], bool]


_kinds: dict[type[JobRow], _Kind] = {}


def register_announced(
    model: type[JobRow],
    event: str,
    *,
    campaign_of: IdOf,
    asker_of: IdOf,
    is_end: Callable[[Any, JobStatus], bool] = lambda row, status: True,
) -> None:
    """Register a kind of job; `is_end` is False where it ends and yet goes on, as in stages."""
    _kinds[model] = _Kind(event, campaign_of, asker_of, is_end)


def finished(row: JobRow, status: JobStatus) -> Finished | None:
    """Return what is announced of a job as it ends; None where it is not."""
    kind = _kinds.get(type(row))
    if kind is None or not kind.is_end(row, status):
        return None
    return Finished(kind.event, row.pk, status, kind.campaign_of(row), kind.asker_of(row))
