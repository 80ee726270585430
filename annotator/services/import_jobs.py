"""Writes of imports by upload: a file is taken in, checked, and stored once somebody says so."""

import uuid
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotator.formats.records import ByteSource
from annotator.jobs import leases
from annotator.jobs.rows import JobStatus
from annotator.models import Campaign, ClaimImport, ImportStage, User
from annotator.refusals import OutOfDate
from annotator.services import audit
from annotator.services.uploaded_files import drop_upload_once_committed, store_upload

WAITING: Final = "Waiting for a worker."
CLOSED: Final = "The campaign is closed; nothing can be imported into it."
LONGEST_NAME: Final = 255
# Checked, nothing wrong, and nobody has said yet that it is to be stored.
WAITS_FOR_WORD: Final = Q(stage=ImportStage.CHECK, status=JobStatus.SUCCEEDED)


def request_import(
    *,
    campaign: Campaign,
    file: ByteSource,
    file_name: str,
    format: str = "auto",  # noqa: A002 - the word of the doors
    may_train: bool = False,
    is_confirmed: bool = False,
    asked_by: User | None = None,
) -> ClaimImport:
    """Take in a file and return its import, queued to be checked.

    With `is_confirmed` it is stored once the check finds nothing wrong. Raises TooBig, DiskFull,
    and OutOfDate when the campaign is closed; nothing is kept then.
    """
    if not campaign.is_open:
        raise OutOfDate(CLOSED)
    pk = uuid.uuid4()
    stored = store_upload(pk, file)
    with transaction.atomic():
        row = ClaimImport.objects.create(
            pk=pk,
            campaign=campaign,
            asked_by=asked_by,
            file_name=shown_name(file_name),
            file_sha256=stored.sha256,
            file_bytes=stored.size,
            format=format,
            may_train=may_train,
            is_confirmed=is_confirmed,
            message=WAITING,
        )
        record(row, "import.requested", asked_by, bytes=row.file_bytes)
    return row


def confirm_import(*, row: ClaimImport, confirmed_by: User | None = None) -> None:
    """Have a checked file stored; OutOfDate when it does not wait for that."""
    with transaction.atomic():
        if not Campaign.objects.get(pk=row.campaign_id).is_open:
            raise OutOfDate(CLOSED)
        if not queue_storing(row):
            raise OutOfDate("This import does not wait to be confirmed; look at it again.")
        record(row, "import.confirmed", confirmed_by)
    row.refresh_from_db()


def cancel_import(*, row: ClaimImport, cancelled_by: User | None = None) -> None:
    """Stop an import, or give up one that waits to be confirmed; OutOfDate when it has ended."""
    with transaction.atomic():
        if not (give_up(row, "Cancelled.") or leases.request_cancel(row)):
            raise OutOfDate("This import has ended already.")
        record(row, "import.cancelled", cancelled_by)
    drop_if_cancelled(row)


def queue_storing(row: ClaimImport) -> bool:
    """Queue a checked import for its second stage; False when it does not wait for that."""
    return bool(
        ClaimImport.objects.filter(WAITS_FOR_WORD, pk=row.pk).update(
            stage=ImportStage.APPLY,
            status=JobStatus.QUEUED,
            is_confirmed=True,
            attempt=0,
            progress=0.0,
            message=WAITING,
            rung_at=None,
            finished_at=None,
        )
    )


def give_up(row: ClaimImport, message: str) -> bool:
    """End an import that waits to be confirmed; False when it does not."""
    ended = ClaimImport.objects.filter(WAITS_FOR_WORD, pk=row.pk)
    return bool(
        ended.update(
            status=JobStatus.CANCELLED,
            message=message,
            result=without_texts(row.result),
            finished_at=Now(),
        )
    )


def drop_if_cancelled(row: ClaimImport) -> None:
    """Delete the file of an import that has been cancelled; a running one may still read it."""
    row.refresh_from_db()
    if row.status == JobStatus.CANCELLED:
        drop_upload_once_committed(row.pk)


def without_texts(result: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of a check once nobody has to look at the claims any more."""
    return {name: value for name, value in result.items() if name != "preview"}


def shown_name(name: str) -> str:
    """Return the name of a file as it is kept for people: its last part, nothing invisible."""
    last = name.replace("\\", "/").rpartition("/")[2]
    plain = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in last)
    return plain[:LONGEST_NAME].strip() or "unnamed"


def record(row: ClaimImport, action: str, actor: User | None, **details: Any) -> None:
    """Write the audit row of a step: digests and counts, never the name of the file."""
    audit.record(
        actor=actor,
        campaign=row.campaign_id,
        action=action,
        object_type="claim_import",
        object_id=row.pk,
        details={"sha256": row.file_sha256, **details},
    )
