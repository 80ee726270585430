"""Answers that a browser or a program saves as a file; the doors of the house share them."""

from typing import TypeVar

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

from annotator.models import User
from annotator.views.export_notes import note_export
from scoring.models import DatasetVersion
from scoring.queries.data_cards import card_file
from scoring.services.exports import Export
from scoring.services.model_exports import Archive

Answer = TypeVar("Answer", bound=HttpResponseBase)


def download(found: Export, by: User) -> StreamingHttpResponse:
    """Stream an export under its name and type; its headers say what it is and who has it."""
    answer = StreamingHttpResponse(found.pieces, content_type=found.media_type)
    note_export(answer, by=by, records=found.rows)
    return _as_file(answer, found.name)


def model_download(found: Archive, by: User) -> StreamingHttpResponse:
    """Stream the archive of a model under its name and type."""
    answer = StreamingHttpResponse(found.pieces, content_type=found.media_type)
    note_export(answer, by=by)
    return _as_file(answer, found.name)


def card_download(version: DatasetVersion, wanted: str, *, tells_files: bool) -> HttpResponse:
    """Give one of CARD_FORMATS under its name and type."""
    name, media_type, content = card_file(version, wanted, tells_files=tells_files)
    return _as_file(HttpResponse(content, content_type=media_type), name)


def file_download(name: str, media_type: str, content: bytes) -> HttpResponse:
    """Give content under a name and a type."""
    return _as_file(HttpResponse(content, content_type=media_type), name)


def _as_file(answer: Answer, name: str) -> Answer:
    answer["Content-Disposition"] = content_disposition_header(True, name)
    return answer
