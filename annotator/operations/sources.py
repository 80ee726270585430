"""Uploads and documents from which claims came: which are needed, and whether they are there."""

from collections.abc import Collection, Iterator
from typing import Final

from django.db.models import QuerySet

from annotator.imports.files import (
    UploadGone,
    move_to_sources,
    open_source,
    sources_directory,
    stored_uploads,
)
from annotator.models import ClaimImport
from annotator.operations.backups.archives import StoredFile
from annotator.operations.health.database import Finding, ok, warning
from core.artefacts.store import how_to_mend, is_shared
from core.jobs.queues import Queues
from core.jobs.rows import FINAL_STATUSES
from core.plurals import counted

KINDS: Final = {"sources": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"}
"""Names of sources: the ids of their imports."""


def source_files() -> Iterator[StoredFile]:
    """Yield the source of every import that has one; raise UploadGone where one is not whole."""
    for row in _imports():
        # One that a process which died has left where it was uploaded.
        move_to_sources(row.pk)
        with open_source(row.pk, row.file_sha256):
            name = f"{sources_directory().name}/{row.pk}"
            yield StoredFile(name, row.file_sha256, row.file_bytes)


def look_at_sources() -> Iterator[Finding]:
    """Read every source, and compare each with its digest."""
    whole = 0
    for row in _imports():
        try:
            open_source(row.pk, row.file_sha256).close()
        except UploadGone as damage:
            mend = how_to_mend(
                "Restore the file from a backup; the claims that came from it are not touched."
            )
            yield warning("sources", damage.sentence, mend)
            continue
        whole += 1
    yield ok("sources", f"{whole} documents are as they were sent.")


def uploads_out_of_reach(works: Collection[str]) -> Iterator[str]:
    """Say how many imports wait whose files are not in this data directory."""
    if is_shared() or Queues.WEB not in works:
        return
    rows = ClaimImport.objects.exclude(status__in=FINAL_STATUSES)
    needed = set(rows.values_list("pk", flat=True))
    if absent := needed - {pk for pk, _ in stored_uploads()}:
        yield f"The files of {counted(len(absent), 'import')} lie in another data directory."


def _imports() -> QuerySet[ClaimImport]:
    rows = ClaimImport.objects.filter(has_source=True).order_by("pk")
    return rows.only("file_sha256", "file_bytes")
