"""What the rate page shows: two claim sets, the annotator's own rating, and nothing else.

The page is blind: no system, no candidate_id, no rating of another person and no model score is
put into these rows, so that no template can show them by mistake.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from annotator.access.scopes import assignments_for, recused_references
from annotator.conflicts.queries import LOCKED_SENTENCE, is_locked
from annotator.models import (
    HOLDING,
    Assignment,
    AssignmentStatus,
    CampaignStatus,
    Candidate,
    Departure,
    DepartureKind,
    Draft,
    Purpose,
    Rating,
    ReadingPreference,
    Reference,
    ReferenceNote,
    SecondLook,
    User,
)
from annotator.rating.all_candidates import has_several, may_compare
from annotator.rating.own_notes import own_note
from annotator.reading import reading_of, reading_preference
from core.clock import database_now
from core.database import neighbours
from patclaimeval.claims.minimap import Cell, State, cells_of, count_states
from patclaimeval.claims.reading import Reading

CLOSED_SENTENCE = "The campaign is closed; ratings are no longer taken."
RECUSED_SENTENCE: Final = (
    "You recused yourself from this reference. You no longer see its texts or rate its candidates."
)
LEFT_SENTENCES = {
    AssignmentStatus.SKIPPED: "You skipped this candidate. Take it back to rate it.",
    AssignmentStatus.RECUSED: RECUSED_SENTENCE,
    AssignmentStatus.WITHDRAWN: "This candidate is no longer assigned to you.",
}


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another candidate of the same reference that is this annotator's too."""

    assignment_id: UUID
    label: str
    position: int
    status: str
    is_current: bool
    is_same_text: bool
    """Whether its text is that of the current one, where neither is a hidden repeat or sentinel."""

    @property
    def is_rated(self) -> bool:
        return self.status == AssignmentStatus.SUBMITTED

    @property
    def is_left(self) -> bool:
        return self.status not in HOLDING


class ReadingPage(ABC):
    """A page of a candidate beside its reference, and where the two differ."""

    @property
    @abstractmethod
    def texts(self) -> tuple[Reference, Candidate]: ...

    @cached_property
    def reading(self) -> Reading:
        return reading_of(*self.texts)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        return cells_of(self.reading)

    @property
    def lost(self) -> list[tuple[State, int]]:
        """Return how many claims of the reference are missing."""
        return [one for one in count_states(self.cells).items() if one[0] == State.MISSING]

    @property
    def found(self) -> list[tuple[State, int]]:
        """Return how many claims of the candidate differ, by state."""
        unlike = {*State} - {State.MATCHED, State.MISSING}
        return [one for one in count_states(self.cells).items() if one[0] in unlike]


@dataclass(frozen=True)
class RatePage(ReadingPage):
    """Everything that the rate page shows; what a submit does not need is looked up when shown."""

    user: User
    assignment: Assignment
    rating: Rating | None
    draft: Draft | None
    closed_because: str
    # What the annotator is asked to look at again.
    question: str = ""
    # Whether they have recused themselves from the reference: no text of it is shown then.
    is_recused: bool = False

    @property
    def texts(self) -> tuple[Reference, Candidate]:
        candidate = self.assignment.candidate
        return candidate.reference, candidate

    @cached_property
    def siblings(self) -> tuple[Sibling, ...]:
        current = self.assignment
        reference = current.candidate.reference_id
        candidate = current.candidate
        is_plain = candidate.purpose == Purpose.RATED
        own = [candidate.claims_sha256, Purpose.RATED] if is_plain else None
        rows = Assignment.objects.filter(annotator=self.user, candidate__reference=reference)
        return tuple(
            Sibling(
                *(pk, label, position, status),
                is_current=pk == current.pk,
                is_same_text=kind == own,
            )
            for pk, label, position, status, *kind in rows.order_by("position").values_list(
                *("pk", "label", "position", "status"),
                *("candidate__claims_sha256", "candidate__purpose"),
            )
        )

    @property
    def compares(self) -> bool:
        """Whether there are several candidates to compare, and all one's own ratings are in."""
        statuses = [sibling.status for sibling in self.siblings]
        is_open = self.assignment.campaign.is_open
        return has_several(statuses) and may_compare(statuses, is_open=is_open)

    @property
    def same_texts(self) -> tuple[str, ...]:
        """Return whether the text is the reference's or another candidate's, in sentences."""
        candidate = self.assignment.candidate
        found = []
        if candidate.claims.split() == candidate.reference.claims.split():
            found.append("This candidate is the reference, word for word.")
        others = [one.label for one in self.siblings if one.is_same_text and not one.is_current]
        if others:
            found.append(f"This candidate has the same text as {', '.join(others)}.")
        return tuple(found)

    @cached_property
    def preference(self) -> ReadingPreference:
        return reading_preference(self.user)

    @cached_property
    def own_note(self) -> ReferenceNote | None:
        return own_note(self.user.pk, self.assignment.candidate.reference_id)

    @property
    def previous(self) -> UUID | None:
        return self._neighbours[0]

    @property
    def following(self) -> UUID | None:
        return self._neighbours[1]

    @cached_property
    def _neighbours(self) -> tuple[UUID | None, UUID | None]:
        """The assignments before and after this one, rated or not, in the user's order."""
        own = Assignment.objects.filter(annotator=self.user, campaign=self.assignment.campaign_id)
        return neighbours(own, self.assignment.position)

    @property
    def may_take(self) -> bool:
        """Whether the campaign lets them take own marks, with texts that are there and theirs."""
        if not self.assignment.campaign.has_mark_files:
            return False
        is_there = self.assignment.candidate.reference.erased_at is None
        is_theirs = not self.is_recused and self.assignment.status not in GIVEN_UP
        return is_there and is_theirs

    @property
    def is_writable(self) -> bool:
        return not self.closed_because

    @property
    def rating_version(self) -> int:
        return self.rating.version if self.rating else 0

    @property
    def draft_version(self) -> int:
        return self.draft.version if self.draft else 0

    @property
    def lease_ends_at(self) -> datetime | None:
        """The end of a running lease; none for a named, rated or left assignment."""
        row = self.assignment
        return row.lease_expires_at if row.status == AssignmentStatus.OPEN else None

    @property
    def is_lapsed(self) -> bool:
        return self.assignment.status == AssignmentStatus.LAPSED

    @property
    def may_return(self) -> bool:
        """Whether what was left may be taken back: a recusal only for some time."""
        if self.is_recused:
            return recusals(self.assignment).exists()
        return self.assignment.status == AssignmentStatus.SKIPPED


GIVEN_UP: Final = (AssignmentStatus.RECUSED, AssignmentStatus.WITHDRAWN)
"""After these nothing of a candidate is its annotator's any more."""
LEAVABLE = (AssignmentStatus.OPEN, AssignmentStatus.LAPSED)


TAKEN_BACK_WITHIN: Final = timedelta(minutes=30)
"""So long a recusal may be taken back; after that it stands."""


def recusals(assignment: Assignment) -> QuerySet[Departure]:
    """Return the recusals from the assignment's reference that may still be taken back."""
    return Departure.objects.filter(
        kind=DepartureKind.RECUSAL,
        assignment__annotator=assignment.annotator_id,
        assignment__status=AssignmentStatus.RECUSED,
        assignment__candidate__reference=assignment.candidate.reference_id,
        made_at__gt=database_now() - TAKEN_BACK_WITHIN,
    )


@dataclass(frozen=True, slots=True)
class RecentRecusal:
    """A recusal that may still be taken back; the reference is named by its id, not by its text."""

    assignment_id: UUID
    reference_id: str
    campaign: str
    count: int
    ends_at: datetime


def recent_recusals(user: User) -> list[RecentRecusal]:
    """Return the user's recusals that may still be taken back, the latest first.

    Whether other annotators have taken the candidates meanwhile is not looked at: the queue does
    not change with what others do.
    """
    rows = Departure.objects.filter(
        assignment__in=assignments_for(user).filter(status=AssignmentStatus.RECUSED).values("pk"),
        assignment__campaign__status=CampaignStatus.OPEN,
        kind=DepartureKind.RECUSAL,
        made_at__gt=Now() - TAKEN_BACK_WITHIN,
    )
    rows = rows.select_related("assignment__campaign", "assignment__candidate__reference").only(
        "made_at", "assignment__campaign__name", "assignment__candidate__reference__reference_id"
    )
    found: dict[UUID, list[Departure]] = {}
    for row in rows.order_by("-made_at", "assignment__position"):
        found.setdefault(row.assignment.candidate.reference_id, []).append(row)
    return [
        RecentRecusal(
            group[0].assignment_id,
            group[0].assignment.candidate.reference.reference_id,
            group[0].assignment.campaign.name,
            len({row.assignment_id for row in group}),
            group[0].made_at + TAKEN_BACK_WITHIN,
        )
        for group in found.values()
    ]


def open_of_reference(assignment: Assignment) -> QuerySet[Assignment]:
    """Return what a recusal would take from the annotator."""
    return Assignment.objects.filter(
        Q(status__in=LEAVABLE) | Q(status=AssignmentStatus.SKIPPED),
        annotator=assignment.annotator_id,
        candidate__reference=assignment.candidate.reference_id,
    )


def rate_page(user: User, assignment_id: UUID) -> RatePage | None:
    """Return the page of the user's own assignment; None when it is not theirs."""
    looks = SecondLook.objects.filter(assignment=OuterRef("pk"), answered_at=None)
    asked = looks.filter(round__finished_at=None)
    rows = assignments_for(user).select_related("rating", "draft")
    recused = recused_references(user.pk).filter(
        candidate__reference=OuterRef("candidate__reference")
    )
    rows = rows.annotate(
        question=Subquery(asked.values("round__question")[:1]), is_recused=Exists(recused)
    )
    assignment = rows.filter(pk=assignment_id).first()
    if assignment is None:
        return None
    rating = getattr(assignment, "rating", None)
    return RatePage(
        user=user,
        assignment=assignment,
        rating=rating,
        draft=getattr(assignment, "draft", None),
        closed_because=RECUSED_SENTENCE if assignment.is_recused else _closed_because(assignment),
        question=assignment.question or "",
        is_recused=assignment.is_recused,
    )


def own_rating(user: User, assignment_id: UUID) -> Rating | None:
    """Return the user's rating of an assignment; None when there is none, or it is not theirs."""
    rows = Rating.objects.filter(assignment__in=assignments_for(user).values("pk"))
    return rows.filter(assignment=assignment_id).select_related("assignment__campaign").first()


def _closed_because(assignment: Assignment) -> str:
    if hasattr(assignment, "rating"):
        return LOCKED_SENTENCE if is_locked(assignment) else ""
    status = AssignmentStatus(assignment.status)
    if status in LEFT_SENTENCES:
        return LEFT_SENTENCES[status]
    return "" if assignment.campaign.is_open else CLOSED_SENTENCE
