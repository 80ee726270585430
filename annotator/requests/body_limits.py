"""How long the body of a request may be, decided by its address before any of it is read."""

from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse

from annotator import permissions
from annotator.api.authentication import KEYWORD
from annotator.gate import API_PREFIX, principals_of

# The addresses that take files. Everywhere else a file is a form that is too long.
UPLOADS: Final = frozenset({"annotator:import_claims", "api:import_claims"})
# What a form adds to its file: boundaries, names, the other fields.
ENVELOPE_BYTES: Final = 64 * 1024
# Set by the web server where it asks before it takes a body in; the answer to that, if it shall.
BODY_TO_COME: Final = "workbench.body_to_come"
GO_ON: Final = 100
SCHEME: Final = f"{KEYWORD.lower()} "


class BodyLimit:
    """Middleware that answers 413 by the announced length; it stands before what reads forms.

    One that came without has the length that the web server counted. A body that is still to come
    is answered by GO_ON where it may.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not (length.isascii() and length.isdecimal()):
            return None  # Django takes it for 0
        is_upload = _may_upload(request)
        limit = settings.MAX_UPLOAD_BYTES if is_upload else settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        # Fifteen digits are a thousand terabytes; longer numbers are not worth counting.
        if len(length) <= 15 and int(length) <= limit + (ENVELOPE_BYTES if is_upload else 0):
            return HttpResponse(status=GO_ON) if request.META.get(BODY_TO_COME) else None
        if request.path.startswith(API_PREFIX):
            sentence = f"The body is longer than the limit of {limit:,} bytes."
            return JsonResponse({"detail": sentence}, status=413)
        raise RequestDataTooBig


def _may_upload(request: HttpRequest) -> bool:
    """Say whether a file is taken here, and from this person: forms are read before the gate asks.

    Who comes with a token is looked at by the API before it reads a byte.
    """
    match = request.resolver_match
    route = match.view_name if match else ""
    if route not in UPLOADS:
        return False
    is_api = request.path.startswith(API_PREFIX)
    if is_api and request.headers.get("Authorization", "").lower().startswith(SCHEME):
        return True
    return request.user.is_authenticated and permissions.may(route, principals_of(request))
