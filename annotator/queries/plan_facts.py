"""What a plan is made from: the free places of a campaign, and who has or left what.

No claim text is read: a plan is about names.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from annotator.models import (
    HOLDING,
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Membership,
    Purpose,
    Role,
    User,
)
from annotator.plans.making import PlanAnnotator, PlanCandidate, PlanReference

# Theirs and not rated in time: it may be given to them again, by the row that is there.
AGAIN = (AssignmentStatus.LAPSED,)


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """References in the campaign's order and annotators; keys are primary keys as text."""

    references: tuple[PlanReference, ...]
    annotators: tuple[PlanAnnotator, ...]


def plan_facts(campaign: Campaign, annotators: Sequence[User]) -> PlanFacts:
    """Read what a plan for these annotators needs; repeats are each one annotator's own."""
    rows = list(
        Assignment.objects.filter(campaign=campaign)
        .order_by()
        .values_list("annotator_id", "candidate_id", "candidate__reference_id", "status")
    )
    holders: dict[UUID, set[str]] = {}
    barred: dict[UUID, set[str]] = {}
    recused: dict[UUID, set[str]] = {}
    loads: dict[UUID, int] = {}
    for who, candidate, reference, status in rows:
        if status in HOLDING:
            holders.setdefault(candidate, set()).add(str(who))
            loads[who] = loads.get(who, 0) + 1
        elif status not in AGAIN:
            barred.setdefault(candidate, set()).add(str(who))
        if status == AssignmentStatus.RECUSED:
            recused.setdefault(who, set()).add(str(reference))
    quotas = dict(
        Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR).values_list(
            "user_id", "quota"
        )
    )
    return PlanFacts(
        _references(campaign, holders, barred),
        tuple(
            PlanAnnotator(
                str(user.pk),
                _room(quotas.get(user.pk), loads.get(user.pk, 0)),
                loads.get(user.pk, 0),
                frozenset(recused.get(user.pk, ())),
            )
            for user in annotators
        ),
    )


def _references(
    campaign: Campaign, holders: dict[UUID, set[str]], barred: dict[UUID, set[str]]
) -> tuple[PlanReference, ...]:
    found: dict[UUID, list[PlanCandidate]] = {}
    rows = (
        Candidate.objects.filter(campaign=campaign, reference__erased_at=None)
        .exclude(purpose=Purpose.REPEAT)
        .order_by("reference__position", "reference__reference_id", "candidate_id")
        .values_list("pk", "reference_id", "system", "places", "held")
    )
    for pk, reference, system, places, held in rows:
        found.setdefault(reference, []).append(
            PlanCandidate(
                str(pk),
                system,
                max(places - held, 0),
                frozenset(holders.get(pk, ())),
                frozenset(barred.get(pk, ())),
            )
        )
    return tuple(PlanReference(str(pk), tuple(group)) for pk, group in found.items())


def _room(quota: int | None, load: int) -> int | None:
    return None if quota is None else max(quota - load, 0)
