"""What an annotator's queue shows: their assignments, grouped by reference."""

from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from annotator.models import Assignment, AssignmentStatus, User
from annotator.queries.access import assignments_for


@dataclass(frozen=True, slots=True)
class QueueGroup:
    """The assignments of one reference, open ones first."""

    campaign: str
    title: str
    ipc: str
    open: tuple[Assignment, ...]
    done: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class Queue:
    """An annotator's work: how much is left, how much is done, and where to start."""

    groups: tuple[QueueGroup, ...]
    left: int
    done: int
    next_id: UUID | None


def queue_of(user: User) -> Queue:
    """Return the user's queue; the groups stand in the order in which they were assigned."""
    rows = list(
        assignments_for(user)
        .defer("candidate__claims", "candidate__reference__claims")
        .order_by("campaign__slug", "position", "created_at")
    )
    first_seen = {row.candidate.reference_id: number for number, row in reversed(list(enumerate(rows)))}
    rows.sort(key=lambda row: first_seen[row.candidate.reference_id])
    groups = tuple(
        _group(list(members))
        for _, members in groupby(rows, key=lambda row: row.candidate.reference_id)
    )
    left = sum(len(group.open) for group in groups)
    start = next((row.pk for group in groups for row in group.open), None)
    return Queue(groups, left, len(rows) - left, start)


def next_open(user: User, after: Assignment) -> UUID | None:
    """Return the next open assignment: of the same reference first, then along the queue."""
    queue = queue_of(user)
    reference = after.candidate.reference_id
    waiting = [row for group in queue.groups for row in group.open if row.pk != after.pk]
    same = next((row.pk for row in waiting if row.candidate.reference_id == reference), None)
    return same or next((row.pk for row in waiting), None)


def _group(rows: list[Assignment]) -> QueueGroup:
    reference = rows[0].candidate.reference
    return QueueGroup(
        campaign=rows[0].campaign.name,
        title=reference.title or reference.reference_id,
        ipc=reference.ipc,
        open=tuple(row for row in rows if row.status == AssignmentStatus.OPEN),
        done=tuple(row for row in rows if row.status == AssignmentStatus.SUBMITTED),
    )
