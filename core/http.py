"""Answers after an accepted form, and answers that are saved as a file."""

from typing import TypeVar

from django.http import HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header


class SeeOther(HttpResponseRedirect):
    """A redirect with 303, which every client follows with GET."""

    status_code = 303


Answer = TypeVar("Answer", bound=HttpResponseBase)


def file_download(name: str, media_type: str, content: bytes) -> HttpResponse:
    """Give content under a name and a type."""
    return as_file(HttpResponse(content, content_type=media_type), name)


def as_file(answer: Answer, name: str) -> Answer:
    answer["Content-Disposition"] = content_disposition_header(True, name)
    return answer
