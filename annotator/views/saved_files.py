"""Answers that a browser or a program saves as a file."""

from typing import TypeVar

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

Answer = TypeVar("Answer", bound=HttpResponseBase)


def file_download(name: str, media_type: str, content: bytes) -> HttpResponse:
    """Give content under a name and a type."""
    return as_file(HttpResponse(content, content_type=media_type), name)


def as_file(answer: Answer, name: str) -> Answer:
    answer["Content-Disposition"] = content_disposition_header(True, name)
    return answer
