"""The queue of an annotator, and which candidates with a free place come next.

A queue of thousands is a list of names: `sizes.py` reads the claim texts of the page that is shown.
What is for everybody stands first, then what is due first; the candidates of a reference stay
together.
"""

import random
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.utils.timezone import localtime

from annotator.access.scopes import assignments_for, campaigns_for, recused_references
from annotator.assignments.rules import DailyTarget, daily_target
from annotator.assignments.sizes import Size, head_of
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Candidate,
    Draft,
    Purpose,
    Rating,
    Reference,
    Role,
    Ruling,
    SecondLook,
    User,
)
from core.clock import database_now

# Candidates looked at in one go; several, because others may take the first ones meanwhile.
WINDOW: Final = 20
# One's own lapsed assignment may be taken up again; these may not.
NOT_AGAIN: Final = (
    AssignmentStatus.SUBMITTED,
    AssignmentStatus.SKIPPED,
    AssignmentStatus.RECUSED,
    AssignmentStatus.WITHDRAWN,
)


def standing_of(campaign_id: UUID, annotator_id: UUID) -> tuple[int, int]:
    """Return the number of an annotator's last assignment, and its place in the campaign's queue.

    0 and 0 before the first assignment.
    """
    rows = Assignment.objects.filter(campaign=campaign_id, annotator=annotator_id)
    last = rows.order_by("-position").values_list("position", "candidate__queue_position").first()
    return last or (0, 0)


def free_candidates(
    side: Q, *, campaign_id: UUID, annotator_id: UUID, recused: Collection[UUID]
) -> list[UUID]:
    """Return one window of candidates with room on one side of a place of the queue.

    References in order, each one's candidates shuffled. Left out: what the annotator has rated,
    left or ruled on, and the references they are recused from.
    """
    here = {"candidate": OuterRef("pk")}
    had = Assignment.objects.filter(**here, annotator=annotator_id, status__in=NOT_AGAIN)
    ruled = Ruling.objects.filter(**here, adjudication__adjudicator=annotator_id)
    rows = Candidate.objects.filter(
        side, ~Exists(had), ~Exists(ruled), campaign=campaign_id, has_room=True
    )
    if recused:
        rows = rows.exclude(reference__in=recused)
    window = rows.order_by("queue_position").values_list("queue_position", "pk")[:WINDOW]
    chance = random.SystemRandom()
    ordered = sorted((queue_position, chance.random(), pk) for queue_position, pk in window)
    return [pk for _, _, pk in ordered]


NEVER: Final = datetime.max.replace(tzinfo=UTC)
FOR_ALL_FIRST: Final = Case(
    When(candidate__purpose=Purpose.QUALIFICATION, then=Value(0)), default=Value(1)
)


@dataclass(frozen=True, slots=True)
class QueueItem:
    """An assignment with its reference; `lease_expires_at` is None when it was assigned by name.

    What everybody is to rate has the lower `rank`.
    """

    pk: UUID
    label: str
    has_draft: bool
    lease_expires_at: datetime | None
    due_at: datetime | None
    rank: int
    reference: UUID
    reference_id: str
    title: str
    ipc: str
    language: str
    size: Size | None = None


@dataclass(frozen=True, slots=True)
class QueueReference:
    """A reference with the annotator's open assignments on it; `done` counts their own.

    `due_at` is the earliest of what is open. Sizes and the opening are added for the page that is
    shown.
    """

    reference_id: str
    title: str
    ipc: str
    language: str
    open: tuple[QueueItem, ...]
    done: int
    due_at: datetime | None
    is_overdue: bool
    opening: str = ""

    @property
    def total(self) -> int:
        return len(self.open) + self.done


@dataclass(frozen=True, slots=True)
class QueueCampaign:
    """A campaign's part of the queue; `skipped` may still be taken back.

    `overdue` counts open assignments whose due date has passed; `target` is how many a day meet
    those to come.
    """

    campaign: Campaign
    references: tuple[QueueReference, ...]
    done: int
    skipped: tuple[QueueItem, ...]
    overdue: int
    target: DailyTarget | None

    @property
    def left(self) -> int:
        return sum(len(entry.open) for entry in self.references)

    @property
    def total(self) -> int:
        return self.done + self.left

    @property
    def has_due_dates(self) -> bool:
        return any(entry.due_at for entry in self.references)


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


def second_looks(user: User) -> list[Mapping[str, Any]]:
    """Return the ratings that the user is asked to look at again, the longest asked first."""
    rows = _unanswered(user).values(
        pk=F("assignment"),
        label=F("assignment__label"),
        campaign=F("assignment__campaign__name"),
        reference_id=F("assignment__candidate__reference__reference_id"),
        title=F("assignment__candidate__reference__title"),
        head=head_of("assignment__candidate__reference"),
        question=F("round__question"),
    )
    return list(rows)


def next_assignment(user: User, after: Assignment) -> Assignment | None:
    """Return what to rate after an assignment: the same reference first, then its campaign.

    What is to be looked at again comes as soon as the reference is done.
    """
    here = after.candidate.reference_id
    distance = Case(
        When(candidate__reference=here, then=Value(0)),
        When(campaign=after.campaign_id, then=Value(1)),
        default=Value(2),
    )
    rows = open_assignments(user).exclude(pk=after.pk)
    reference = _most_urgent_reference(rows, distance)
    # Hardly ever is there one: the question is asked after every rating.
    look = None if reference == here else _unanswered(user).values_list("assignment").first()
    return Assignment.objects.get(pk=look[0]) if look else _first_of(rows, reference)


def first_assignment(user: User) -> Assignment | None:
    """Return what to rate first: the first of the queue's first reference."""
    rows = open_assignments(user)
    oldest = rows.order_by("campaign__created_at").values("campaign")[:1]
    return most_urgent(rows.filter(campaign=Subquery(oldest)))


def most_urgent(rows: QuerySet[Assignment]) -> Assignment | None:
    """Return the first candidate of the reference that stands first in the queue."""
    return _first_of(rows, _most_urgent_reference(rows))


def _most_urgent_reference(rows: QuerySet[Assignment], *before: Case) -> UUID | None:
    """Return the reference that stands first in the queue, `before` deciding first."""
    urgent = rows.order_by(*before, FOR_ALL_FIRST, F("due_at").asc(nulls_last=True), "position")
    return urgent.values_list("candidate__reference_id", flat=True).first()


def _first_of(rows: QuerySet[Assignment], reference: UUID | None) -> Assignment | None:
    return rows.filter(candidate__reference=reference).first() if reference else None


def _unanswered(user: User) -> QuerySet[SecondLook]:
    rows = SecondLook.objects.filter(
        answered_at=None,
        round__finished_at=None,
        assignment__annotator=user,
        assignment__campaign__status=CampaignStatus.OPEN,
        assignment__campaign__memberships__user=user,
        assignment__campaign__memberships__role=Role.ANNOTATOR,
    )
    rows = rows.exclude(assignment__candidate__reference__in=recused_references(user.pk))
    return rows.order_by("round__made_at", "pk")


def ratings_by(user: User) -> QuerySet[Rating]:
    """Return the user's own ratings, the latest first."""
    return (
        Rating.objects.filter(assignment__in=assignments_for(user).values("pk"))
        .select_related("assignment__campaign", "candidate__reference")
        .defer("candidate__claims", "candidate__reference__claims")
        .order_by("-submitted_at")
    )


def _campaign(campaign: Campaign, user: User) -> QueueCampaign:
    rows = Assignment.objects.filter(campaign=campaign, annotator=user)
    done = dict(
        rows.filter(status=AssignmentStatus.SUBMITTED)
        .order_by()
        .values_list("candidate__reference")
        .annotate(Count("pk"))
    )
    now = database_now()
    waiting = _queue_items(rows.filter(status=AssignmentStatus.OPEN))
    return QueueCampaign(
        campaign,
        tuple(by_reference(waiting, done, now)),
        sum(done.values()),
        tuple(_queue_items(rows.filter(status=AssignmentStatus.SKIPPED))),
        sum((item.due_at or NEVER) < now for item in waiting),
        daily_target((item.due_at and localtime(item.due_at) for item in waiting), localtime(now)),
    )


def _queue_items(rows: QuerySet[Assignment]) -> list[QueueItem]:
    draft = Draft.objects.filter(assignment=OuterRef("pk"))
    reference = "candidate__reference"
    found = (
        rows.annotate(has_draft=Exists(draft), rank=FOR_ALL_FIRST)
        .order_by("position")
        .values_list(
            *("pk", "label", "has_draft", "lease_expires_at", "due_at", "rank", reference),
            *(f"{reference}__{name}" for name in ("reference_id", "title", "ipc", "language")),
        )
    )
    return [QueueItem(*row) for row in found]


def by_reference(
    items: Iterable[QueueItem], done: Mapping[UUID, int], now: datetime
) -> Iterator[QueueReference]:
    """Yield the references of assignments in the order of the most urgent one of each."""
    found: dict[UUID, list[QueueItem]] = {}
    for item in items:
        found.setdefault(item.reference, []).append(item)

    def urgency(items: list[QueueItem]) -> tuple[int, datetime]:
        return min((item.rank, item.due_at or NEVER) for item in items)

    # Sorting keeps the order of the first open assignments where nothing is more urgent.
    for group in sorted(found.values(), key=urgency):
        first = group[0]
        due = min((item.due_at for item in group if item.due_at), default=None)
        yield QueueReference(
            *(first.reference_id, first.title, first.ipc, first.language, tuple(group)),
            *(done.get(first.reference, 0), due, due is not None and due < now),
        )


def assigned_candidate(assignment: Assignment) -> Candidate:
    """Return the candidate of an assignment with its reference; nothing else of them is loaded."""
    rows = Candidate.objects.select_related("reference")
    told = (f"reference__{name}" for name in Reference.TOLD)
    return rows.only("claims", *told).get(pk=assignment.candidate_id)
