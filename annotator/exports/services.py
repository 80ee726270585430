"""Writes of exports of ratings: on record before anything is sent, and whole files on disk."""

import json
import secrets
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Protocol
from uuid import UUID

from django.db import transaction

from annotator import audit_log
from annotator.access.visibility import STILL_OPEN, record_unblinding, show_systems
from annotator.exports.claims import CLAIMS_EXPORTED, ClaimsExport
from annotator.exports.queries import EXPORTED, FORMATS, ExportFormat, RatingExport
from annotator.models import Campaign, Shown, User
from annotator.outgoing.queue import notify_webhooks
from core.clock import database_now
from core.errors import OutOfDate, Refused
from core.shapes import LONGEST_REASON, check_text
from patclaimeval.files import atomic_write, open_atomic
from patclaimeval.text_io.text import time_text

MANIFEST: Final = ".manifest.json"


@transaction.atomic
def request_export(
    *,
    campaign: Campaign,
    format: str,  # noqa: A002 - the option's public name
    is_identified: bool = False,
    reason: str = "",
    is_anonymous: bool = False,
    key: str = "",
    asked_by: User | None = None,
) -> RatingExport:
    """Put an export on record and return it, ready to be read.

    `key` decides about the pseudonyms: without one they are new. `asked_by` None is a command:
    who may run one reads the database anyway. For everybody else names stay hidden while the
    campaign is open. Raises Refused for a wrong format, or for names without a reason, OutOfDate
    for names of an open campaign.
    """
    if format not in FORMATS:
        raise Refused.at("format", f"Choose {', '.join(FORMATS)}.")
    if is_identified:
        empty = "Give a short reason why names are needed: it is recorded on the list of exports."
        check_text("reason", reason, longest=LONGEST_REASON, empty=empty)
    row = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if asked_by is not None:
        if is_identified:
            if row.is_open:
                raise OutOfDate(STILL_OPEN)
            record_unblinding(campaign=row, user=asked_by, shown=Shown.NAMES, reason=reason)
        if not FORMATS[format].has_texts:
            show_systems(campaign=row, user=asked_by)
    told = {"format": format, "is_identified": is_identified, "has_systems": not row.is_open}
    audit_log.record_on(row, EXPORTED, asked_by, reason=reason if is_identified else "", **told)
    notify_webhooks(row.pk, "export", state="requested")
    return RatingExport(
        campaign_id=row.pk,
        format=FORMATS[format],
        is_identified=is_identified,
        key=key or secrets.token_hex(16),
        is_anonymous=is_anonymous,
    )


@transaction.atomic
def request_claims_export(*, campaign: Campaign, has_context: bool) -> ClaimsExport:
    """Put an export of all claim sets, by command, on record and return it, ready to be read."""
    row = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    audit_log.record_on(row, CLAIMS_EXPORTED, None, has_context=has_context)
    return ClaimsExport(row.pk, has_context)


class FileExport(Protocol):
    """What can be written to a file with its manifest beside it."""

    @property
    def campaign_id(self) -> UUID: ...
    @property
    def counts(self) -> Counter[str]: ...
    @property
    def is_identified(self) -> bool: ...
    @property
    def format(self) -> ExportFormat: ...
    @property
    def notice(self) -> str: ...
    def pieces(self) -> Iterator[bytes]: ...


def write_export(export: FileExport, target: Path) -> dict[str, Any]:
    """Write an export and, beside it, the manifest by which it is known to be whole; return that.

    Whatever stops this, there is no file under the name, or one that its manifest is of.
    """
    started, digest, size = database_now(), sha256(), 0
    with open_atomic(target) as file:
        for piece in export.pieces():
            file.write(piece)
            digest.update(piece)
            size += len(piece)
        manifest = {
            "file": target.name,
            "sha256": digest.hexdigest(),
            "bytes": size,
            "format": export.format.name,
            "campaign": Campaign.objects.get(pk=export.campaign_id).slug,
            "counts": dict(sorted(export.counts.items())),
            "is_identified": export.is_identified,
            "exported_at": time_text(started),
            "exported_by": "the command line",
            "notice": export.notice,
        }
        # An older file would stand beside the manifest of the new one.
        target.unlink(missing_ok=True)
        beside = target.with_name(target.name + MANIFEST)
        atomic_write(beside, [json.dumps(manifest, ensure_ascii=False, indent=1).encode() + b"\n"])
    return manifest
