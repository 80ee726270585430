"""Writes that bring a further annotator to a candidate: who can, and by what round."""

from datetime import datetime
from uuid import UUID

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

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
    Unblinding,
    User,
)
from annotator.services.places import add_places, widen

# Who holds one of these sees what others gave, and is no blind annotator.
SEEING = (Role.ADMIN, Role.ADJUDICATOR, Role.RESEARCHER)


def further_annotators(candidate: Candidate) -> QuerySet[User]:
    """Return who can rate a candidate besides those who have it or had it, the least busy first.

    Not who is recused from its reference, nor an account that belongs to nobody who could work.
    """
    return _able(candidate).annotate(busy=_busy(candidate)).order_by("busy", "username")


def _busy(candidate: Candidate) -> Count:
    status, campaign = AssignmentStatus.OPEN, candidate.campaign_id
    mine = Q(assignments__campaign=campaign, assignments__status=status)
    return Count("assignments", filter=mine)


def _able(candidate: Candidate) -> QuerySet[User]:
    if candidate.purpose == Purpose.REPEAT:
        return User.objects.none()  # it is one annotator's own
    away = Assignment.objects.filter(
        Q(candidate=candidate)
        | Q(candidate__reference=candidate.reference_id, status=AssignmentStatus.RECUSED)
    )
    return (
        User.objects.filter(pk__in=_members(candidate).values("user_id"), is_active=True)
        .exclude(password__startswith=UNUSABLE_PASSWORD_PREFIX)
        .exclude(pk__in=away.values("annotator_id"))
    )


def blind_annotators(candidate: Candidate) -> QuerySet[User]:
    """Return those of them who see nothing of others, whoever has its reference open first.

    The two candidates of an order flip go to one person in this way.
    """
    here = {"campaign": candidate.campaign_id, "user": OuterRef("pk")}
    open_here = Assignment.objects.filter(
        annotator=OuterRef("pk"),
        candidate__reference=candidate.reference_id,
        status=AssignmentStatus.OPEN,
    )
    seeing = Membership.objects.filter(**here, role__in=SEEING)
    shown = Unblinding.objects.filter(**here)
    people = _able(candidate).exclude(Exists(seeing)).exclude(Exists(shown))
    people = people.annotate(busy=_busy(candidate), reads_it=Exists(open_here))
    return people.order_by("-reads_it", "busy", "username")


def can_be_rated(candidate: Candidate) -> bool:
    """Say whether anybody is at work on a candidate, or could take it."""
    unfinished = (AssignmentStatus.OPEN, AssignmentStatus.LAPSED)
    rows = candidate.assignments.filter(
        status__in=unfinished,
        annotator__is_active=True,
        annotator__in=_members(candidate).values("user_id"),
    )
    return rows.exists() or blind_annotators(candidate).exists()


def assign_further(
    *, candidate: Candidate, people: QuerySet[User] | None = None
) -> Assignment | None:
    """Give a candidate by name to the first of the further annotators; None when there is none."""
    for other in further_annotators(candidate) if people is None else people:
        # Who takes their next candidate at this moment is passed over: they wait for the place of
        # the very candidate, and no number is given twice.
        if list(
            _members(candidate).select_for_update(skip_locked=True, no_key=True).filter(user=other)
        ):
            return _assign(candidate, other)
    return None


def ask_by_ladder(*, candidate_id: UUID, now: datetime) -> bool:
    """Ask one more annotator about a discrepant candidate; False when there is nobody to ask."""
    candidate = Candidate.objects.get(pk=candidate_id)
    if not blind_annotators(candidate).exists():
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
        assign_further(candidate=candidate, people=blind_annotators(candidate))


def _assign(candidate: Candidate, annotator: User) -> Assignment:
    last = Assignment.objects.filter(campaign=candidate.campaign_id, annotator=annotator)
    position = (last.order_by("-position").values_list("position", flat=True).first() or 0) + 1
    row = Assignment.objects.create(
        campaign_id=candidate.campaign_id,
        annotator=annotator,
        candidate=candidate,
        label=f"Candidate {position}",
        position=position,
    )
    add_places([candidate.pk])
    return row


def _members(candidate: Candidate) -> QuerySet[Membership]:
    return Membership.objects.filter(campaign=candidate.campaign_id, role=Role.ANNOTATOR)
