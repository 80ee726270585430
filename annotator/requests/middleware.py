"""What every request goes through: headers, sessions that go on, refusals that are written down."""

import logging
from collections.abc import Callable
from typing import Final

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers, patch_vary_headers

from annotator.files.full_disk import is_disk_full
from annotator.gate import API_PREFIX
from annotator.models import BrowserSession, User
from annotator.services.refused_access import record_refusal
from annotator.services.sessions import SEEN_EVERY, see_session
from annotator.sign_in.client_address import client_address

logger = logging.getLogger(__name__)
UNKNOWN: Final = 401
FORBIDDEN: Final = 403
View = Callable[[HttpRequest], HttpResponse]


# What a page may ask of the browser beside showing itself: nothing.
NO_FEATURES: Final = ", ".join(
    f"{name}=()"
    for name in ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")
)


def keep_secret(get_response: View) -> View:
    """Keep drafts out of caches, search engines and other sites; static files are not served here.

    The policy of the content, the referrer's and that of openers come from middleware before.
    """

    def handle(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        add_never_cache_headers(response)
        patch_vary_headers(response, ["HX-Request"])
        response["X-Robots-Tag"] = "noindex, nofollow"
        response["Cross-Origin-Resource-Policy"] = "same-origin"
        response["Permissions-Policy"] = NO_FEATURES
        return response

    return handle


def see_sessions(get_response: View) -> View:
    """Let the session of who is at work go on, with one write a minute at most.

    What a page asks for by itself is no work: one that follows a job would else never end. The
    pings of the rate page are, as it sends them only while somebody types, points or scrolls.
    """

    def handle(request: HttpRequest) -> HttpResponse:
        is_by_itself = request.method == "GET" and "HX-Request" in request.headers
        if request.user.is_authenticated and not is_by_itself:
            row = getattr(request.session, "row", None)
            asked_at = getattr(request.session, "asked_at", None)
            if row is not None and asked_at is not None and asked_at - row.seen_at >= SEEN_EVERY:
                _see(row)
        return get_response(request)

    return handle


def _see(row: BrowserSession) -> None:
    try:
        see_session(row)
    except DatabaseError as error:
        # Pages are read on a full disk too; the session ends by idling at worst.
        if not is_disk_full(error):
            raise
        logger.warning("a session could not be noted as seen: the disk is full")


def note_refusals(get_response: View) -> View:
    """Write down who was refused: the gate's 403, the API's 401 and 403, a form without its token.

    A page that asks to sign in refuses nobody, and what does not exist for somebody is not found.
    """

    def handle(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_call = request.path.startswith(API_PREFIX)
        if response.status_code == FORBIDDEN or (is_call and response.status_code == UNKNOWN):
            _note(request, response.status_code)
        return response

    return handle


def _note(request: HttpRequest, status: int) -> None:
    match = request.resolver_match
    who = getattr(request, "refused_caller", request.user)
    try:
        record_refusal(
            actor=who if isinstance(who, User) else None,
            address=client_address(request),
            route=match.view_name if match else "",
            method=str(request.method),
            status=status,
            slug=str(match.kwargs.get("slug", "")) if match else "",
        )
    except DatabaseError:
        # Who is refused is refused, whether or not it can be written down.
        logger.exception("a refusal could not be written to the audit trail")
