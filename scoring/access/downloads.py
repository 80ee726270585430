"""What leaves as a file, and the answer by which a browser or a program saves it."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.http import FileResponse

from annotator.export_headers import note_export
from annotator.models import User
from core.http import export_download


@dataclass(frozen=True, slots=True)
class Export:
    """A file that is about to leave: its name, type, bytes as they come, and number of rows."""

    name: str
    media_type: str
    pieces: Iterator[bytes]
    rows: int | None = None


def as_download(found: Export, by: User) -> FileResponse:
    """Give an export under its name and type; its headers hold what it is and who has it."""
    answer = export_download(found.pieces, found.name, found.media_type)
    note_export(answer, by=by, records=found.rows)
    return answer
