"""Writes of timesheets: active time by day where the campaign asks for it, and who took it away."""

from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import F

from annotator import audit_log
from annotator.access.visibility import record_unblinding
from annotator.models import Assignment, Campaign, Shown, User, WorkDay
from annotator.timesheets.queries import EXPORTED, Timesheet, timesheet_of
from core.clock import database_now
from core.errors import OutOfDate
from core.shapes import LONGEST_REASON, check_text

OFF: Final = "This campaign keeps no timesheet. Its rules have a switch for it."


def add_time(*, assignment: Assignment, seconds: float, is_begun: bool, now: datetime) -> None:
    """Add active time to the annotator's day, by UTC; the caller holds a transaction.

    Nothing is recorded in a campaign that keeps no timesheet, and on what somebody worked never.
    """
    if not assignment.campaign.has_timesheet:
        return
    row, _ = WorkDay.objects.get_or_create(
        annotator_id=assignment.annotator_id, campaign_id=assignment.campaign_id, day=now.date()
    )
    WorkDay.objects.filter(pk=row.pk).update(
        seconds=F("seconds") + seconds, begun=F("begun") + int(is_begun)
    )


@transaction.atomic
def request_timesheet(*, campaign: Campaign, by: User, reason: str = "") -> Timesheet:
    """Put the taking of a timesheet on record and return it.

    By month while the campaign is open. Once it is closed, by day: beside an export that says who
    rated what, so it is an unblinding of names and needs a reason. Raises OutOfDate where no
    timesheet is kept, Refused without the reason.
    """
    row = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if not row.has_timesheet:
        raise OutOfDate(OFF)
    if not row.is_open:
        empty = "Give a short reason: it is recorded on the list of unblindings."
        check_text("reason", reason, longest=LONGEST_REASON, empty=empty)
        record_unblinding(campaign=row, user=by, shown=Shown.NAMES, reason=reason)
    told = {"is_by_day": not row.is_open, "reason": "" if row.is_open else reason}
    audit_log.record_on(row, EXPORTED, by, **told)
    return timesheet_of(row, database_now().date())
