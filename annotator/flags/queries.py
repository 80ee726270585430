"""A flag at the text that it is about, and the answers that an annotator has not read long ago."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db.models import F, QuerySet

from annotator.access.scopes import assignments_for
from annotator.models import Campaign, CampaignStatus, Candidate, Flag, Reference, User
from annotator.rating.queries import ReadingPage
from core.clock import database_now

# So long an answer stands in the queue of who flagged.
SHOWN_FOR: Final = timedelta(days=14)
MOST_SHOWN: Final = 20


@dataclass(frozen=True)
class FlagPage(ReadingPage):
    """A flag with the claim sets that its annotator had before them."""

    flag: Flag

    @property
    def candidate(self) -> Candidate:
        return self.flag.assignment.candidate

    @property
    def reference(self) -> Reference:
        return self.candidate.reference

    @property
    def texts(self) -> tuple[Reference, Candidate]:
        return self.reference, self.candidate


def flags_of(campaign: Campaign) -> QuerySet[Flag]:
    """Return the flags of a campaign with what they are about."""
    return Flag.objects.filter(assignment__campaign=campaign).select_related(
        "assignment__annotator", "assignment__candidate__reference", "answered_by", "closed_by"
    )


def answers_to(user: User) -> QuerySet[Flag]:
    """Return the person's own flags that were answered lately in open campaigns, the newest first.

    By whom is not loaded, nor anything of the candidate but the name that the person has for it.
    """
    rows = Flag.objects.filter(
        assignment__in=assignments_for(user).values("pk"),
        assignment__campaign__status=CampaignStatus.OPEN,
        answered_at__gte=database_now() - SHOWN_FOR,
    )
    told = rows.annotate(
        label=F("assignment__label"), title=F("assignment__candidate__reference__title")
    )
    return told.only("reason_code", "reason", "answer", "answered_at", "assignment_id").order_by(
        "-answered_at", "pk"
    )[:MOST_SHOWN]
