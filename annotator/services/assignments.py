"""Writes of assignments: by name, and the next one on demand."""

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from uuid import UUID

from django.db import transaction

from annotator.clock import database_now
from annotator.models import (
    HOLDING,
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Membership,
    Role,
    User,
)
from annotator.queries.next_candidates import candidates_before, candidates_from, standing_of
from annotator.queries.queue import most_urgent
from annotator.refusals import OutOfDate
from annotator.services import audit
from annotator.services.places import add_places, hold_place, lapse_leases


def assign_candidates(
    *,
    campaign: Campaign,
    annotator: User,
    candidates: Sequence[Candidate],
    chance: random.Random | None = None,
    due_at: datetime | None = None,
) -> list[Assignment]:
    """Give an annotator candidates by name: references in order, candidates of each shuffled.

    The order and the label are random per annotator, so that neither tells the system.
    """
    chance = chance or random.SystemRandom()
    by_reference: dict[object, list[Candidate]] = {}
    for candidate in candidates:
        by_reference.setdefault(candidate.reference_id, []).append(candidate)
    rows = []
    with transaction.atomic():
        position = standing_of(campaign.pk, annotator.pk).position
        for group in by_reference.values():
            chance.shuffle(group)
            for candidate in group:
                position += 1
                row = _new(campaign, annotator, candidate.pk, position)
                row.due_at = due_at
                rows.append(row)
        Assignment.objects.bulk_create(rows)
        add_places([candidate.pk for candidate in candidates])
        audit.record(
            campaign=campaign,
            action="assignments.made",
            object_type="user",
            object_id=annotator.pk,
            details={"count": len(rows)},
        )
    return rows


@transaction.atomic
def take_next(*, slug: str, annotator: User) -> Assignment | None:
    """Return the annotator's next open assignment, leased now; None when nothing is left.

    What is theirs already comes first; else a candidate below its overlap is leased: one of the
    reference that they rated last, so that a reference is read once, then of those after it in
    the campaign's order, then of those before it; nothing beyond their quota. Raises
    Membership.DoesNotExist for who is no annotator of the campaign, OutOfDate when it is closed.
    """
    membership = _lock_annotator(slug, annotator)
    campaign = membership.campaign
    if not campaign.is_open:
        raise OutOfDate("The campaign is closed; nothing is given out any more.")
    unfinished = _unfinished(campaign, annotator)
    if unfinished.open:
        return _renewed(_first(unfinished.open), campaign)
    if membership.quota is not None and _held_by(annotator, campaign) >= membership.quota:
        return None
    last = standing_of(campaign.pk, annotator.pk)
    free = _free_candidates(campaign, annotator, last.queue_position, unfinished.recused)
    # One's own lapsed candidates first: there may be a draft.
    for candidate_id in chain(unfinished.lapsed, free):
        if hold_place(candidate_id):
            known = unfinished.lapsed.get(candidate_id)
            return _leased(known or _new(campaign, annotator, candidate_id, last.position + 1))
    return None


def renew_lease(*, assignment: Assignment) -> None:
    """Give a leased assignment its whole time again, because its annotator is at work on it."""
    _renewed(assignment, assignment.campaign)


@dataclass(frozen=True, slots=True)
class _Unfinished:
    """An annotator's assignments that are not rated: the open ones, those whose lease ran out by
    candidate, and the references from which they are recused."""

    open: list[Assignment]
    lapsed: dict[UUID, Assignment]
    recused: frozenset[UUID]


def _lock_annotator(slug: str, annotator: User) -> Membership:
    """Have one person's requests wait for each other, so that two of them take one candidate.

    The membership comes with the campaign as it is now.
    """
    return (
        Membership.objects.select_for_update(of=("self",), no_key=True)
        .select_related("campaign")
        .get(campaign__slug=slug, user=annotator, role=Role.ANNOTATOR)
    )


def _held_by(annotator: User, campaign: Campaign) -> int:
    rows = Assignment.objects.filter(campaign=campaign, annotator=annotator, status__in=HOLDING)
    return rows.count()


def _unfinished(campaign: Campaign, annotator: User) -> _Unfinished:
    # Locked, so that a submit or a skip from another tab comes before or after, never between.
    rows = Assignment.objects.select_for_update(of=("self",), no_key=True).filter(
        campaign=campaign,
        annotator=annotator,
        status__in=(AssignmentStatus.OPEN, AssignmentStatus.LAPSED, AssignmentStatus.RECUSED),
    )
    by_status: dict[str, list[Assignment]] = {}
    for row in rows:
        row.campaign = campaign
        by_status.setdefault(row.status, []).append(row)
    recused = [row.candidate_id for row in by_status.get(AssignmentStatus.RECUSED, ())]
    return _Unfinished(
        by_status.get(AssignmentStatus.OPEN, []),
        {row.candidate_id: row for row in by_status.get(AssignmentStatus.LAPSED, ())},
        _references_of(recused) if recused else frozenset(),
    )


def _first(rows: list[Assignment]) -> Assignment:
    """Return what the screens would put first, of several that were given by name."""
    if len(rows) > 1:
        here = {"campaign": rows[0].campaign_id, "annotator": rows[0].annotator_id}
        opened = Assignment.objects.filter(**here, status=AssignmentStatus.OPEN)
        first = most_urgent(opened)
        return next((row for row in rows if row == first), rows[0])
    return rows[0]


def _references_of(candidate_ids: Sequence[UUID]) -> frozenset[UUID]:
    rows = Candidate.objects.filter(pk__in=candidate_ids)
    return frozenset(rows.values_list("reference_id", flat=True))


def _free_candidates(
    campaign: Campaign, annotator: User, place: int, recused: Collection[UUID]
) -> Iterable[UUID]:
    """Yield candidates with room that the annotator may rate, the best first."""
    who = (campaign.pk, annotator.pk)
    # The rest of the reference rated last stands first among those from its place on.
    yield from _until_none(partial(candidates_from, *who, place, recused))
    yield from _until_none(partial(candidates_before, *who, place, recused))
    # The sweeper does this every few seconds; nobody is sent away for its next turn.
    if lapse_leases(campaign):
        yield from _until_none(partial(candidates_from, *who, 0, recused))


def _until_none(look: Callable[[], list[UUID]]) -> Iterable[UUID]:
    """Yield windows of candidates until one brings nothing new.

    Others may fill a whole window between the look and the taking, with room left behind it.
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
    audit.record(
        actor=assignment.annotator_id,
        campaign=assignment.campaign_id,
        action="assignment.leased",
        object_type="assignment",
        object_id=assignment.pk,
    )
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
