"""Writes of flags: an admin answers one, and closes it."""

from typing import Final

from django.db import transaction

from annotator import audit_log
from annotator.models import Flag, User
from core.clock import database_now
from core.errors import OutOfDate
from core.text_io.shapes import LONGEST_REASON, check_text

CLOSED: Final = "This flag is closed."
EMPTY: Final = "Write a sentence for the annotator, or close the flag without one."


@transaction.atomic
def answer_flag(*, flag: Flag, answer: str, by: User) -> Flag:
    """Store what the annotator is told; a later answer replaces it. OutOfDate once it is closed."""
    check_text("answer", answer, longest=LONGEST_REASON, empty=EMPTY)
    row = _locked(flag)
    row.answer, row.answered_by, row.answered_at = answer, by, database_now()
    row.save(update_fields=["answer", "answered_by", "answered_at"])
    audit_log.record_on(row, "flag.answered", by, row.assignment.campaign_id)
    return row


@transaction.atomic
def close_flag(*, flag: Flag, by: User, answer: str = "") -> Flag:
    """Close a flag, with a last answer where there is one. OutOfDate when it is closed already."""
    if answer and answer != flag.answer:
        answer_flag(flag=flag, answer=answer, by=by)
    row = _locked(flag)
    row.closed_by, row.closed_at = by, database_now()
    row.save(update_fields=["closed_by", "closed_at"])
    audit_log.record_on(row, "flag.closed", by, row.assignment.campaign_id)
    return row


def _locked(flag: Flag) -> Flag:
    rows = Flag.objects.select_for_update(no_key=True, of=("self",)).select_related("assignment")
    row = rows.get(pk=flag.pk)
    if row.closed_at is not None:
        raise OutOfDate(CLOSED)
    return row
