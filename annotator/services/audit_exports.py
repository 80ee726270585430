"""Takes the audit trail of a campaign out as a file, which the trail says too."""

from typing import Final

from django.db import transaction

from annotator.models import Campaign, User
from annotator.queries.audit_files import AuditExport
from annotator.queries.audit_verification import current_head
from annotator.queries.reliability_access import judges_meanwhile
from annotator.refusals import Forbidden
from annotator.services import audit

WITHHELD: Final = (
    "You rate or adjudicate in an open campaign, and the numbers in the file count what others do. "
    "Ask another admin for the file, or wait until the campaign in which you rate is closed."
)


@transaction.atomic
def request_audit_export(*, campaign: Campaign, asked_by: User) -> AuditExport:
    """Put the export on record and return it, ready to be read; its own entry is the last.

    Raises Forbidden for who rates or adjudicates anywhere meanwhile: the file carries the places of
    its entries in the chain of the whole site.
    """
    if judges_meanwhile(asked_by):
        raise Forbidden(WITHHELD)
    audit.record(
        actor=asked_by,
        campaign=campaign,
        action="audit.exported",
        object_type="campaign",
        object_id=campaign.pk,
        details={"head": str(current_head() or "")},
    )
    return AuditExport(campaign, asked_by)
