"""Writes of imports by the worker that carries them out: check, store, refuse, tidy up."""

from contextlib import suppress
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from annotator.clock import database_now
from annotator.files.full_disk import why_stopped
from annotator.formats.compressed import MAGIC
from annotator.formats.records import BadRecord, FormatError
from annotator.jobs import leases
from annotator.jobs.heartbeat import heartbeat
from annotator.jobs.rows import JobStatus
from annotator.models import ClaimImport, ImportStage
from annotator.refusals import Refused
from annotator.services.import_jobs import (
    WAITS_FOR_WORD,
    drop_if_cancelled,
    give_up,
    queue_storing,
    record,
    without_texts,
)
from annotator.services.import_work import Work, stored_words
from annotator.services.uploaded_files import (
    ORPHAN_SECONDS,
    drop_stale_arrivals,
    drop_upload,
    drop_upload_once_committed,
    open_upload,
    stored_uploads,
)

# What is checked and stored while somebody waits for the answer; the rest is for a worker.
SMALL_BYTES: Final = 2 * 1024 * 1024
# Nobody knows how much a packed file holds before it is read.
SMALL_PACKED_BYTES: Final = 64 * 1024
LONGEST_UNCONFIRMED: Final = timedelta(days=1)
CHECKED: Final = "Nothing is wrong with the file. Look at what is in it, then import it."
FORGOTTEN: Final = "Nobody confirmed it within a day. Upload the file again."


def carry_out_if_small(row: ClaimImport) -> ClaimImport:
    """Do at once what is short enough to be waited for; return the row as it is then.

    One that is still queued is to be rung for.
    """
    if row.file_bytes <= SMALL_PACKED_BYTES or (
        row.file_bytes <= SMALL_BYTES and not _is_packed(row)
    ):
        carry_out_import(row.pk)
        row.refresh_from_db()
    return row


def carry_out_import(pk: UUID | str) -> None:
    """Claim an import, check or store its file, and end in one final state.

    One that was confirmed beforehand is stored as soon as its check has found nothing wrong.
    """
    while row := leases.claim(ClaimImport, pk):
        try:
            if row.stage == ImportStage.CHECK:
                _check(row)
            else:
                _store(row)
        except leases.LostLease:
            leases.settle_cancelled(row)
            drop_if_cancelled(row)
        except FormatError as error:
            _fail(row, error.sentence, bad_records=[_bad_words(bad) for bad in error.bad_records])
        except Refused as refusal:
            _fail(row, refusal.sentence)
        except Exception as error:
            _fail(row, why_stopped("The import", error))
            raise


def _check(row: ClaimImport) -> None:
    with open_upload(row.pk, row.file_sha256) as file:
        work = Work(row, file)
        with heartbeat(row, work.progress) as work.still_ours:
            check = work.check()
    with transaction.atomic():
        leases.close(
            row,
            JobStatus.SUCCEEDED,
            format=check["format"],
            result=check,
            progress=1.0,
            message=CHECKED,
        )
        if row.is_confirmed:
            queue_storing(row)


def _store(row: ClaimImport) -> None:
    with open_upload(row.pk, row.file_sha256) as file:
        work = Work(row, file)
        # What the transaction writes nobody sees before its end: the heartbeat tells how far it is.
        with heartbeat(row, work.progress) as work.still_ours, transaction.atomic():
            counts = work.store()
            # Who cancelled meanwhile is heard until the last moment.
            leases.beat(row)
            leases.close(
                row,
                JobStatus.SUCCEEDED,
                result=without_texts(row.result) | {"stored": counts},
                progress=1.0,
                message=stored_words(counts),
            )
            record(row, "import.stored", row.asked_by, **counts)
            drop_upload_once_committed(row.pk)


def _fail(row: ClaimImport, sentence: str, **found: Any) -> None:
    # A lost lease means that another worker owns the import now: nothing of ours is written.
    with suppress(leases.LostLease), transaction.atomic():
        result = without_texts(row.result) | found
        leases.close(row, JobStatus.FAILED, result=result, message=sentence)
        record(row, "import.failed", row.asked_by)
        drop_upload_once_committed(row.pk)


def _bad_words(bad: BadRecord) -> dict[str, Any]:
    return {"line": bad.line, "item": bad.item, "field": bad.field, "reason": bad.reason}


def _is_packed(row: ClaimImport) -> bool:
    with open_upload(row.pk, row.file_sha256) as file:
        return file.read(len(MAGIC)) == MAGIC


def sweep_imports() -> int:
    """End imports that nobody confirmed in time, and delete the files that nobody needs any more.

    Returns how many files were deleted.
    """
    long_ago = database_now() - LONGEST_UNCONFIRMED
    for row in ClaimImport.objects.filter(WAITS_FOR_WORD, finished_at__lt=long_ago):
        with transaction.atomic():
            if give_up(row, FORGOTTEN):
                record(row, "import.expired", None)
    ages = dict(stored_uploads())
    rows = ClaimImport.objects.filter(pk__in=ages)
    known = set(rows.values_list("pk", flat=True))
    under_way = Q(status__in=(JobStatus.QUEUED, JobStatus.RUNNING))
    needed = set(rows.filter(under_way | WAITS_FOR_WORD).values_list("pk", flat=True))
    # A row comes after its file, but never as late as this.
    loose = {pk for pk, age in ages.items() if pk in known or age > ORPHAN_SECONDS} - needed
    for pk in loose:
        drop_upload(pk)
    return len(loose) + drop_stale_arrivals()
