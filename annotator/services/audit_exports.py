"""Takes the audit trail of a campaign out as a file, which the trail says too."""

from django.db import transaction

from annotator.models import Campaign, User
from annotator.queries.audit_files import AuditExport
from annotator.queries.audit_verification import current_head
from annotator.services import audit


@transaction.atomic
def request_audit_export(*, campaign: Campaign, asked_by: User) -> AuditExport:
    """Put the export on record and return it, ready to be read; its own entry is the last."""
    audit.record(
        actor=asked_by,
        campaign=campaign,
        action="audit.exported",
        object_type="campaign",
        object_id=campaign.pk,
        details={"head": str(current_head() or "")},
    )
    return AuditExport(campaign, asked_by)
