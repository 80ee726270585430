"""A person's own background jobs in the inbox: what failed in the last week, what finished."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from annotator.inbox.rows import Asked, Line, Lines
from core.jobs.rows import JobStatus
from patclaimeval.plurals import counted


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of job: its noun, the person's own rows, and the pages of one and of all.

    `key` names the columns from which the address of a page is made, the id of the job first.
    `tells_end`: whether one that succeeded is listed.
    """

    noun: str
    own: QuerySet[Any]
    key: tuple[str, ...]
    of_one: Callable[..., str]
    of_all: Callable[..., str]
    tells_end: bool = True


def lines_of_jobs(asked: Asked, kinds: tuple[Kind, ...]) -> Lines:
    """Return a line for each kind of which jobs failed or finished: one query each."""
    waiting, finished = [], []
    for kind in kinds:
        recent = Q(status=JobStatus.FAILED, finished_at__gte=asked.week_ago)
        if kind.tells_end:
            recent |= Q(status=JobStatus.SUCCEEDED, finished_at__gte=asked.last_visit_at)
        rows = kind.own.filter(recent).order_by("-finished_at", "pk").select_related(None)
        keys: dict[str, list[tuple[UUID | str, ...]]] = {}
        for status, *key in rows.values_list("status", *kind.key):
            keys.setdefault(status, []).append(tuple(key))
        if some := keys.get(JobStatus.FAILED):
            waiting.append(_line(kind, some, "failed in the last week"))
        if some := keys.get(JobStatus.SUCCEEDED):
            finished.append(_line(kind, some, "finished"))
    return Lines(tuple(waiting), tuple(finished))


def _line(kind: Kind, keys: list[tuple[UUID | str, ...]], what: str) -> Line:
    """Return the line, with a link to the page of the only job or to that of the newest's kind."""
    page = kind.of_one if len(keys) == 1 else kind.of_all
    return Line(f"{counted(len(keys), kind.noun)} {what}", page(*keys[0]))
