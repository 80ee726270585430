"""Writes of assignments: by name, and the next one on demand."""

import random
from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from annotator.models import (
    Assignment,
    AssignmentStatus,
    AuditEvent,
    Campaign,
    Candidate,
    User,
)
from annotator.refusals import OutOfDate


def assign_candidates(
    *,
    campaign: Campaign,
    annotator: User,
    candidates: Sequence[Candidate],
    chance: random.Random | None = None,
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
        position = Assignment.objects.filter(campaign=campaign, annotator=annotator).count()
        for group in by_reference.values():
            chance.shuffle(group)
            for candidate in group:
                position += 1
                rows.append(_new(campaign, annotator, candidate, position))
        Assignment.objects.bulk_create(rows)
        AuditEvent.objects.create(
            actor=None,
            campaign=campaign,
            action="assignments.made",
            object_type="user",
            object_id=str(annotator.pk),
            details={"count": len(rows)},
        )
    return rows


@transaction.atomic
def take_next(*, campaign: Campaign, annotator: User) -> Assignment | None:
    """Return the annotator's next open assignment, leased now; None when nothing is left.

    What is theirs already comes first; else a candidate below its overlap is leased, those of a
    reference that they have begun before others, so that a reference is read once.
    """
    # Serialises takers, so that no candidate goes beyond its overlap.
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if not campaign.is_open:
        raise OutOfDate("The campaign is closed; nothing is given out any more.")
    lease = timezone.now() + timedelta(minutes=campaign.lease_minutes)
    mine = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    current = mine.filter(status=AssignmentStatus.OPEN).select_related("candidate").first()
    if current:
        if current.lease_expires_at:
            Assignment.objects.filter(pk=current.pk).update(lease_expires_at=lease)
            current.lease_expires_at = lease
        return current
    candidate = _free_candidate(campaign, annotator)
    if candidate is None:
        return None
    assignment = _new(campaign, annotator, candidate, mine.count() + 1)
    assignment.lease_expires_at = lease
    assignment.save()
    AuditEvent.objects.create(
        actor=annotator,
        campaign=campaign,
        action="assignment.leased",
        object_type="assignment",
        object_id=str(assignment.pk),
    )
    return assignment


def _free_candidate(campaign: Campaign, annotator: User) -> Candidate | None:
    begun = Assignment.objects.filter(campaign=campaign, annotator=annotator).values(
        "candidate__reference_id"
    )
    holds = Q(assignments__status=AssignmentStatus.SUBMITTED) | Q(
        assignments__lease_expires_at__isnull=True, assignments__isnull=False
    )
    holds |= Q(assignments__lease_expires_at__gt=timezone.now())
    free = list(
        Candidate.objects.filter(reference__campaign=campaign)
        .exclude(assignments__annotator=annotator)
        .annotate(holders=Count("assignments", filter=holds, distinct=True))
        .filter(holders__lt=campaign.overlap)
        .order_by("reference__position")
        .values_list("pk", "reference_id")[:200]
    )
    if not free:
        return None
    begun_ids = set(begun.values_list("candidate__reference_id", flat=True))
    reference = next((ref for _, ref in free if ref in begun_ids), free[0][1])
    pick = random.SystemRandom().choice([pk for pk, ref in free if ref == reference])
    return Candidate.objects.get(pk=pick)


def _new(campaign: Campaign, annotator: User, candidate: Candidate, position: int) -> Assignment:
    return Assignment(
        campaign=campaign,
        annotator=annotator,
        candidate=candidate,
        label=f"Candidate {position}",
        position=position,
    )
