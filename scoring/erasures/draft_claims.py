"""The draft of a reference changed by hand, as long as no dataset version was frozen with it."""

from typing import Final

from django.db import transaction

from annotator.access.locks import lock_open_campaign
from annotator.imports.draft_claims import CLOSED, edit_draft_claims
from annotator.models import DraftClaimsEdit, Reference, User
from core.errors import OutOfDate
from scoring.datasets.versions.lineage import versions_with

FROZEN: Final = (
    "A dataset version was frozen with this reference, and reports on it compare with its draft: "
    "it stays as it is. Import the reference under a new id, with the draft that you want, and "
    "freeze a new version with that."
)


@transaction.atomic
def edit_unfrozen_draft(
    *, reference: Reference, draft_claims: str, reason: str, edited_by: User, seen: str = ""
) -> DraftClaimsEdit:
    """Change the draft of a reference; raises as `edit_draft_claims`, and OutOfDate once frozen."""
    # A freeze takes the same lock before it writes its version.
    lock_open_campaign(reference.campaign_id, CLOSED)
    if is_frozen(reference):
        raise OutOfDate(FROZEN)
    return edit_draft_claims(
        reference=reference,
        draft_claims=draft_claims,
        reason=reason,
        edited_by=edited_by,
        seen=seen,
    )


def is_frozen(reference: Reference) -> bool:
    """Return whether a dataset version holds the reference."""
    return bool(versions_with(reference))
