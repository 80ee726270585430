"""Answers that a browser or a program saves as a file; pages and calls share them."""

from django.http import HttpResponse, StreamingHttpResponse

from annotator.export_headers import note_export
from annotator.models import User
from core.http import as_file
from scoring.datasets.exports.queries import card_file
from scoring.datasets.exports.services import Export
from scoring.models import DatasetVersion


def download(found: Export, by: User) -> StreamingHttpResponse:
    """Stream an export under its name and type; its headers hold what it is and who has it."""
    answer = StreamingHttpResponse(found.pieces, content_type=found.media_type)
    note_export(answer, by=by, records=found.rows)
    return as_file(answer, found.name)


def card_download(version: DatasetVersion, wanted: str, *, shows_files: bool) -> HttpResponse:
    """Give one of CARD_FORMATS under its name and type."""
    name, media_type, content = card_file(version, wanted, shows_files=shows_files)
    return as_file(HttpResponse(content, content_type=media_type), name)
