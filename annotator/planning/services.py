"""Work given and taken back by name, by plan, and for qualification."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Greatest

from annotator import audit_log
from annotator.access.locks import lock_open_campaign
from annotator.access.scopes import annotators_of, has_ruled_on
from annotator.assignments.services import (
    add_places,
    assign_candidates,
    free_places,
    held_by,
    spread_places,
)
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Membership,
    Purpose,
    Reference,
    Role,
    User,
)
from annotator.planning.queries import plan_facts
from annotator.planning.rules import Plan, make_plan
from core.clock import database_now
from core.errors import OutOfDate, Refused
from core.shapes import LONGEST_REASON, check_text

NO_REASON: Final = "Give a short reason: it is recorded."
LARGEST_QUOTA: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Named:
    """What giving by name came to: given, of those beyond the places, and what they had left."""

    given: int
    beyond: int
    left_before: int


@transaction.atomic
def assign_by_name(
    *,
    campaign: Campaign,
    annotator: User,
    references: Sequence[Reference],
    due_at: datetime | None,
    by: User,
) -> Named:
    """Give an annotator whole references, beyond the places of their candidates if need be.

    What lapsed or was withdrawn is theirs again; what they skipped stays skipped. Refused when
    they are recused from a reference, have it all already, or have not so much quota left.
    """
    row = lock_open_campaign(campaign.pk)
    membership = lock_annotator(row, annotator)
    refuse_past(due_at)
    refuse_erased(references)
    known = dict(
        Assignment.objects.filter(
            annotator=annotator, candidate__reference__in=references
        ).values_list("candidate_id", "status")
    )
    if AssignmentStatus.RECUSED in known.values():
        why = f"{annotator.username} is recused from one of these references."
        raise Refused.at("references", why)
    again = (AssignmentStatus.LAPSED, AssignmentStatus.WITHDRAWN)
    candidates = [
        candidate
        for candidate in _candidates_of(references)
        if known.get(candidate.pk) in (None, *again)
    ]
    if has_ruled_on(annotator, [candidate.pk for candidate in candidates]):
        why = f"{annotator.username} has ruled on one of these; give it to others."
        raise Refused.at("references", why)
    if not candidates:
        raise Refused.at("references", f"{annotator.username} has all of this already.")
    if membership.quota is not None:
        left = max(membership.quota - held_by(annotator, row), 0)
        if len(candidates) > left:
            asked = f"Their quota leaves {left}; this is {len(candidates)}."
            raise Refused.at("annotator", f"{asked} Raise the quota first.")
    give_by_name(
        campaign=row, annotator=annotator, candidates=candidates, due_at=due_at, again=again
    )
    beyond = sum(candidate.held >= candidate.places for candidate in candidates)
    left_before = sum(status == AssignmentStatus.SKIPPED for status in known.values())
    count = len(candidates)
    audit_log.record_on(annotator, "assignments.named", by, row, count=count, beyond=beyond)
    return Named(count, beyond, left_before)


def give_by_name(
    *,
    campaign: Campaign,
    annotator: User,
    candidates: Sequence[Candidate],
    due_at: datetime | None,
    again: Collection[str] = (AssignmentStatus.LAPSED,),
) -> None:
    """Give candidates by name; their own rows in one of the states `again` are opened again."""
    old = Assignment.objects.filter(
        annotator=annotator, candidate__in=candidates, status__in=list(again)
    )
    known = set(old.values_list("candidate_id", flat=True))
    if known:
        old.update(status=AssignmentStatus.OPEN, lease_expires_at=None, due_at=due_at)
        add_places(list(known))
    new = [candidate for candidate in candidates if candidate.pk not in known]
    if new:
        assign_candidates(campaign=campaign, annotator=annotator, candidates=new, due_at=due_at)


@transaction.atomic
def withdraw_assignments(
    *,
    campaign: Campaign,
    annotator: User,
    reason: str,
    by: User,
    references: Sequence[Reference] | None = None,
) -> int:
    """Take back what an annotator has open, all of it or of some references; return how many.

    Their places are free again and their drafts stay; what is rated stays rated. Raises OutOfDate
    when nothing is open.
    """
    check_text("reason", reason, longest=LONGEST_REASON, empty=NO_REASON)
    row = lock_open_campaign(campaign.pk)
    rows = Assignment.objects.filter(campaign=row, annotator=annotator)
    if references is not None:
        rows = rows.filter(candidate__reference__in=references)
    count = free_places(rows, AssignmentStatus.WITHDRAWN)
    if not count:
        raise OutOfDate(f"{annotator.username} has nothing open of this.")
    audit_log.record_on(annotator, "assignments.withdrawn", by, row, count=count, reason=reason)
    return count


@transaction.atomic
def set_quota(*, membership: Membership, quota: int | None, by: User) -> Membership:
    """Return how many candidates an annotator has at most, rated ones included; None for no limit.

    Nothing that they have is taken back.
    """
    if quota is not None and not 0 <= quota <= LARGEST_QUOTA:
        raise Refused.at("quota", f"A quota is a number from 0 to {LARGEST_QUOTA:,}, or empty.")
    row = Membership.objects.select_for_update(no_key=True).get(pk=membership.pk)
    if row.role != Role.ANNOTATOR:
        raise Refused.at("quota", "Only annotators have a quota.")
    if row.quota != quota:
        change = {"from": row.quota, "to": quota}
        row.quota = quota
        row.save(update_fields=["quota"])
        audit_log.record_on(row.user, "quota.set", by, row.campaign_id, **change)
    return row


def lock_annotator(campaign: Campaign, annotator: User) -> Membership:
    """Have an annotator's own requests wait, so that no number is given twice."""
    rows = Membership.objects.select_for_update(no_key=True).filter(
        campaign=campaign, user=annotator, role=Role.ANNOTATOR
    )
    membership = rows.first()
    if membership is None:
        raise OutOfDate(f"{annotator.username} is no annotator of this campaign.")
    return membership


def refuse_erased(references: Sequence[Reference]) -> None:
    """Refuse references whose text is gone: there is nothing to rate in them."""
    rows = Reference.objects.filter(pk__in=[row.pk for row in references])
    if count := rows.exclude(erased_at=None).count():
        of_them = f"{count} of these references was" if count == 1 else f"{count} of these were"
        why = f"{of_them} erased and cannot be given to anybody. Leave it out."
        raise Refused.at("references", why)


def refuse_past(due_at: datetime | None) -> None:
    """Refuse a due date that nobody can meet."""
    if due_at is not None and due_at <= database_now():
        raise Refused.at("due_at", "The due date has passed already.")


def _candidates_of(references: Collection[Reference] | Collection[UUID]) -> list[Candidate]:
    """Return what may be given of references, without the texts.

    A repeat is one annotator's, and everybody practises on what is for calibration.
    """
    # A sentinel among them too: whole references look alike to everybody.
    rows = Candidate.objects.filter(reference__in=references)
    rows = rows.exclude(purpose__in=(Purpose.REPEAT, Purpose.CALIBRATION))
    return list(rows.defer("claims").order_by("queue_position", "reference_id", "candidate_id"))


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
        raise Refused.at("annotators", "Choose at least one annotator.")
    plan = make_plan(*plan_facts(campaign, annotators), seed)
    shares = [(row.annotator, row.reference, row.candidates) for row in plan.shares]
    left = [(row.candidate, row.places) for row in plan.unplaced]
    return PreviewedPlan(plan, hashlib.sha256(json.dumps([shares, left]).encode()).hexdigest())


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
    row = lock_open_campaign(campaign.pk)
    refuse_past(due_at)
    for annotator in sorted(annotators, key=lambda user: user.pk):
        lock_annotator(row, annotator)
    previewed = preview_plan(campaign=row, annotators=annotators, seed=seed)
    if digest and digest != previewed.digest:
        raise OutOfDate(MOVED_ON)
    if not previewed.count:
        raise Refused("There is nothing to assign: no candidate has a free place for them.")
    _give(row, annotators, previewed.plan, due_at)
    audit_log.record_on(
        row,
        "plan.carried_out",
        by,
        annotators=sorted(user.username for user in annotators),
        seed=seed,
        due_at=due_at.isoformat() if due_at else None,
        count=previewed.count,
        without_annotator=sum(entry.places for entry in previewed.plan.unplaced),
        digest=previewed.digest,
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


@transaction.atomic
def mark_qualification(*, campaign: Campaign, references: Sequence[Reference], by: User) -> int:
    """Have every annotator rate these references, first; return how many candidates were marked.

    Each gets them by name now, whoever joins later when they join. A quota does not count here.
    Raises OutOfDate when all are marked already.
    """
    row = lock_open_campaign(campaign.pk)
    if not references:
        raise Refused.at("references", "Name at least one reference.")
    refuse_erased(references)
    rated = Candidate.objects.filter(reference__in=references, purpose=Purpose.RATED)
    marked = rated.update(purpose=Purpose.QUALIFICATION)
    if not marked:
        raise OutOfDate("These references are for qualification already.")
    fit_qualification(row)
    for annotator in annotators_of(row).order_by("pk"):
        give_qualification(campaign=row, annotator=annotator)
    ids = [reference.reference_id for reference in references]
    audit_log.record_on(row, "qualification.marked", by, references=ids)
    return marked


@transaction.atomic
def unmark_qualification(*, campaign: Campaign, references: Sequence[Reference], by: User) -> int:
    """Make these references ordinary ones again; what is given or rated stays with its annotator.

    Return how many candidates it was. Raises OutOfDate when none is for qualification.
    """
    row = lock_open_campaign(campaign.pk)
    rows = Candidate.objects.filter(reference__in=references, purpose=Purpose.QUALIFICATION)
    count = rows.update(purpose=Purpose.RATED)
    if not count:
        raise OutOfDate("These references are not for qualification.")
    spread_places(row)
    fit_qualification(row)
    ids = [reference.reference_id for reference in references]
    audit_log.record_on(row, "qualification.unmarked", by, references=ids)
    return count


def give_qualification(*, campaign: Campaign, annotator: User) -> int:
    """Give an annotator the qualification references that they never had; return how many
    candidates. Called where somebody becomes annotator."""
    # Asked step by step: as one query, PostgreSQL compared all candidates with all for want of
    # statistics, while an import that made the annotators had just written them.
    marked = _marked(campaign)
    references = set(marked.values_list("reference_id", flat=True))
    if not references:
        return 0
    own = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    recused = own.filter(status=AssignmentStatus.RECUSED)
    references -= set(recused.values_list("candidate__reference_id", flat=True))
    had = own.exclude(status=AssignmentStatus.LAPSED)
    had_candidates = set(had.values_list("candidate_id", flat=True))
    candidates = [row for row in _candidates_of(references) if row.pk not in had_candidates]
    if candidates:
        lock_annotator(campaign, annotator)
        give_by_name(campaign=campaign, annotator=annotator, candidates=candidates, due_at=None)
    return len(candidates)


def fit_qualification(campaign: Campaign) -> None:
    """Give what is for qualification a place for each annotator, and for whoever has it by now."""
    count = max(annotators_of(campaign).count(), 1)
    rows = _marked(campaign)
    rows.update(places=Greatest(Value(count), F("held")))
    rows.update(has_room=Q(held__lt=F("places")))


def _marked(campaign: Campaign) -> QuerySet[Candidate]:
    """Return what is for qualification; an erased reference has nothing left to rate."""
    rows = Candidate.objects.filter(campaign=campaign, reference__erased_at=None)
    return rows.filter(purpose=Purpose.QUALIFICATION)
