"""Bytes that are no UTF-8 are refused where they come in, and never stored as signs for them."""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from django.core.exceptions import BadRequest
from django.core.handlers.wsgi import get_bytes_from_wsgi
from django.http import HttpRequest, HttpResponse, JsonResponse

from annotator.formats.utf8 import NO_UTF8, UTF8_ONLY
from annotator.gate import API_PREFIX

URLENCODED: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"


class Utf8Only:
    """Middleware that looks at addresses and forms, once it is known that they are not too long."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        is_call = request.path.startswith(API_PREFIX)
        try:
            unquote_to_bytes(get_bytes_from_wsgi(request.META, "QUERY_STRING", "")).decode()
            if request.method == "POST":
                _read_form(request, is_call=is_call)
        except UnicodeDecodeError as error:
            if is_call:
                return JsonResponse({"non_field_errors": [NO_UTF8]}, status=400)
            raise BadRequest(NO_UTF8) from error
        return None


def _read_form(request: HttpRequest, *, is_call: bool) -> None:
    """Raise UnicodeDecodeError for a form that is no UTF-8; a call reads its own later."""
    if request.content_type == MULTIPART:
        request.encoding = UTF8_ONLY
        if not is_call:
            request.POST  # noqa: B018 - to read it is to check it
    elif request.content_type == URLENCODED and not is_call:
        unquote_to_bytes(request.body).decode()
