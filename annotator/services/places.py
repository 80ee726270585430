"""Writes of a candidate's places: how many may rate it, and how many hold it now.

Every change of a status that counts goes through here, so that `held` is never counted anew.
"""

from math import ceil
from typing import Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import BooleanField, Exists, ExpressionWrapper, F, OuterRef, Q
from django.db.models.functions import Now

from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Purpose,
    Rating,
    Reference,
    Round,
    RoundKind,
)
from annotator.services import audit

# Asked with every candidate that anybody takes: written once, as both databases read it.
_HOLD: Final = f"""
UPDATE {Candidate._meta.db_table} SET held = held + 1, has_room = (held + 1 < places)
 WHERE id = %s AND held < places
"""  # noqa: S608 - a table name only


def hold_place(candidate_id: UUID) -> bool:
    """Take one place of a candidate if it has room; one UPDATE decides between two takers."""
    key = Candidate._meta.pk.get_db_prep_value(candidate_id, connection)
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, [key])
        return cursor.rowcount == 1


def add_places(candidate_ids: list[UUID]) -> None:
    """Count one more assignment on each candidate, beyond its places if an admin says so."""
    room = ExpressionWrapper(Q(held__lt=F("places") - 1), BooleanField())
    Candidate.objects.filter(pk__in=candidate_ids).update(held=F("held") + 1, has_room=room)


def free_place(candidate_id: UUID) -> None:
    """Give one place of a candidate back; a repeat has none for others."""
    room = ExpressionWrapper(Q(held__lte=F("places")) & ~Q(purpose=Purpose.REPEAT), BooleanField())
    Candidate.objects.filter(pk=candidate_id, held__gt=0).update(held=F("held") - 1, has_room=room)


def widen(candidate_id: UUID) -> None:
    """Give a candidate one place more than it had, for one more annotator."""
    Candidate.objects.filter(pk=candidate_id).update(
        places=F("places") + 1,
        has_room=ExpressionWrapper(Q(held__lte=F("places")), BooleanField()),
    )


def narrow(candidate_id: UUID) -> None:
    """Take the place of a further annotator back; who holds it already may still rate."""
    Candidate.objects.filter(pk=candidate_id, places__gt=1).update(
        places=F("places") - 1,
        has_room=ExpressionWrapper(Q(held__lt=F("places") - 1), BooleanField()),
    )


def spread_places(campaign: Campaign) -> None:
    """Give every candidate the places that the campaign's overlap and its share say.

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
    room = ExpressionWrapper(Q(held__lt=F("places")), BooleanField())
    rows.exclude(purpose=Purpose.REPEAT).update(has_room=room)


def lapse_leases(campaign: Campaign) -> int:
    """Free the places whose lease has run out by the database's clock; return how many."""
    run_out = Assignment.objects.filter(
        campaign=campaign, status=AssignmentStatus.OPEN, lease_expires_at__lt=Now()
    )
    # All at once and their candidates in order: nobody waits here for who waits for this. What is
    # locked was looked at again with the lock: a renewal that came before keeps its row out.
    rows = run_out.select_for_update(skip_locked=True, no_key=True).order_by("candidate_id")
    locked = list(rows.values_list("pk", "candidate_id"))
    for pk, candidate_id in locked:
        Assignment.objects.filter(pk=pk).update(status=AssignmentStatus.LAPSED)
        free_place(candidate_id)
        audit.record(
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
