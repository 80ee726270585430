"""Writes of flags: an admin answers those on one assignment, and closes them."""

from typing import Final

from django.db import transaction

from annotator import audit_log
from annotator.models import Assignment, Flag, User
from core.clock import database_now
from core.errors import OutOfDate
from core.shapes import LONGEST_REASON, check_text

CLOSED: Final = "This flag is closed."
EMPTY: Final = "Write a sentence for the annotator, or close the flag without one."


@transaction.atomic
def answer_flags(*, assignment: Assignment, answer: str, by: User) -> None:
    """Store what the annotator is told; a later answer replaces it.

    It is for all flags on the assignment that are not closed; OutOfDate where none is left.
    """
    check_text("answer", answer, longest=LONGEST_REASON, empty=EMPTY)
    now = database_now()
    for row in _open_flags(assignment):
        row.answer, row.answered_by, row.answered_at = answer, by, now
        row.save(update_fields=["answer", "answered_by", "answered_at"])
        audit_log.record_on(row, "flag.answered", by, assignment.campaign_id)


@transaction.atomic
def close_flags(*, assignment: Assignment, by: User, answer: str = "") -> None:
    """Close all flags on an assignment, with a last answer where it is another one."""
    if answer and any(row.answer != answer for row in _open_flags(assignment)):
        answer_flags(assignment=assignment, answer=answer, by=by)
    now = database_now()
    for row in _open_flags(assignment):
        row.closed_by, row.closed_at = by, now
        row.save(update_fields=["closed_by", "closed_at"])
        audit_log.record_on(row, "flag.closed", by, assignment.campaign_id)


def _open_flags(assignment: Assignment) -> list[Flag]:
    rows = Flag.objects.select_for_update(no_key=True, of=("self",))
    found = list(rows.filter(assignment=assignment, closed_at__isnull=True).order_by("pk"))
    if not found:
        raise OutOfDate(CLOSED)
    return found
