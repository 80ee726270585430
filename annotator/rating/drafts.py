"""Writes of drafts and of active time: what is typed, stored before it is submitted."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F

from annotator import audit_log
from annotator.assignments.services import renew_lease
from annotator.models import Assignment, AssignmentStatus, Draft, Rating, WorkTime
from annotator.timesheets.services import add_time
from annotator.typed_drafts import DraftMoved, check_typed, discard_typed, store_typed
from core.clock import database_now
from core.errors import Refused

# Pings come every 15 seconds while somebody reads; a longer silence was a pause.
LONGEST_GAP: Final = timedelta(seconds=45)


def save_draft(
    *, assignment: Assignment, typed: Mapping[str, Any], version: int, rating_version: int
) -> Draft:
    """Store what is typed; `version` is the draft's version that the page has seen, 0 for none.

    Raises DraftMoved when another save or a submit came between, Refused when it is too long.
    """
    check_typed(typed)
    with transaction.atomic():
        # A submit of the same assignment ends before or begins after this.
        list(Assignment.objects.select_for_update(no_key=True).only("pk").filter(pk=assignment.pk))
        if _rating_version(assignment) != rating_version:
            why = "This candidate was submitted in another tab; this text was not saved."
            raise DraftMoved(why, Draft.objects.filter(assignment=assignment).first())
        return store_typed(
            Draft,
            {"assignment": assignment},
            version=version,
            typed=dict(typed),
            rating_version=rating_version,
        )


def save_refused(*, assignment: Assignment, typed: Mapping[str, Any], version: int) -> Draft | None:
    """Store what a submit was refused with, and record it; None where it cannot be stored.

    A newer draft of another tab is not overwritten: the page still shows what was sent. Where no
    draft is stored any more, there is nothing to overwrite, whatever version the page had seen.
    """
    audit_log.record_on(assignment, "rating.refused", assignment.annotator_id)
    try:
        return save_draft(
            assignment=assignment,
            typed=typed,
            version=version if Draft.objects.filter(assignment=assignment).exists() else 0,
            rating_version=_rating_version(assignment),
        )
    except (DraftMoved, Refused):
        return None


def discard_draft(*, assignment: Assignment, version: int | None = None) -> None:
    """Forget the draft that the page shows; DraftMoved when another tab typed more into it."""
    discard_typed(Draft.objects.filter(assignment=assignment), version)


def record_ping(*, assignment: Assignment) -> None:
    """Add the time since the last ping, unless it was a pause; renew a running lease.

    The page pings only while it has the focus and was used within READING_IDLE_SECONDS.
    """
    now = database_now()
    with transaction.atomic():
        row, is_new = WorkTime.objects.select_for_update(no_key=True).get_or_create(
            assignment=assignment, defaults={"last_ping_at": now}
        )
        gap = now - row.last_ping_at
        # A clock set back gives a negative gap, which is no work either.
        seconds = gap.total_seconds() if timedelta(0) <= gap <= LONGEST_GAP else 0.0
        add_time(assignment=assignment, seconds=seconds, is_begun=is_new, now=now)
        if not is_new:
            WorkTime.objects.filter(pk=row.pk).update(
                seconds=F("seconds") + seconds, last_ping_at=now
            )
    expires = assignment.lease_expires_at
    half = timedelta(minutes=assignment.campaign.lease_minutes) / 2
    if assignment.status == AssignmentStatus.OPEN and expires and expires - now < half:
        renew_lease(assignment=assignment)


def _rating_version(assignment: Assignment) -> int:
    rows = Rating.objects.filter(assignment=assignment)
    return rows.values_list("version", flat=True).first() or 0
