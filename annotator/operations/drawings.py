"""Pictures of drawings: which files the rows need, and whether they are as they were stored."""

from collections.abc import Iterator
from typing import Final

from annotator.context.files import FOLDER, PictureGone, read_picture
from annotator.models import Drawing
from annotator.operations.backups.archives import StoredFile
from annotator.operations.health.database import Finding, ok, warning

KINDS: Final = {FOLDER: r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"}
"""Names of pictures: the ids of their drawings."""


def drawing_files() -> Iterator[StoredFile]:
    """Yield the picture of every drawing; raise PictureGone where one is not whole."""
    for row in Drawing.objects.order_by("pk").iterator():
        read_picture(row.pk, row.png_sha256)
        yield StoredFile(f"{FOLDER}/{row.pk}", row.png_sha256, row.png_bytes)


def look_at_drawings() -> Iterator[Finding]:
    """Read every picture, and compare each with its digest."""
    whole = 0
    for row in Drawing.objects.order_by("pk").iterator():
        try:
            read_picture(row.pk, row.png_sha256)
        except PictureGone as damage:
            mend = "Restore the file from a backup; the claims beside it are not touched."
            yield warning("drawings", str(damage), mend)
            continue
        whole += 1
    yield ok("drawings", f"{whole} drawings are as they were stored.")
