"""Writes of a whole file of claim sets at once, as the command asks for it: stored, or nothing."""

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from io import BufferedReader

from django.db import transaction

from annotator.clock import database_now
from annotator.formats import label_studio
from annotator.formats.claim_files import PREFERENCES, read_claims
from annotator.formats.compressed import unpacked
from annotator.jobs.rows import JobStatus
from annotator.models import Campaign, ClaimImport, ImportStage
from annotator.refusals import OutOfDate, Refused
from annotator.services.campaigns import create_campaign
from annotator.services.claim_import import import_claims
from annotator.services.import_jobs import shown_name
from annotator.services.preference_import import import_preferences


@dataclass(frozen=True, slots=True)
class FileImport:
    """What was stored: counts by name, and the row that new claim sets name as their source."""

    row: ClaimImport
    counts: dict[str, int]
    is_new_campaign: bool


def import_file(
    *,
    slug: str,
    file: BufferedReader,
    file_name: str,
    format: str,  # noqa: A002 - the word of the doors
    may_train: bool = False,
    progress: Callable[[int], None] | None = None,
) -> FileImport:
    """Store what stands in a file, in a campaign that is created when it is missing.

    The file should have been checked: it is read within one transaction, on SQLite while nobody
    else can write. Raises what readers and services raise, and Refused when the file is changed
    meanwhile; nothing is stored then.
    """
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    size = file.tell()
    with transaction.atomic():
        campaign, is_new = _campaign(slug)
        row = ClaimImport.objects.create(
            campaign=campaign,
            stage=ImportStage.APPLY,
            status=JobStatus.SUCCEEDED,
            file_name=shown_name(file_name),
            file_sha256=digest,
            file_bytes=size,
            format=format,
            may_train=may_train,
            started_at=database_now(),
            progress=1.0,
        )
        counts = _store(row, file, progress)
        file.seek(0)
        if hashlib.file_digest(file, "sha256").hexdigest() != digest:
            raise Refused("The file was changed while it was read; nothing was stored.")
        row.result = {"stored": counts}
        row.finished_at = database_now()
        row.save(update_fields=["result", "finished_at"])
    return FileImport(row, counts, is_new)


def _campaign(slug: str) -> tuple[Campaign, bool]:
    """Return the campaign, and whether it was created now and not by a command at the same time."""
    found = Campaign.objects.filter(slug=slug).first()
    if found is not None:
        return found, False
    try:
        return create_campaign(slug=slug), True
    except OutOfDate:
        return Campaign.objects.get(slug=slug), False


def _store(
    row: ClaimImport, file: BufferedReader, progress: Callable[[int], None] | None
) -> dict[str, int]:
    if row.format == PREFERENCES:
        claims, preferences = import_preferences(
            campaign=row.campaign,
            records=label_studio.read(unpacked(file)),
            may_train=row.may_train,
            source=row,
        )
        return asdict(claims) | asdict(preferences)
    counts = import_claims(
        campaign=row.campaign,
        records=read_claims(file, row.format),
        may_train=row.may_train,
        source=row,
        progress=progress,
    )
    return asdict(counts)
