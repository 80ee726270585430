"""Gives every request an id, one line in the log, and its place in the figures."""

import logging
import re
import time
import uuid
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse

from annotator.logs import request_id

View = Callable[[HttpRequest], HttpResponse]
HEADER: Final = "X-Request-ID"
# What a proxy may give; anything else could forge or swell a log.
WELL_FORMED: Final = re.compile(r"[0-9A-Za-z-]{8,64}")
# Addresses that no route knows may hold anything, so they are told by these words.
NO_ROUTE: Final = "none"
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
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
            route = request.resolver_match.view_name if request.resolver_match else NO_ROUTE
            method = request.method if request.method in METHODS else "other"
            count_request(route, str(method), response.status_code, seconds)
            _tell(request, route, str(method), response.status_code, round(seconds * 1000))
            return response
        finally:
            request_id.reset(token)

    return handle


def _tell(request: HttpRequest, route: str, method: str, status: int, spent: int) -> None:
    # Asked for by the session only: who has not looked at it has no user to tell.
    user = getattr(request, "_cached_user", None)
    facts = {"method": method, "route": route, "status": status, "milliseconds": spent}
    facts["user"] = getattr(user, "pk", None)
    logger.info("%s %s %s in %s ms", method, route, status, spent, extra=facts)
