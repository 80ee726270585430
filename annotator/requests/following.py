"""Gives every request an id, one line in the log, and its place in the figures."""

import logging
import re
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from annotator.logs import method_of, request_id, route_of

View = Callable[[HttpRequest], HttpResponse]
HEADER: Final = "X-Request-ID"
# What a proxy may give; anything else could forge or swell a log.
WELL_FORMED: Final = re.compile(r"[0-9A-Za-z-]{8,64}")
logger = logging.getLogger("annotator.requests")


def follow(get_response: View) -> View:
    """Tell each answer by its route and code: an address may carry what somebody typed."""
    from annotator.health.figures import count_request

    def handle(request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        own = given if WELL_FORMED.fullmatch(given) else uuid.uuid4().hex
        token = request_id.set(own)
        begun = time.monotonic()
        try:
            response = get_response(request)
            response[HEADER] = own
            seconds = time.monotonic() - begun
            route, method = route_of(request), method_of(request)
            count_request(route, method, response.status_code, seconds)
            _tell(request, route, method, response.status_code, round(seconds * 1000))
            if isinstance(response, StreamingHttpResponse):
                response.streaming_content = _watched(response.streaming_content, route)
            return response
        finally:
            request_id.reset(token)

    return handle


class BrokenOff(Exception):
    """An answer that had begun could not be ended; what it says nothing of is in the log."""


def _watched(parts: Iterable[bytes], route: str) -> Iterator[bytes]:
    """Yield the parts of a long answer; log without its words what breaks it off.

    Past this point the web server alone would hear of it, and print its words.
    """
    try:
        yield from parts
    except Exception:
        logger.exception("the answer of %s broke off", route)
        raise BrokenOff from None


def _tell(request: HttpRequest, route: str, method: str, status: int, spent: int) -> None:
    # Asked for by the session only: who has not looked at it has no user to tell.
    user = getattr(request, "_cached_user", None)
    facts = {"method": method, "route": route, "status": status, "milliseconds": spent}
    facts["user"] = getattr(user, "pk", None)
    logger.info("%s %s %s in %s ms", method, route, status, spent, extra=facts)
