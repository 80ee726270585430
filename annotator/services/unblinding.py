"""Writes of unblindings: who is shown what annotators must not see, recorded as it is shown."""

from typing import Final

from django.db import transaction

from annotator.clock import database_now
from annotator.formats.free_text import LONGEST_REASON, check_words
from annotator.models import Campaign, Membership, Shown, Unblinding, User
from annotator.queries.unblindings import is_unblinded
from annotator.refusals import OutOfDate
from annotator.services import audit

STILL_OPEN: Final = "The campaign is open; names are shown once it is closed."


@transaction.atomic
def show_names(*, campaign: Campaign, asked_by: User, reason: str) -> Unblinding:
    """Let an admin see which annotator is which until the campaign is opened again.

    Raises Refused without a reason, OutOfDate while the campaign is open.
    """
    empty = "Say why, in a few words: it stays on the list of unblindings."
    check_words("reason", reason, longest=LONGEST_REASON, empty=empty)
    row = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if row.is_open:
        raise OutOfDate(STILL_OPEN)
    return record_unblinding(campaign=row, user=asked_by, shown=Shown.NAMES, reason=reason)


@transaction.atomic
def show_feedback(*, campaign: Campaign, annotator: User) -> None:
    """Record the first time that an annotator looks at their own results after a closing.

    Raises OutOfDate while the campaign is open.
    """
    row = Campaign.objects.get(pk=campaign.pk)
    if row.is_open:
        raise OutOfDate("The campaign is open; own results are shown once it is closed.")
    if is_unblinded(row, annotator, Shown.FEEDBACK):
        return
    # Two views at once make one row: the second waits here, and looks again.
    list(Membership.objects.select_for_update(no_key=True).filter(campaign=row, user=annotator))
    if not is_unblinded(row, annotator, Shown.FEEDBACK):
        record_unblinding(campaign=row, user=annotator, shown=Shown.FEEDBACK)


@transaction.atomic
def record_unblinding(
    *, campaign: Campaign, user: User, shown: Shown, reason: str = ""
) -> Unblinding:
    """Store that somebody is shown something, with its row in the audit trail."""
    row = Unblinding.objects.create(
        campaign=campaign, user=user, shown=shown, reason=reason, at=database_now()
    )
    audit.record(
        actor=user,
        campaign=campaign,
        action="unblinding.shown",
        object_type="unblinding",
        object_id=row.pk,
        details={"shown": str(shown)},
    )
    return row
