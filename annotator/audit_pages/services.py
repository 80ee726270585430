"""Takes the audit trail of a campaign out as a file, which the trail records too."""

from typing import Final

from django.db import transaction

from annotator import audit_log
from annotator.access.visibility import judges_meanwhile
from annotator.audit_pages.queries import AuditExport, current_head
from annotator.models import Campaign, User
from core.errors import Forbidden

WITHHELD: Final = (
    "You rate or adjudicate in an open campaign, and the numbers in the file count what others do. "
    "Ask another admin for the file, or wait until the campaign in which you rate is closed."
)


@transaction.atomic
def request_audit_export(*, campaign: Campaign, asked_by: User) -> AuditExport:
    """Put the export on record and return it, ready to be read; its own entry is the last.

    Raises Forbidden for who rates or adjudicates anywhere meanwhile: the file holds the places of
    its entries in the chain of the whole site.
    """
    if judges_meanwhile(asked_by):
        raise Forbidden(WITHHELD)
    audit_log.record_on(campaign, "audit.exported", asked_by, head=str(current_head() or ""))
    return AuditExport(campaign, asked_by)
