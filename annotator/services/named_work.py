"""Writes of work given and taken back by name: assign, withdraw, quotas."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction

from annotator.clock import database_now
from annotator.formats.free_text import LONGEST_REASON, check_words
from annotator.models import (
    HOLDING,
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
from annotator.queries.adjudicators import has_ruled_on
from annotator.refusals import OutOfDate, Refused
from annotator.services import audit
from annotator.services.assignments import assign_candidates
from annotator.services.places import add_places, free_place

NO_REASON: Final = "Say why, in a few words: it stays in the trail."
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
    row = lock_open_campaign(campaign)
    membership = lock_annotator(row, annotator)
    refuse_past(due_at)
    refuse_erased(references)
    known = dict(
        Assignment.objects.filter(
            annotator=annotator, candidate__reference__in=references
        ).values_list("candidate_id", "status")
    )
    if AssignmentStatus.RECUSED in known.values():
        _refuse("references", f"{annotator.username} is recused from one of these references.")
    again = (AssignmentStatus.LAPSED, AssignmentStatus.WITHDRAWN)
    candidates = [
        candidate
        for candidate in _candidates_of(references)
        if known.get(candidate.pk) in (None, *again)
    ]
    if has_ruled_on(annotator, [candidate.pk for candidate in candidates]):
        _refuse("references", f"{annotator.username} has ruled on one of these; give it to others.")
    if not candidates:
        _refuse("references", f"{annotator.username} has all of this already.")
    _refuse_beyond_quota(membership, len(candidates))
    give_by_name(
        campaign=row, annotator=annotator, candidates=candidates, due_at=due_at, again=again
    )
    beyond = sum(candidate.held >= candidate.places for candidate in candidates)
    left_before = sum(status == AssignmentStatus.SKIPPED for status in known.values())
    _audit(row, by, annotator, "assignments.named", {"count": len(candidates), "beyond": beyond})
    return Named(len(candidates), beyond, left_before)


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
    check_words("reason", reason, longest=LONGEST_REASON, empty=NO_REASON)
    row = lock_open_campaign(campaign)
    rows = Assignment.objects.filter(
        campaign=row, annotator=annotator, status=AssignmentStatus.OPEN
    )
    if references is not None:
        rows = rows.filter(candidate__reference__in=references)
    count = 0
    for pk, candidate_id in list(rows.order_by("position").values_list("pk", "candidate_id")):
        # Whoever changes the row first counts it: what is submitted at this moment stays theirs.
        if rows.filter(pk=pk).update(status=AssignmentStatus.WITHDRAWN):
            free_place(candidate_id)
            count += 1
    if not count:
        raise OutOfDate(f"{annotator.username} has nothing open of this.")
    _audit(row, by, annotator, "assignments.withdrawn", {"count": count, "reason": reason})
    return count


@transaction.atomic
def set_quota(*, membership: Membership, quota: int | None, by: User) -> Membership:
    """Say how many candidates an annotator has at most, rated ones included; None for no limit.

    Nothing that they have is taken back.
    """
    if quota is not None and not 0 <= quota <= LARGEST_QUOTA:
        _refuse("quota", f"A quota is a number from 0 to {LARGEST_QUOTA:,}, or empty.")
    row = Membership.objects.select_for_update(no_key=True).get(pk=membership.pk)
    if row.role != Role.ANNOTATOR:
        _refuse("quota", "Only annotators have a quota.")
    if row.quota != quota:
        before, row.quota = row.quota, quota
        row.save(update_fields=["quota"])
        _audit(row.campaign, by, row.user, "quota.set", {"from": before, "to": quota})
    return row


def lock_open_campaign(campaign: Campaign) -> Campaign:
    """Return the campaign as it is now, locked; plans wait for each other here."""
    # Not its key: a submit that holds its assignment writes rows that name the campaign.
    row = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if not row.is_open:
        raise OutOfDate("The campaign is closed; nothing changes hands any more.")
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
        _refuse("references", f"{of_them} erased and cannot be given to anybody. Leave it out.")


def refuse_past(due_at: datetime | None) -> None:
    """Refuse a due date that nobody can keep."""
    if due_at is not None and due_at <= database_now():
        _refuse("due_at", "The due date has passed already.")


def _candidates_of(references: Sequence[Reference]) -> list[Candidate]:
    """Return what may be given of references, without the texts; a repeat is one annotator's."""
    rows = Candidate.objects.filter(reference__in=references).exclude(purpose=Purpose.REPEAT)
    return list(rows.defer("claims").order_by("queue_position", "reference_id", "candidate_id"))


def _refuse_beyond_quota(membership: Membership, count: int) -> None:
    if membership.quota is None:
        return
    held = Assignment.objects.filter(
        campaign=membership.campaign_id, annotator=membership.user_id, status__in=HOLDING
    ).count()
    left = max(membership.quota - held, 0)
    if count > left:
        _refuse("annotator", f"Their quota leaves {left}; this is {count}. Raise the quota first.")


def _refuse(field: str, why: str) -> None:
    raise Refused(why, {field: [why]})


def _audit(
    campaign: Campaign, by: User, annotator: User, action: str, details: dict[str, object]
) -> None:
    audit.record(
        actor=by,
        campaign=campaign,
        action=action,
        object_type="user",
        object_id=annotator.pk,
        details=details,
    )
