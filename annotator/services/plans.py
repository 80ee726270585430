"""Writes of assignment plans: what a plan would come to, and carrying it out as it was shown."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F

from annotator.models import Campaign, Candidate, User
from annotator.plans.making import Plan, make_plan
from annotator.queries.adjudicators import has_ruled_on
from annotator.queries.plan_facts import plan_facts
from annotator.refusals import OutOfDate, Refused
from annotator.services import audit
from annotator.services.named_work import (
    give_by_name,
    lock_annotator,
    lock_open_campaign,
    refuse_past,
)

MOVED_ON: Final = "The campaign has moved on since this plan was made; look at the new one."


@dataclass(frozen=True, slots=True)
class PreviewedPlan:
    """A plan with the digest by which it is carried out as it was shown; keys are ids as text."""

    plan: Plan
    digest: str

    @property
    def count(self) -> int:
        """How many assignments it makes."""
        return sum(len(share.candidates) for share in self.plan.shares)


def preview_plan(*, campaign: Campaign, annotators: Sequence[User], seed: int) -> PreviewedPlan:
    """Return what would be given to whom; nothing is stored.

    The same campaign in the same state, the same annotators and seed give the same plan. Refused
    without annotators.
    """
    if not annotators:
        why = "Choose at least one annotator."
        raise Refused(why, {"annotators": [why]})
    facts = plan_facts(campaign, annotators)
    plan = make_plan(facts.references, facts.annotators, seed)
    return PreviewedPlan(plan, _digest(plan))


@transaction.atomic
def carry_out_plan(
    *,
    campaign: Campaign,
    annotators: Sequence[User],
    due_at: datetime | None,
    seed: int,
    by: User,
    digest: str = "",
) -> PreviewedPlan:
    """Give the plan's assignments by name, all of them or none.

    With the digest of a preview, raises OutOfDate when the plan would be another by now. Refused
    when nothing is to be given.
    """
    row = lock_open_campaign(campaign)
    refuse_past(due_at)
    for annotator in sorted(annotators, key=lambda user: user.pk):
        lock_annotator(row, annotator)
    previewed = preview_plan(campaign=row, annotators=annotators, seed=seed)
    if digest and digest != previewed.digest:
        raise OutOfDate(MOVED_ON)
    if not previewed.count:
        raise Refused("There is nothing to give out: no candidate has a free place for them.")
    _give(row, annotators, previewed.plan, due_at)
    audit.record(
        actor=by,
        campaign=row,
        action="plan.carried_out",
        object_type="campaign",
        object_id=row.pk,
        details={
            "annotators": sorted(user.username for user in annotators),
            "seed": seed,
            "due_at": due_at.isoformat() if due_at else None,
            "count": previewed.count,
            "without_annotator": sum(entry.places for entry in previewed.plan.unplaced),
            "digest": previewed.digest,
        },
    )
    return previewed


def _give(
    campaign: Campaign, annotators: Sequence[User], plan: Plan, due_at: datetime | None
) -> None:
    rows = Candidate.objects.filter(campaign=campaign).defer("claims").in_bulk()
    given: list[Candidate] = []
    for annotator in annotators:
        mine = [
            rows[UUID(key)]
            for share in plan.shares
            if share.annotator == str(annotator.pk)
            for key in share.candidates
        ]
        if has_ruled_on(annotator, [row.pk for row in mine]):
            raise Refused(f"{annotator.username} has ruled on one of these; plan without them.")
        if mine:
            give_by_name(campaign=campaign, annotator=annotator, candidates=mine, due_at=due_at)
            given += mine
    # Somebody may have taken a candidate on demand since the places were read.
    full = Candidate.objects.filter(campaign=campaign, held__gt=F("places"))
    if {row.pk for row in given} & set(full.values_list("pk", flat=True)):
        raise OutOfDate(MOVED_ON)


def _digest(plan: Plan) -> str:
    shares = [(row.annotator, row.reference, row.candidates) for row in plan.shares]
    left = [(row.candidate, row.places) for row in plan.unplaced]
    return hashlib.sha256(json.dumps([shares, left]).encode()).hexdigest()
