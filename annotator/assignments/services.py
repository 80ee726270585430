"""Gives assignments, by name and on demand, and counts the places of a candidate where they change.

Every change of a status that counts goes through here, so that `held` is never counted anew.
"""

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from math import ceil
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotator import audit_log
from annotator.assignments.queries import free_candidates, most_urgent, standing_of
from annotator.models import (
    HOLDING,
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Membership,
    Purpose,
    Rating,
    Reference,
    Role,
    Round,
    RoundKind,
    User,
)
from core.clock import database_now
from core.errors import OutOfDate


def hold_place(candidate_id: UUID) -> bool:
    """Take one place of a candidate if one is free; one UPDATE decides between two takers."""
    free = Q(held__lt=F("places") - 1)
    rows = Candidate.objects.filter(pk=candidate_id, held__lt=F("places"))
    return rows.update(held=F("held") + 1, has_room=free) == 1


def add_places(candidate_ids: list[UUID]) -> None:
    """Count one more assignment on each candidate, beyond its places if an admin asks for it."""
    free = Q(held__lt=F("places") - 1)
    Candidate.objects.filter(pk__in=candidate_ids).update(held=F("held") + 1, has_room=free)


def free_place(candidate_id: UUID) -> None:
    """Give one place of a candidate back; a repeat has none for others."""
    free = Q(held__lte=F("places")) & ~Q(purpose=Purpose.REPEAT)
    Candidate.objects.filter(pk=candidate_id, held__gt=0).update(held=F("held") - 1, has_room=free)


def free_places(rows: QuerySet[Assignment], status: AssignmentStatus) -> int:
    """Change the status of the open ones of some assignments; return how many there were.

    Whoever changes a row first counts it: what is submitted at this moment stays its annotator's.
    """
    opened = rows.filter(status=AssignmentStatus.OPEN)
    count = 0
    # In this order, as whoever locks several candidates does: nobody waits here for who waits.
    for pk, candidate_id in list(opened.order_by("candidate_id").values_list("pk", "candidate_id")):
        if opened.filter(pk=pk).update(status=status):
            free_place(candidate_id)
            count += 1
    return count


def widen(candidate_id: UUID) -> None:
    """Give a candidate one place more than it had, for one more annotator."""
    free = Q(held__lte=F("places"))
    Candidate.objects.filter(pk=candidate_id).update(places=F("places") + 1, has_room=free)


def narrow(candidate_id: UUID) -> None:
    """Take the place of a further annotator back; who holds it already may still rate."""
    rows = Candidate.objects.filter(pk=candidate_id, places__gt=1)
    rows.update(places=F("places") - 1, has_room=Q(held__lt=F("places") - 1))


def spread_places(campaign: Campaign) -> None:
    """Give every candidate the places that the campaign's overlap and its share give.

    The shared references are drawn by their ids, which are random: the same ones each time, as
    long as none is added. What everybody rates, what repeats, and what a round added stays.
    """
    # What was erased has no place for anybody.
    rows = Candidate.objects.filter(campaign=campaign, reference__erased_at=None)
    usual = rows.filter(purpose=Purpose.RATED)
    references = Reference.objects.filter(campaign=campaign)
    shared = ceil(references.count() * campaign.shared_percent / 100)
    if campaign.shared_percent < 100:
        usual.update(places=1)
        drawn = list(references.order_by("pk").values_list("pk", flat=True)[:shared])
        usual.filter(reference__in=drawn).update(places=campaign.overlap)
    else:
        usual.update(places=campaign.overlap)
    rows.filter(purpose=Purpose.SENTINEL).update(places=campaign.overlap)
    # Of the rounds, those that run, and those in which a further annotator has rated.
    further = Rating.objects.filter(candidate=OuterRef("candidate"), round=OuterRef("number"))
    asked = Round.objects.exclude(kind=RoundKind.AGAIN).filter(candidate__in=usual)
    added = asked.filter(Q(finished_at=None) | Exists(further))
    for candidate_id in added.values_list("candidate_id", flat=True):
        usual.filter(pk=candidate_id).update(places=F("places") + 1)
    rows.exclude(purpose=Purpose.REPEAT).update(has_room=Q(held__lt=F("places")))


def lapse_leases(campaign: Campaign) -> int:
    """Free the places whose lease has run out by the database's clock; return how many."""
    run_out = Assignment.objects.filter(
        campaign=campaign, status=AssignmentStatus.OPEN, lease_expires_at__lt=Now()
    )
    # All at once and their candidates in order: nobody waits here for who waits for this. What is
    # locked was looked at again with the lock: a renewal that came before leaves its row out.
    rows = run_out.select_for_update(skip_locked=True, no_key=True).order_by("candidate_id")
    locked = list(rows.values_list("pk", "candidate_id"))
    for pk, candidate_id in locked:
        Assignment.objects.filter(pk=pk).update(status=AssignmentStatus.LAPSED)
        free_place(candidate_id)
        audit_log.record(
            campaign=campaign,
            action="assignment.lapsed",
            object_type="assignment",
            object_id=pk,
        )
    return len(locked)


def lapse_leases_everywhere() -> int:
    """Free the places of every run-out lease, campaign by campaign; return how many."""
    run_out = Assignment.objects.filter(
        status=AssignmentStatus.OPEN, lease_expires_at__lt=Now()
    ).values("campaign_id")
    lapsed = 0
    for campaign in Campaign.objects.filter(pk__in=run_out):
        with transaction.atomic():
            lapsed += lapse_leases(campaign)
    return lapsed


def assign_candidates(
    *,
    campaign: Campaign,
    annotator: User,
    candidates: Sequence[Candidate],
    chance: random.Random | None = None,
    due_at: datetime | None = None,
) -> list[Assignment]:
    """Give an annotator candidates by name: references in order, candidates of each shuffled.

    The order and the label are random per annotator, so that neither reveals the system.
    """
    chance = chance or random.SystemRandom()
    by_reference: dict[object, list[Candidate]] = {}
    for candidate in candidates:
        by_reference.setdefault(candidate.reference_id, []).append(candidate)
    rows = []
    with transaction.atomic():
        position, _ = standing_of(campaign.pk, annotator.pk)
        for group in by_reference.values():
            chance.shuffle(group)
            for candidate in group:
                position += 1
                row = _new(campaign, annotator, candidate.pk, position)
                row.due_at = due_at
                rows.append(row)
        Assignment.objects.bulk_create(rows)
        add_places([candidate.pk for candidate in candidates])
        audit_log.record_on(annotator, "assignments.made", None, campaign, count=len(rows))
    return rows


@transaction.atomic
def take_next(
    *,
    slug: str,
    annotator: User,
    beside: Assignment | None = None,
    look: Callable[[Campaign, User], None] | None = None,
) -> Assignment | None:
    """Return the annotator's next open assignment, leased now; None when nothing is left.

    Another one than `beside`, which may be open still: they come back to it later. `look` raises
    what keeps them from rating in the campaign.

    What is theirs already comes first; else a candidate below its overlap is leased: one of the
    reference that they rated last, so that a reference is read once, then of those after it in
    the campaign's order, then of those before it; nothing beyond their quota. Raises
    Membership.DoesNotExist for who is no annotator of the campaign, OutOfDate when it is closed.
    """
    # One person's requests wait for each other, so that two of them take one candidate. The
    # membership comes with the campaign as it is now.
    locked = Membership.objects.select_for_update(of=("self",), no_key=True)
    membership = locked.select_related("campaign").get(
        campaign__slug=slug, user=annotator, role=Role.ANNOTATOR
    )
    campaign = membership.campaign
    if look:
        look(campaign, annotator)
    if not campaign.is_open:
        raise OutOfDate("The campaign is closed; nothing is assigned any more.")
    opened, lapsed, recused = _unfinished(campaign, annotator)
    opened = [row for row in opened if row != beside]
    if opened:
        # Of several that were given by name, what the screens would put first.
        rows = Assignment.objects.filter(campaign=campaign, annotator=annotator)
        first = most_urgent(rows.filter(status=AssignmentStatus.OPEN)) if len(opened) > 1 else None
        return _renewed(next((row for row in opened if row == first), opened[0]), campaign)
    if membership.quota is not None and held_by(annotator, campaign) >= membership.quota:
        return None
    position, place = standing_of(campaign.pk, annotator.pk)
    free = _free_candidates(campaign, annotator, place, recused)
    # One's own lapsed candidates first: there may be a draft.
    taken = beside.candidate_id if beside else None
    for candidate_id in chain(lapsed, free):
        # What lies beside may have a place for another annotator: it is none for who has it.
        if candidate_id != taken and hold_place(candidate_id):
            known = lapsed.get(candidate_id)
            return _leased(known or _new(campaign, annotator, candidate_id, position + 1))
    return None


def renew_lease(*, assignment: Assignment) -> None:
    """Give a leased assignment its whole time again, because its annotator is at work on it."""
    _renewed(assignment, assignment.campaign)


def held_by(annotator: User, campaign: Campaign) -> int:
    """Return how much of their quota an annotator has used."""
    rows = Assignment.objects.filter(campaign=campaign, annotator=annotator, status__in=HOLDING)
    return rows.count()


def _unfinished(
    campaign: Campaign, annotator: User
) -> tuple[list[Assignment], dict[UUID, Assignment], frozenset[UUID]]:
    """Return what an annotator has not rated, and the references from which they are recused.

    The open assignments, then by candidate those whose lease ran out.
    """
    by_status: dict[str, list[Assignment]] = {}
    # Locked, so that a submit or a skip from another tab comes before or after, never between.
    rows = Assignment.objects.select_for_update(of=("self",), no_key=True)
    unfinished = (AssignmentStatus.OPEN, AssignmentStatus.LAPSED, AssignmentStatus.RECUSED)
    for row in rows.filter(campaign=campaign, annotator=annotator, status__in=unfinished):
        row.campaign = campaign
        by_status.setdefault(row.status, []).append(row)
    recused: frozenset[UUID] = frozenset()
    if left := [row.candidate_id for row in by_status.get(AssignmentStatus.RECUSED, ())]:
        candidates = Candidate.objects.filter(pk__in=left)
        recused = frozenset(candidates.values_list("reference_id", flat=True))
    return (
        by_status.get(AssignmentStatus.OPEN, []),
        {row.candidate_id: row for row in by_status.get(AssignmentStatus.LAPSED, ())},
        recused,
    )


def _free_candidates(
    campaign: Campaign, annotator: User, place: int, recused: Collection[UUID]
) -> Iterable[UUID]:
    """Yield candidates with room that the annotator may rate, the best first."""
    free = partial(
        free_candidates, campaign_id=campaign.pk, annotator_id=annotator.pk, recused=recused
    )
    # The rest of the reference rated last stands first among those from its place on.
    yield from _until_none(partial(free, Q(queue_position__gte=place)))
    yield from _until_none(partial(free, Q(queue_position__lt=place)))
    # The sweeper does this every few seconds; nobody is sent away for its next turn.
    if lapse_leases(campaign):
        yield from _until_none(partial(free, Q()))


def _until_none(look: Callable[[], list[UUID]]) -> Iterable[UUID]:
    """Yield windows of candidates until one brings nothing new.

    Others may fill a whole window between the look and the taking, with free places behind it.
    """
    seen: set[UUID] = set()
    while new := [pk for pk in look() if pk not in seen]:
        seen.update(new)
        yield from new


def _leased(assignment: Assignment) -> Assignment:
    """Store an assignment as open and leased: a new one, or one's own that had lapsed."""
    assignment.status = AssignmentStatus.OPEN
    assignment.lease_expires_at = _lease_end(assignment.campaign)
    assignment.save()
    audit_log.record_on(assignment, "assignment.leased", assignment.annotator_id)
    return assignment


def _renewed(assignment: Assignment, campaign: Campaign) -> Assignment:
    if assignment.lease_expires_at:
        assignment.lease_expires_at = _lease_end(campaign)
        Assignment.objects.filter(pk=assignment.pk, status=AssignmentStatus.OPEN).update(
            lease_expires_at=assignment.lease_expires_at
        )
    return assignment


def _lease_end(campaign: Campaign) -> datetime:
    return database_now() + timedelta(minutes=campaign.lease_minutes)


def _new(campaign: Campaign, annotator: User, candidate_id: UUID, position: int) -> Assignment:
    return Assignment(
        campaign=campaign,
        annotator=annotator,
        candidate_id=candidate_id,
        label=f"Candidate {position}",
        position=position,
    )
