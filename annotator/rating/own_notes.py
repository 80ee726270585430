"""An annotator's own note on a reference: its author alone reads and changes it."""

from typing import Final
from uuid import UUID

from django.db import transaction

from annotator.models import Assignment, Candidate, Reference, ReferenceNote
from annotator.rating_values import LONGEST_TEXT
from core.clock import database_now
from core.errors import OutOfDate
from core.shapes import check_text

FIELD: Final = "own_note"


class NoteMoved(OutOfDate):
    """Another tab changed the note in between; `note` is what is stored now."""

    def __init__(self, note: ReferenceNote) -> None:
        super().__init__("Your note on this reference was changed in another tab.")
        self.note = note


def own_note(author: UUID, reference: UUID) -> ReferenceNote | None:
    """Return the author's own note on a reference; None before the first."""
    return ReferenceNote.objects.filter(author=author, reference=reference).first()


def save_note(*, assignment: Assignment, text: str, version: int) -> ReferenceNote | None:
    """Store the annotator's note on the reference of an assignment, as it was typed.

    `version` is the one that the page had seen, 0 for none. Return what is stored then: None where
    nothing was and nothing is. Raises NoteMoved when another tab saved another text in between,
    OutOfDate once the reference is erased, Refused for a text that is too long.
    """
    check_text(FIELD, text, longest=LONGEST_TEXT)
    author = assignment.annotator_id
    row = Candidate.objects.only("reference_id").get(pk=assignment.candidate_id)
    # Every submit of the rate page brings the note along, and hardly ever a new one.
    if is_same(stored := own_note(author, row.reference_id), text):
        return stored
    with transaction.atomic():
        # An erasure locks the reference, too: no note is stored behind it.
        locked = Reference.objects.select_for_update(no_key=True).only("erased_at")
        if locked.get(pk=row.reference_id).erased_at:
            raise OutOfDate("The texts of this reference were erased; no note is stored on it.")
        if is_same(stored := own_note(author, row.reference_id), text):
            return stored
        if stored and stored.version != version:
            raise NoteMoved(stored)
        number = stored.version + 1 if stored else 1
        note, _ = ReferenceNote.objects.update_or_create(
            author_id=author,
            reference_id=row.reference_id,
            defaults={"text": text, "saved_at": database_now(), "version": number},
        )
    return note


def is_same(stored: ReferenceNote | None, text: str) -> bool:
    """Return whether a text is what is stored; no note is an empty one."""
    return text == (stored.text if stored else "")
