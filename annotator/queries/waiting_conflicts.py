"""Conflicts that wait for annotators, as the list of an adjudicator shows them: without names."""

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from annotator.models import CampaignStatus, Conflict, ConflictStatus, Round, User
from annotator.queries.conflict_cases import candidate_names, conflicts_for, finding_words
from annotator.queries.rounds import rounds_on


@dataclass(frozen=True, slots=True)
class WaitingCase:
    """The waiting conflicts of one candidate, or of one pair; `conflict_id` is one of them.

    `round` is the number of the round that runs: two for the first after the ratings.
    """

    conflict_id: UUID
    reference: str
    campaign: str
    names: tuple[str, ...]
    findings: tuple[str, ...]
    round: int
    words: str
    since: datetime
    is_campaign_closed: bool


def waiting_cases(user: User) -> tuple[WaitingCase, ...]:
    """Return the cases about which annotators are asked, the longest first.

    Among them those in which the ratings agree again while somebody has not answered yet.
    """
    running = Round.objects.filter(conflict=OuterRef("pk"), finished_at=None)
    agreed = Q(status=ConflictStatus.LAPSED) & Q(Exists(running))
    rows = list(
        conflicts_for(user)
        .filter(Q(status=ConflictStatus.WAITING) | agreed)
        .select_related("campaign", "candidate__reference")
        .defer("candidate__claims", "candidate__reference__claims")
        .order_by("candidate", "other_candidate", "-gap", "pk")
    )
    if not rows:
        return ()
    names = candidate_names({row.candidate.reference_id for row in rows}, user)
    asked = [one for one in rounds_on(pk for row in rows for pk in _pair(row)) if one.is_running]
    cases = []
    for pair, group in groupby(rows, key=_pair):
        found = list(group)
        here = [one for one in asked if one.candidate_id in pair]
        first = found[0]
        cases.append(
            WaitingCase(
                first.pk,
                first.candidate.reference.title or first.candidate.reference.reference_id,
                first.campaign.name,
                tuple(sorted(names[pk] for pk in pair)),
                tuple(_words(row) for row in found),
                max((one.number for one in here), default=1),
                here[0].words if here else "a rating is still to come",
                min((one.made_at for one in here), default=first.opened_at),
                first.campaign.status == CampaignStatus.CLOSED,
            )
        )
    return tuple(sorted(cases, key=lambda case: case.since))


def _pair(row: Conflict) -> tuple[UUID, ...]:
    return tuple(pk for pk in (row.candidate_id, row.other_candidate_id) if pk)


def _words(row: Conflict) -> str:
    if row.status == ConflictStatus.LAPSED:
        return "the ratings agree again"
    return finding_words(row.kind, row.criterion, row.gap)
