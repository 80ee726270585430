"""Writes that bring a further annotator to a candidate: who can, and by what round."""

from collections.abc import Iterable
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
    had = Assignment.objects.filter(candidate=candidate)
    return _readers(candidate).exclude(pk__in=had.values("annotator_id"))


def _readers(candidate: Candidate) -> QuerySet[User]:
    """Return who can rate candidates of a candidate's reference at all."""
    recused = Assignment.objects.filter(
        candidate__reference=candidate.reference_id, status=AssignmentStatus.RECUSED
    )
    return (
        User.objects.filter(pk__in=_members(candidate).values("user_id"), is_active=True)
        .exclude(password__startswith=UNUSABLE_PASSWORD_PREFIX)
        .exclude(pk__in=recused.values("annotator_id"))
    )


def blind_annotators(candidate: Candidate) -> QuerySet[User]:
    """Return those of them who see nothing of others, whoever has its reference open first.

    The two candidates of an order flip go to one person in this way.
    """
    open_here = Assignment.objects.filter(
        annotator=OuterRef("pk"),
        candidate__reference=candidate.reference_id,
        status=AssignmentStatus.OPEN,
    )
    people = _blind(_able(candidate), candidate)
    people = people.annotate(busy=_busy(candidate), reads_it=Exists(open_here))
    return people.order_by("-reads_it", "busy", "username")


def _blind(people: QuerySet[User], candidate: Candidate) -> QuerySet[User]:
    here = {"campaign": candidate.campaign_id, "user": OuterRef("pk")}
    seeing = Membership.objects.filter(**here, role__in=SEEING)
    shown = Unblinding.objects.filter(**here)
    return people.exclude(Exists(seeing)).exclude(Exists(shown))


def can_be_rated(candidates: Iterable[Candidate]) -> set[UUID]:
    """Return which genuine candidates of one reference somebody is at work on, or could take.

    They may be a thousand: the database is asked as often for one.
    """
    rows = list(candidates)
    if not rows:
        return set()
    members = set(_members(rows[0]).filter(user__is_active=True).values_list("user_id", flat=True))
    people = set(_blind(_readers(rows[0]), rows[0]).values_list("pk", flat=True))
    had: dict[UUID, set[UUID]] = {}
    found = set()
    shares = Assignment.objects.filter(candidate__in=[row.pk for row in rows])
    for pk, annotator, status in shares.values_list("candidate_id", "annotator_id", "status"):
        had.setdefault(pk, set()).add(annotator)
        if status in (AssignmentStatus.OPEN, AssignmentStatus.LAPSED) and annotator in members:
            found.add(pk)
    return found | {row.pk for row in rows if people - had.get(row.pk, set())}


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
