"""Uploads and documents from which claims came: which are needed, and whether they are there."""

from collections.abc import Iterator
from typing import Final

from django.db.models import QuerySet

from annotator.imports.files import FOLDER, UploadGone, open_upload
from annotator.models import ClaimImport
from annotator.operations.backups.archives import StoredFile
from annotator.operations.health.database import Finding, ok, warning

KINDS: Final = {"sources": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"}
"""Names of sources: the ids of their imports."""


def source_files() -> Iterator[StoredFile]:
    """Yield the source of every import that has one; raise UploadGone where one is not whole."""
    for row in _imports():
        with open_upload(row.pk, row.file_sha256):
            yield StoredFile(f"{FOLDER}/{row.pk}", row.file_sha256, row.file_bytes)


def look_at_sources() -> Iterator[Finding]:
    """Read every source, and compare each with its digest."""
    whole = 0
    for row in _imports():
        try:
            open_upload(row.pk, row.file_sha256).close()
        except UploadGone as damage:
            mend = "Restore the file from a backup; the claims that came from it are not touched."
            yield warning("sources", damage.sentence, mend)
            continue
        whole += 1
    yield ok("sources", f"{whole} documents are as they were sent.")


def _imports() -> QuerySet[ClaimImport]:
    rows = ClaimImport.objects.filter(has_source=True).order_by("pk")
    return rows.only("file_sha256", "file_bytes")
