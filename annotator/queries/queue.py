"""The queue of an annotator: what is open, grouped by reference, and what comes next."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from django.db.models import QuerySet

from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Rating,
    Reference,
    Role,
    User,
)
from annotator.queries.access import assignments_for, campaigns_for


@dataclass(frozen=True, slots=True)
class QueueReference:
    """A reference with the annotator's open assignments on it; `done` counts their own."""

    reference: Reference
    open: tuple[Assignment, ...]
    done: int

    @property
    def total(self) -> int:
        return len(self.open) + self.done


@dataclass(frozen=True, slots=True)
class QueueCampaign:
    """A campaign's part of the queue."""

    campaign: Campaign
    references: tuple[QueueReference, ...]
    done: int

    @property
    def left(self) -> int:
        return sum(len(entry.open) for entry in self.references)

    @property
    def total(self) -> int:
        return self.done + self.left


def queue_for(user: User) -> tuple[QueueCampaign, ...]:
    """Return the queue of each open campaign in which the user is annotator."""
    campaigns = campaigns_for(user, (Role.ANNOTATOR,)).filter(status=CampaignStatus.OPEN)
    rows = list(assignments_for(user).filter(campaign__in=campaigns))
    return tuple(
        _campaign(campaign, [row for row in rows if row.campaign_id == campaign.pk])
        for campaign in campaigns.order_by("created_at")
    )


def open_assignments(user: User) -> QuerySet[Assignment]:
    """Return what the user may rate now, in order."""
    return assignments_for(user).filter(
        status=AssignmentStatus.OPEN, campaign__status=CampaignStatus.OPEN
    )


def next_assignment(user: User, after: Assignment) -> Assignment | None:
    """Return what to rate after an assignment: the same reference first, then its campaign."""
    rows = open_assignments(user).exclude(pk=after.pk)
    here = rows.filter(campaign=after.campaign_id)
    same = here.filter(candidate__reference=after.candidate.reference_id)
    return same.first() or here.first() or rows.first()


def ratings_by(user: User) -> QuerySet[Rating]:
    """Return the user's own ratings, the latest first."""
    return (
        Rating.objects.filter(assignment__in=assignments_for(user).values("pk"))
        .select_related("assignment__campaign", "candidate__reference")
        .order_by("-submitted_at")
    )


def _campaign(campaign: Campaign, rows: list[Assignment]) -> QueueCampaign:
    done: dict[UUID, int] = {}
    for row in rows:
        if row.status == AssignmentStatus.SUBMITTED:
            reference_id = row.candidate.reference_id
            done[reference_id] = done.get(reference_id, 0) + 1
    waiting = [row for row in rows if row.status == AssignmentStatus.OPEN]
    return QueueCampaign(campaign, tuple(_references(waiting, done)), sum(done.values()))


def _references(waiting: list[Assignment], done: dict[UUID, int]) -> Iterable[QueueReference]:
    first = {row.candidate.reference_id: row.position for row in reversed(waiting)}
    ordered = sorted(
        waiting,
        key=lambda r: (first[r.candidate.reference_id], str(r.candidate.reference_id), r.position),
    )
    for reference_id, group in groupby(ordered, key=lambda row: row.candidate.reference_id):
        rows = tuple(group)
        yield QueueReference(rows[0].candidate.reference, rows, done.get(reference_id, 0))
