"""Flags at the text that they are about, and the answers as their annotators read them."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models import F, QuerySet

from annotator.access.scopes import readable_assignments
from annotator.models import Assignment, Campaign, CampaignStatus, Candidate, Flag, Reference, User
from annotator.rating.queries import ReadingPage
from core.clock import database_now

# So long an answer stands in the queue of who flagged.
SHOWN_FOR: Final = timedelta(days=14)
MOST_SHOWN: Final = 20


@dataclass(frozen=True)
class FlagPage(ReadingPage):
    """The flags on one assignment, with the claim sets that its annotator had before them."""

    flags: tuple[Flag, ...]

    @property
    def assignment(self) -> Assignment:
        return self.flags[0].assignment

    @property
    def candidate(self) -> Candidate:
        return self.assignment.candidate

    @property
    def is_open(self) -> bool:
        return any(flag.closed_at is None for flag in self.flags)

    @property
    def answer(self) -> str:
        """What was answered last."""
        return self.flags[0].answer

    @property
    def reference(self) -> Reference:
        return self.candidate.reference

    @property
    def texts(self) -> tuple[Reference, Candidate]:
        return self.reference, self.candidate


def flags_on(campaign: Campaign, assignment: UUID) -> FlagPage | None:
    """Return the flags on an assignment of the campaign, the newest first; None without any."""
    rows = Flag.objects.filter(assignment=assignment, assignment__campaign=campaign)
    found = rows.select_related(
        "assignment__annotator", "assignment__candidate__reference", "answered_by", "closed_by"
    ).order_by("-made_at", "-pk")
    return FlagPage(tuple(found)) if found else None


def answers_to(user: User) -> QuerySet[Flag]:
    """Return the person's own flags that were answered lately in open campaigns, the newest first.

    By whom is not loaded, nor anything of the candidate but the name that the person has for it.
    Left out: those of references from which they recused themselves, since answers may quote.
    """
    rows = Flag.objects.filter(
        assignment__in=readable_assignments(user).values("pk"),
        assignment__campaign__status=CampaignStatus.OPEN,
        answered_at__gte=database_now() - SHOWN_FOR,
    )
    told = rows.annotate(
        label=F("assignment__label"), title=F("assignment__candidate__reference__title")
    )
    return told.only("reason_code", "reason", "answer", "answered_at", "assignment_id").order_by(
        "-answered_at", "pk"
    )[:MOST_SHOWN]
