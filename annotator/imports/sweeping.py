"""Ends imports that nobody confirms, and clears away the files that nobody needs any more."""

from datetime import timedelta
from typing import Final

from django.db import transaction

from annotator.context.services import sweep_pictures
from annotator.imports.files import (
    ORPHAN_SECONDS,
    drop_upload,
    stored_uploads,
)
from annotator.imports.read_sets import drop_sets
from annotator.imports.services import NEEDS_UPLOAD, WAITS_FOR_CONFIRMATION, give_up, record
from annotator.models import ClaimImport
from core.clock import database_now

LONGEST_UNCONFIRMED: Final = timedelta(days=1)
FORGOTTEN: Final = "Nobody confirmed it within a day. Upload the file again."


def sweep_imports() -> int:
    """End imports that nobody confirmed in time, and delete the files that nobody needs any more.

    Returns how many files were deleted.
    """
    long_ago = database_now() - LONGEST_UNCONFIRMED
    for row in ClaimImport.objects.filter(WAITS_FOR_CONFIRMATION, finished_at__lt=long_ago):
        with transaction.atomic():
            if give_up(row, FORGOTTEN):
                drop_sets(row)
                record(row, "import.expired", None)
    return sweep_files()


def sweep_files() -> int:
    """Delete the files on this host that nobody needs any more; return how many."""
    ages = dict(stored_uploads())
    rows = ClaimImport.objects.filter(pk__in=ages)
    known = set(rows.values_list("pk", flat=True))
    needed = set(rows.filter(NEEDS_UPLOAD).values_list("pk", flat=True))
    # A row comes after its file, but never as late as this.
    loose = {pk for pk, age in ages.items() if pk in known or age > ORPHAN_SECONDS} - needed
    for pk in loose:
        drop_upload(pk)
    return len(loose) + sweep_pictures(ORPHAN_SECONDS)
