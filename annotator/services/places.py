"""Writes of a candidate's places: how many assignments count toward its overlap.

Every change of a status that counts goes through here, so that `held` is never counted anew.
"""

from typing import Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import BooleanField, ExpressionWrapper, F, Q
from django.db.models.functions import Now

from annotator.models import Assignment, AssignmentStatus, AuditEvent, Campaign, Candidate

# Asked with every candidate that anybody takes: written once, as both databases read it.
_HOLD: Final = f"""
UPDATE {Candidate._meta.db_table} SET held = held + 1, has_room = (held < %s)
 WHERE id = %s AND held < %s
"""  # noqa: S608 - a table name only


def hold_place(campaign: Campaign, candidate_id: UUID) -> bool:
    """Take one place of a candidate if it has room; one UPDATE decides between two takers."""
    key = Candidate._meta.pk.get_db_prep_value(candidate_id, connection)
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, [campaign.overlap - 1, key, campaign.overlap])
        return cursor.rowcount == 1


def add_places(campaign: Campaign, candidate_ids: list[UUID]) -> None:
    """Count one more assignment on each candidate, beyond the overlap if an admin says so."""
    room = ExpressionWrapper(Q(held__lt=campaign.overlap - 1), BooleanField())
    Candidate.objects.filter(pk__in=candidate_ids).update(held=F("held") + 1, has_room=room)


def free_place(campaign: Campaign, candidate_id: UUID) -> None:
    """Give one place of a candidate back."""
    room = ExpressionWrapper(Q(held__lte=campaign.overlap), BooleanField())
    Candidate.objects.filter(pk=candidate_id, held__gt=0).update(held=F("held") - 1, has_room=room)


def lapse_leases(campaign: Campaign) -> int:
    """Free the places whose lease has run out by the database's clock; return how many."""
    run_out = Assignment.objects.filter(
        campaign=campaign, status=AssignmentStatus.OPEN, lease_expires_at__lt=Now()
    )
    lapsed = 0
    for pk, candidate_id in list(run_out.order_by().values_list("pk", "candidate_id")):
        # Whoever changes the row first counts it; a renewal that came between keeps it.
        if run_out.filter(pk=pk).update(status=AssignmentStatus.LAPSED):
            free_place(campaign, candidate_id)
            AuditEvent.objects.create(
                campaign=campaign,
                action="assignment.lapsed",
                object_type="assignment",
                object_id=str(pk),
            )
            lapsed += 1
    return lapsed


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
