"""Imports: taken in, checked, stored once somebody confirms it, by a worker or a command."""

import hashlib
import uuid
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from io import BufferedReader
from typing import Any, BinaryIO, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotator import audit_log
from annotator.campaigns.services import create_campaign
from annotator.formats import label_studio
from annotator.formats.claim_files import PREFERENCES, read_claims
from annotator.imports.checks import check_claims
from annotator.imports.claims.services import CLOSED, import_claims
from annotator.imports.documents import (
    KINDS,
    Choices,
    is_document,
    read_sets,
)
from annotator.imports.files import (
    drop_upload_once_committed,
    open_upload,
    store_upload,
)
from annotator.imports.preferences.services import import_preferences
from annotator.imports.read_sets import (
    DocumentRecords,
    drop_sets,
    questions_of,
    records_of,
    sets_of,
    settle_sets,
    write_sets,
    write_stored_sets,
)
from annotator.models import Campaign, ClaimImport, ImportStage, User
from core.clock import database_now
from core.errors import OutOfDate, Refused
from core.jobs import leases
from core.jobs.rows import JobStatus, queued_anew
from core.jobs.running import run_job
from patclaimeval.documents.csv_streams import MAGIC, SeekableSource, unpacked
from patclaimeval.documents.reading import AUTO
from patclaimeval.documents.references import ReferenceRecord, reported
from patclaimeval.plurals import counted
from patclaimeval.text_io.streams import ByteSource, FormatError

WAITING: Final = "Waiting for a worker."
NOT_WAITING: Final = "This import does not wait to be confirmed; look at it again."
NO_SOURCE: Final = "The document of this import is not here, or not any more."
OPEN: Final = "Something has to be answered or corrected first; look at this import."
LONGEST_NAME: Final = 255
# Checked, nothing wrong, and nobody has confirmed yet that it is to be stored.
WAITS_FOR_CONFIRMATION: Final = Q(stage=ImportStage.CHECK, status=JobStatus.SUCCEEDED)
UNDER_WAY: Final = Q(status__in=(JobStatus.QUEUED, JobStatus.RUNNING))
# Whose file somebody still reads: to check or store it, or because its claims came from it.
NEEDS_UPLOAD: Final = UNDER_WAY | WAITS_FOR_CONFIRMATION | Q(has_source=True)


def request_import(
    *,
    campaign: Campaign,
    file: ByteSource,
    file_name: str,
    format: str = "auto",  # noqa: A002 - the option's public name
    may_train: bool = False,
    is_confirmed: bool = False,
    choices: Choices | None = None,
    asked_by: User | None = None,
) -> ClaimImport:
    """Take in a file and return its import, queued to be checked.

    With `is_confirmed` it is stored once the check finds nothing wrong and nothing to be asked.
    `choices` are what somebody chose about documents. Raises TooBig, DiskFull, and OutOfDate when
    the campaign is closed; nothing is stored then.
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
            choices=(choices or Choices()).as_values(),
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
            raise OutOfDate(OPEN if is_open(row) else NOT_WAITING)
        record(row, "import.confirmed", confirmed_by)
    row.refresh_from_db()


def cancel_import(*, row: ClaimImport, cancelled_by: User | None = None) -> None:
    """Stop an import, or give up one that waits to be confirmed; OutOfDate when it has ended."""
    with transaction.atomic():
        if not (give_up(row, "") or leases.request_cancel(row)):
            raise OutOfDate("This import has ended already.")
        record(row, "import.cancelled", cancelled_by)
    drop_if_cancelled(row)


def take_source(*, row: ClaimImport, taken_by: User) -> BinaryIO:
    """Return the document that an import has stored, open at its beginning, and put it on record.

    Raises OutOfDate where it is not here any more, UploadGone where it is not what was sent.
    """
    if not row.has_source:
        raise OutOfDate(NO_SOURCE)
    file = open_upload(row.pk, row.file_sha256)
    try:
        record(row, "import.source_taken", taken_by)
    except BaseException:
        file.close()
        raise
    return file


def queue_storing(row: ClaimImport) -> bool:
    """Queue a checked import for its second stage; False when it does not wait for that.

    One that asks something does not. The caller holds a transaction.
    """
    # Somebody may correct it meanwhile, and have it checked anew.
    row.result = ClaimImport.objects.select_for_update(no_key=True).get(pk=row.pk).result
    return not is_open(row) and _queue(row, stage=ImportStage.APPLY, is_confirmed=True)


def queue_check(row: ClaimImport, **changed: Any) -> None:
    """Have an import that waits to be confirmed checked anew; OutOfDate when it does not wait.

    The caller holds the transaction in which something of it changes.
    """
    if not _queue(row, stage=ImportStage.CHECK, **changed):
        raise OutOfDate(NOT_WAITING)


def _queue(row: ClaimImport, **changed: Any) -> bool:
    waiting = ClaimImport.objects.filter(WAITS_FOR_CONFIRMATION, pk=row.pk)
    return bool(waiting.update(**queued_anew(), **changed, message=WAITING))


def is_open(row: ClaimImport) -> bool:
    """Return whether something has to be answered or corrected before a file can be stored."""
    return bool(row.result.get("questions") or row.result.get("bad_records"))


def give_up(row: ClaimImport, message: str) -> bool:
    """End an import that waits to be confirmed; False when it does not."""
    ended = ClaimImport.objects.filter(WAITS_FOR_CONFIRMATION, pk=row.pk)
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
        drop_sets(row)
        drop_upload_once_committed(row.pk)


def without_texts(result: dict[str, Any]) -> dict[str, Any]:
    """Return what is stored of a check once nobody has to look at the claims, or to answer."""
    return {name: found for name, found in result.items() if name not in ("preview", "questions")}


def shown_name(name: str) -> str:
    """Return the name of a file as it is stored for people: its last part, nothing invisible."""
    last = name.replace("\\", "/").rpartition("/")[2]
    plain = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in last)
    return plain[:LONGEST_NAME].strip() or "unnamed"


def record(row: ClaimImport, action: str, actor: User | None, **details: Any) -> None:
    """Write the audit row of a step: digests and counts, never the name of the file."""
    audit_log.record_on(row, action, actor, sha256=row.file_sha256, **details)


# What of the counts is new; the rest was there already.
ADDED: Final = (
    *("references", "candidates", "preferences", "revised_preferences", "annotators"),
    *("annotations", "renewed_annotations"),
    "contexts",
)


def under_way(
    row: ClaimImport, file: BinaryIO, still_ours: Callable[[], None]
) -> Callable[[int], None]:
    """Return what notes on the row how many records are read; a heartbeat stores it.

    `still_ours` raises when the import belongs to somebody else now or was cancelled.
    """
    verb = "Checking" if row.stage == ImportStage.CHECK else "Storing"

    def describe(records: int) -> None:
        row.progress = min(1.0, file.tell() / max(1, row.file_bytes))
        row.message = f"{verb}: {records:,} records read."

    def reached(records: int) -> None:
        still_ours()
        describe(records)

    describe(0)
    return reached


def _store_file(
    row: ClaimImport,
    file: SeekableSource,
    progress: Callable[[int], None] | None = None,
    read: Iterable[ReferenceRecord] | None = None,
) -> dict[str, int]:
    """Store everything that stands in a file and return the counts; call it in a transaction.

    `read` are its records where the file was read already. Raises what the readers and the services
    of the format raise; nothing may be kept then.
    """
    common: dict[str, Any] = {
        "campaign": row.campaign,
        "may_train": row.may_train,
        "imported_by": row.asked_by,
        "source": row,
    }
    if row.format == PREFERENCES:
        stated = reported(label_studio.read(unpacked(file)), progress)
        claims, preferences = import_preferences(records=stated, **common)
        counts = asdict(claims) | asdict(preferences)
        return counts | _with_contexts(counts.pop("contexts"))
    records = reported(read_claims(file, row.format) if read is None else read, progress)
    counts = asdict(import_claims(records=records, **common))
    return counts | _with_contexts(counts.pop("contexts"))


def format_stored(counts: dict[str, int]) -> str:
    """Return in one sentence what an import did."""
    if not any(counts.get(name) for name in ADDED):
        return "Nothing new: the campaign holds all of this already."
    known = counts["known_references"] + counts["known_candidates"]
    new = (counted(counts[f"{kind}s"], kind) for kind in ("reference", "candidate"))
    said = f"New: {' and '.join(new)}; already there: {known:,}."
    if contexts := counts.get("contexts"):
        said += f" With context now: {counted(contexts, 'reference')}."
    if "preferences" not in counts:
        return said
    stated = counts["preferences"] + counts["revised_preferences"]
    return f"{said} New or newer: {counted(stated, 'preference')}."


# What is checked and stored while somebody waits for the answer; the rest is for a worker.
SMALL_BYTES: Final = 2 * 1024 * 1024
# Nobody knows how much a packed file holds before it is read.
SMALL_PACKED_BYTES: Final = 64 * 1024
READING: Final = "Reading the documents."
CHECKED: Final = "No problems found. Look at the contents, then import them."


def carry_out_if_small(row: ClaimImport) -> ClaimImport:
    """Do at once what is short enough to be waited for; return the row as it is then.

    One that is still queued is to be enqueued again. No document is read here.
    """
    if _is_small(row):
        carry_out_import(row.pk)
        row.refresh_from_db()
    return row


def _is_small(row: ClaimImport) -> bool:
    if row.file_bytes > SMALL_BYTES:
        return False
    with open_upload(row.pk, row.file_sha256) as file:
        is_read = is_document(file) if row.format == AUTO else row.format in KINDS
        if is_read and not sets_of(row).exists():
            return False
        return row.file_bytes <= SMALL_PACKED_BYTES or file.read(len(MAGIC)) != MAGIC


def carry_out_import(pk: UUID | str) -> None:
    """Claim an import, check or store its file, and end in one final state.

    One that was confirmed beforehand is stored as soon as its check has found nothing wrong.
    """
    while row := run_job(
        ClaimImport,
        pk,
        _check_or_store,
        noun="The import",
        on_success=lambda row: row.is_confirmed and queue_storing(row),
        on_failure=_record_failure,
        refusals=(FormatError,),
        # The transaction of _store shows nothing before its end; what a heartbeat stores is seen.
        heartbeat_columns=("progress", "message"),
        failure_columns=("result",),
    ):
        drop_if_cancelled(row)


def _check_or_store(row: ClaimImport, check: Callable[[], None]) -> dict[str, Any] | None:
    row.result = without_texts(row.result)
    try:
        with open_upload(row.pk, row.file_sha256) as file:
            reached = under_way(row, file, check)
            if row.format in KINDS or (row.format == AUTO and is_document(file)):
                if row.stage == ImportStage.CHECK:
                    return _check_documents(row, file, reached)
                _store(row, file, reached, records_of(row.campaign, list(sets_of(row))))
                return None
            if row.stage == ImportStage.CHECK:
                found = check_claims(
                    campaign=row.campaign, file=file, format=row.format, progress=reached
                )
                return {"format": found.format, "result": asdict(found), "message": CHECKED}
            _store(row, file, reached)
    except FormatError as error:
        row.result["bad_records"] = _listed(error)
        raise
    return None


def _listed(error: FormatError) -> list[dict[str, Any]]:
    names = ("line", "item", "field", "reason", "file")
    return [{name: getattr(bad, name) for name in names} for bad in error.bad_records]


def _check_documents(
    row: ClaimImport, file: BinaryIO, reached: Callable[[int], None]
) -> dict[str, Any]:
    """Read documents unless their claim sets are there, as after a correction, and check those.

    What is wrong with the claim sets does not end the import: somebody may correct it.
    """
    passed_over = row.result.get("passed_over", [])
    if row.format == AUTO or not sets_of(row).exists():
        row.message = READING
        read = read_sets(file, row.format, Choices.of(row.choices))
        reached(0)
        row.format, passed_over = read.kind, list(read.passed_over)
        with transaction.atomic():
            leases.renew_lease(row)
            write_sets(row, read.sets)
    sets = list(sets_of(row))
    found = {
        "questions": questions_of(row.campaign, row.format, Choices.of(row.choices), sets),
        "passed_over": passed_over,
    }
    message = CHECKED
    if found["questions"]:
        message = OPEN
    else:
        try:
            records = records_of(row.campaign, sets)
            checked = check_claims(
                campaign=row.campaign,
                file=file,
                format=row.format,
                records=records,
                progress=reached,
            )
            found = asdict(replace(checked, preview=[])) | found
        except FormatError as error:
            found["bad_records"], message = _listed(error), error.sentence
    return {"format": row.format, "result": found, "message": message}


def _store(
    row: ClaimImport,
    file: BinaryIO,
    reached: Callable[[int], None],
    read: list[ReferenceRecord] | None = None,
) -> None:
    """Store a file; where it was read already, the records of its documents."""

    with transaction.atomic():
        counts = _store_file(row, file, reached, read)
        if read is not None:
            counts |= _with_contexts(settle_sets(row))
        # Who cancelled meanwhile is respected until the last moment.
        leases.renew_lease(row)
        leases.close(
            row,
            JobStatus.SUCCEEDED,
            result=row.result | {"stored": counts},
            progress=1.0,
            message=format_stored(counts),
        )
        record(row, "import.stored", row.asked_by, **counts)
        if read is None:
            drop_upload_once_committed(row.pk)
        else:
            ClaimImport.objects.filter(pk=row.pk).update(has_source=True)


def _with_contexts(count: int) -> dict[str, int]:
    """Return how many references got context as a count of an import, left out where none did."""
    return {"contexts": count} if count else {}


def _record_failure(row: ClaimImport) -> None:
    record(row, "import.failed", row.asked_by)
    drop_sets(row)
    drop_upload_once_committed(row.pk)


def import_file(
    *,
    slug: str,
    file: BufferedReader,
    file_name: str,
    format: str,  # noqa: A002 - the option's public name
    may_train: bool = False,
    read: DocumentRecords | None = None,
    choices: Choices | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[ClaimImport, bool]:
    """Store what stands in a file, in a campaign that is created when it is missing.

    Return the row that new claim sets name as their source, and whether the campaign is new.
    The file should have been checked: it is read within one transaction, on SQLite while nobody
    else can write; `read` is given where it was read already, as documents are, with the choices
    about them. Raises what readers and services raise, and Refused when the file is changed
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
            choices=(choices or Choices()).as_values(),
            has_source=read is not None,
            started_at=database_now(),
            progress=1.0,
        )
        counts = _store_file(row, file, progress, read=read.records if read else None)
        row.result = {"stored": counts}
        if read is not None:
            counts |= _with_contexts(write_stored_sets(row, read.sets))
            file.seek(0)
            store_upload(row.pk, file, size)
        file.seek(0)
        if hashlib.file_digest(file, "sha256").hexdigest() != digest:
            raise Refused("The file was changed while it was read; nothing was stored.")
        row.finished_at = database_now()
        row.save(update_fields=["result", "finished_at"])
    return row, is_new


def _campaign(slug: str) -> tuple[Campaign, bool]:
    """Return the campaign, and whether it was created now and not by a command at the same time."""
    found = Campaign.objects.filter(slug=slug).first()
    if found is not None:
        return found, False
    try:
        return create_campaign(slug=slug), True
    except OutOfDate:
        return Campaign.objects.get(slug=slug), False
