"""The draft of a reference, the claims before revision, changed by hand: every change stays."""

from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from annotator import audit_log
from annotator.access.locks import lock_open_campaign
from annotator.access.scopes import roles_of
from annotator.imports.correcting import check_claims_text
from annotator.models import DraftClaimsEdit, Reference, Role, User
from core.clock import database_now
from core.errors import Forbidden, OutOfDate, Refused
from core.shapes import LONGEST_REASON, check_text
from patclaimeval.text_io.text import text_sha256

CLOSED: Final = "The campaign is closed; nothing of its references can be changed."
MOVED: Final = "The draft was changed meanwhile. It is shown below as it is now; look at it again."
UNCHANGED: Final = "This is the draft as it is stored; nothing was changed."
ERASED: Final = "The texts of this reference were erased."
NO_REASON: Final = "Give a short reason; it stays beside the earlier text."


def edits_of(reference: Reference) -> QuerySet[DraftClaimsEdit]:
    """Return the changes of the draft of a reference, the first first."""
    rows = DraftClaimsEdit.objects.filter(reference=reference)
    return rows.select_related("edited_by").order_by("number")


@transaction.atomic
def edit_draft_claims(
    *, reference: Reference, draft_claims: str, reason: str, edited_by: User, seen: str = ""
) -> DraftClaimsEdit:
    """Put a text in the place of the draft of a reference; "" takes it away. The earlier one stays.

    `seen` is the digest of the draft that its editor had before them, "" from a program that does
    not send it. Whether a version was frozen with it is for the caller to ask, who holds the lock
    of the campaign, under which versions are made. Raises Forbidden for who is no admin, Refused
    for a text that cannot be claims, one that is there already, or without a reason, OutOfDate
    where the campaign is closed, the reference erased or the draft another one by now.
    """
    if Role.ADMIN not in roles_of(edited_by, reference.campaign):
        raise Forbidden("Admins of the campaign change drafts.")
    lock_open_campaign(reference.campaign_id, CLOSED)
    row = Reference.objects.select_for_update(no_key=True).get(pk=reference.pk)
    if row.erased_at is not None:
        raise OutOfDate(ERASED)
    if seen and seen != text_sha256(row.draft_claims):
        raise OutOfDate(MOVED)
    if draft_claims:
        check_claims_text("draft_claims", draft_claims)
    if draft_claims == row.draft_claims:
        raise Refused.at("draft_claims", UNCHANGED)
    check_text("reason", reason, longest=LONGEST_REASON, empty=NO_REASON)
    edit = DraftClaimsEdit.objects.create(
        reference=row,
        number=edits_of(row).count() + 1,
        earlier=row.draft_claims,
        reason=reason,
        edited_by=edited_by,
        edited_at=database_now(),
    )
    row.draft_claims = draft_claims
    row.save(update_fields=["draft_claims"])
    audit_log.record_on(row, "draft_claims.edited", edited_by, number=edit.number)
    return edit
