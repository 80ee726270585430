"""Answers that a browser or a program saves as a file; the doors of the house share them."""

from django.http import HttpResponse, StreamingHttpResponse

from annotator.models import User
from annotator.views.export_notes import note_export
from annotator.views.saved_files import as_file
from scoring.models import DatasetVersion
from scoring.queries.data_cards import card_file
from scoring.services.exports import Export


def download(found: Export, by: User) -> StreamingHttpResponse:
    """Stream an export under its name and type; its headers say what it is and who has it."""
    answer = StreamingHttpResponse(found.pieces, content_type=found.media_type)
    note_export(answer, by=by, records=found.rows)
    return as_file(answer, found.name)


def card_download(version: DatasetVersion, wanted: str, *, tells_files: bool) -> HttpResponse:
    """Give one of CARD_FORMATS under its name and type."""
    name, media_type, content = card_file(version, wanted, tells_files=tells_files)
    return as_file(HttpResponse(content, content_type=media_type), name)
