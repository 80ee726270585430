"""The queue of an annotator: what is open, grouped by reference, and what comes next.

No claim text is read here: a queue of thousands is a list of names.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, QuerySet

from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Draft,
    Rating,
    Role,
    User,
)
from annotator.queries.access import assignments_for, campaigns_for


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One open assignment; `lease_expires_at` is None when it was assigned by name."""

    pk: UUID
    label: str
    has_draft: bool
    lease_expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class QueueReference:
    """A reference with the annotator's open assignments on it; `done` counts their own."""

    reference_id: str
    title: str
    ipc: str
    open: tuple[QueueItem, ...]
    done: int

    @property
    def total(self) -> int:
        return len(self.open) + self.done


@dataclass(frozen=True, slots=True)
class QueueCampaign:
    """A campaign's part of the queue; `skipped` may still be taken back."""

    campaign: Campaign
    references: tuple[QueueReference, ...]
    done: int
    skipped: tuple[QueueItem, ...]

    @property
    def left(self) -> int:
        return sum(len(entry.open) for entry in self.references)

    @property
    def total(self) -> int:
        return self.done + self.left


def queue_for(user: User) -> tuple[QueueCampaign, ...]:
    """Return the queue of each open campaign in which the user is annotator."""
    campaigns = campaigns_for(user, (Role.ANNOTATOR,)).filter(status=CampaignStatus.OPEN)
    return tuple(_campaign(campaign, user) for campaign in campaigns.order_by("created_at"))


def open_assignments(user: User) -> QuerySet[Assignment]:
    """Return what the user may rate now, in order, without the claim texts."""
    return (
        assignments_for(user)
        .select_related(None)
        .filter(status=AssignmentStatus.OPEN, campaign__status=CampaignStatus.OPEN)
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
        .defer("candidate__claims", "candidate__reference__claims")
        .order_by("-submitted_at")
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """One assignment with what the queue says of its reference."""

    item: QueueItem
    reference: UUID
    reference_id: str
    title: str
    ipc: str


def _campaign(campaign: Campaign, user: User) -> QueueCampaign:
    rows = Assignment.objects.filter(campaign=campaign, annotator=user)
    done = dict(
        rows.filter(status=AssignmentStatus.SUBMITTED)
        .order_by()
        .values_list("candidate__reference")
        .annotate(Count("pk"))
    )
    return QueueCampaign(
        campaign,
        tuple(_references(_rows(rows.filter(status=AssignmentStatus.OPEN)), done)),
        sum(done.values()),
        tuple(row.item for row in _rows(rows.filter(status=AssignmentStatus.SKIPPED))),
    )


def _rows(rows: QuerySet[Assignment]) -> list[_Row]:
    draft = Draft.objects.filter(assignment=OuterRef("pk"))
    reference = "candidate__reference"
    found = (
        rows.annotate(has_draft=Exists(draft))
        .order_by("position")
        .values(
            *("pk", "label", "has_draft", "lease_expires_at", reference),
            *(f"{reference}__{name}" for name in ("reference_id", "title", "ipc")),
        )
    )
    return [
        _Row(
            QueueItem(row["pk"], row["label"], row["has_draft"], row["lease_expires_at"]),
            row[reference],
            row[f"{reference}__reference_id"],
            row[f"{reference}__title"],
            row[f"{reference}__ipc"],
        )
        for row in found
    ]


def _references(waiting: list[_Row], done: dict[UUID, int]) -> Iterator[QueueReference]:
    """Yield the references in the order of their first open assignment."""
    first = {row.reference: place for place, row in reversed(list(enumerate(waiting)))}
    ordered = sorted(waiting, key=lambda row: first[row.reference])
    for pk, group in groupby(ordered, key=lambda row: row.reference):
        rows = tuple(group)
        names = rows[0].reference_id, rows[0].title, rows[0].ipc
        yield QueueReference(*names, tuple(row.item for row in rows), done.get(pk, 0))
