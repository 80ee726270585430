"""Writes that bring a further annotator to a candidate: who can, and by what round."""

from datetime import datetime
from uuid import UUID

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db.models import Count, Q, QuerySet

from annotator.models import (
    HOLDING,
    Assignment,
    AssignmentStatus,
    Candidate,
    Membership,
    Purpose,
    Role,
    Round,
    RoundKind,
    User,
)
from annotator.services.places import add_places, widen


def further_annotator(candidate: Candidate) -> User | None:
    """Return who can rate a candidate besides those who have it or had it, the least busy first.

    None when nobody can: everybody had it, or is recused from its reference.
    """
    if candidate.purpose == Purpose.REPEAT:
        return None  # it is one annotator's own
    busy = Count(
        "assignments",
        filter=Q(
            assignments__campaign=candidate.campaign_id,
            assignments__status=AssignmentStatus.OPEN,
        ),
    )
    away = Assignment.objects.filter(
        Q(candidate=candidate)
        | Q(candidate__reference=candidate.reference_id, status=AssignmentStatus.RECUSED)
    )
    return (
        User.objects.filter(pk__in=_members(candidate).values("user_id"), is_active=True)
        # An account without a password belongs to nobody who could work.
        .exclude(password__startswith=UNUSABLE_PASSWORD_PREFIX)
        .exclude(pk__in=away.values("annotator_id"))
        .annotate(busy=busy)
        .order_by("busy", "username")
        .first()
    )


def assign_further(*, candidate: Candidate) -> Assignment | None:
    """Give a candidate by name to a further annotator; None when there is nobody."""
    other = further_annotator(candidate)
    if other is None:
        return None
    # Who takes their next candidate at this moment waits, so that no number is given twice.
    list(_members(candidate).select_for_update().filter(user=other))
    last = Assignment.objects.filter(campaign=candidate.campaign_id, annotator=other)
    position = (last.order_by("-position").values_list("position", flat=True).first() or 0) + 1
    row = Assignment.objects.create(
        campaign_id=candidate.campaign_id,
        annotator=other,
        candidate=candidate,
        label=f"Candidate {position}",
        position=position,
    )
    add_places([candidate.pk])
    return row


def ask_by_ladder(*, candidate_id: UUID, now: datetime) -> bool:
    """Ask one more annotator about a discrepant candidate; False when there is nobody to ask."""
    candidate = Candidate.objects.get(pk=candidate_id)
    if further_annotator(candidate) is None:
        return False
    Round.objects.create(
        candidate=candidate, number=next_number(candidate), kind=RoundKind.LADDER, made_at=now
    )
    make_room(candidate)
    return True


def next_number(candidate: Candidate) -> int:
    """Return the number of a candidate's next round; its first ratings were round one."""
    return candidate.rounds.count() + 2


def make_room(candidate: Candidate) -> None:
    """Give a candidate a place for one more; where work is given by name, give it by name."""
    widen(candidate.pk)
    holders = candidate.assignments.filter(status__in=HOLDING)
    if not holders.filter(lease_expires_at__isnull=False).exists():
        assign_further(candidate=candidate)


def _members(candidate: Candidate) -> QuerySet[Membership]:
    return Membership.objects.filter(campaign=candidate.campaign_id, role=Role.ANNOTATOR)
