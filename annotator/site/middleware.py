"""What every request passes: id, log line, limits, UTF-8, headers, sessions, refusals on record."""

import logging
import re
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.core.exceptions import BadRequest, RequestDataTooBig
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.functional import SimpleLazyObject

from annotator.access import matrix
from annotator.access.gate import API_PREFIX, BeforeView, principals_of
from annotator.accounts.sessions import SEEN_EVERY, see_session
from annotator.accounts.sign_in import client_address, record_refusal
from annotator.models import User
from core.logs import method_of, request_id, route_of
from patclaimeval.files import is_disk_full
from patclaimeval.text_io.text import NO_UTF8, UTF8_ONLY

# The addresses that take files. Everywhere else a file is a form that is too long.
UPLOADS: Final = frozenset({"annotator:import_claims", "api:import_claims"})
# What a form adds to its file: boundaries, names, the other fields.
ENVELOPE_BYTES: Final = 64 * 1024


def longest_body(path: str) -> int:
    """Return how many bytes a request to this address may have."""
    try:
        route = resolve(path).view_name
    except Resolver404:
        route = ""
    if route in UPLOADS:
        return int(settings.MAX_UPLOAD_BYTES) + ENVELOPE_BYTES
    return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)


class BodyLimit(BeforeView):
    """Middleware that answers 413 by the length of the body; it stands before what reads forms."""

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not (length.isascii() and length.isdecimal()):
            return None  # Django takes it for 0
        # Fifteen digits are a thousand terabytes; longer numbers are not worth counting.
        size = int(length) if len(length) <= 15 else sys.maxsize
        if size <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            return None
        longest = longest_body(request.path)
        if size <= longest:
            return None
        if request.path.startswith(API_PREFIX):
            limit = min(longest, settings.MAX_UPLOAD_BYTES)
            sentence = f"The body is longer than the limit of {limit:,} bytes."
            return JsonResponse({"detail": sentence}, status=413)
        raise RequestDataTooBig


# Routes of scoring stand here as names: this package does not import it.
PLACES: Final = (
    ("annotator:home", "Home", "what is yours to do"),
    ("annotator:adjudication", "Adjudication", "conflicts to rule on, without names"),
    ("annotator:rated", "Rated", "your own ratings, to look at and to revise"),
    ("scoring:datasets", "Datasets", "frozen quadruplets, their cards and splits"),
    ("scoring:runs", "Training runs", "train PatClaimEval and watch it"),
    ("scoring:models", "Model versions", "what training produced"),
    ("scoring:score", "Score", "what the promoted models say of a text"),
    ("scoring:reports", "Reports", "how far scorers agree with people"),
    ("scoring:erasures", "Erasures", "references to be erased, by id and count"),
    ("annotator:users", "Users", "accounts, invitations, sessions"),
    ("annotator:rubric", "Rubric", "criteria, weights and bands"),
    ("annotator:system_audit", "Audit trail", "what belongs to no campaign"),
    ("annotator:own_acts", "Your activity", "your entries in the audit trail"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of the navigation; `is_around` where the page is one of its own below it."""

    url: str
    name: str
    purpose: str
    is_here: bool
    is_around: bool


def page_header(request: HttpRequest) -> dict[str, object]:
    """Give the places of the signed-in person, worked out only when shown, and other ways in."""
    return {
        "places": SimpleLazyObject(lambda: places(request)),
        "sign_in_providers": settings.OIDC_PROVIDERS,
    }


def places(request: HttpRequest) -> tuple[Place, ...]:
    """Return the places that the matrix opens to the person."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return ()
    principals = principals_of(request)
    match = request.resolver_match
    here = match.view_name if match else ""
    urls = {route: reverse(route) for route, _, _ in PLACES}
    return tuple(
        Place(
            url=urls[route],
            name=name,
            purpose=purpose,
            is_here=route == here,
            # Everything is below the first place, the root.
            is_around=route not in (here, PLACES[0][0]) and request.path.startswith(urls[route]),
        )
        for route, name, purpose in PLACES
        if matrix.may(route, principals)
    )


View = Callable[[HttpRequest], HttpResponse]
HEADER: Final = "X-Request-ID"
# What a proxy may give; anything else could forge or swell a log.
WELL_FORMED: Final = re.compile(r"[0-9A-Za-z-]{8,64}")
logger = logging.getLogger("annotator.requests")


def follow(get_response: View) -> View:
    """Log each answer by its route and code: an address may hold what somebody typed."""
    from annotator.operations.health.figures import count_request

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
            status, spent = response.status_code, round(seconds * 1000)
            count_request(route, method, status, seconds)
            facts = {"method": method, "route": route, "status": status, "milliseconds": spent}
            # Asked for by the session only: who has not looked at it has no user to tell.
            facts["user"] = getattr(getattr(request, "_cached_user", None), "pk", None)
            logger.info("%s %s %s in %s ms", method, route, status, spent, extra=facts)
            return response
        finally:
            request_id.reset(token)

    return handle


URLENCODED: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"


class Utf8Only(BeforeView):
    """Middleware that looks at addresses and forms, once it is known that they are not too long."""

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        is_call = request.path.startswith(API_PREFIX)
        try:
            unquote_to_bytes(request.META.get("QUERY_STRING", "")).decode()
            if request.method == "POST" and request.content_type == MULTIPART:
                request.encoding = UTF8_ONLY
                if not is_call:  # it reads its own later
                    request.POST  # noqa: B018 - to read it is to check it
            elif request.method == "POST" and request.content_type == URLENCODED and not is_call:
                unquote_to_bytes(request.body).decode()
        except UnicodeDecodeError as error:
            if is_call:
                return JsonResponse({"non_field_errors": [NO_UTF8]}, status=400)
            raise BadRequest(NO_UTF8) from error
        return None


UNKNOWN: Final = 401
FORBIDDEN: Final = 403


# What a page may ask of the browser beside showing itself: nothing.
NO_FEATURES: Final = ", ".join(
    f"{name}=()"
    for name in ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")
)


def protect_drafts(get_response: View) -> View:
    """Leave drafts out of caches, search engines and other sites; static files are not served here.

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
                try:
                    see_session(row)
                except DatabaseError as error:
                    # Pages are read on a full disk too; the session ends by idling at worst.
                    if not is_disk_full(error):
                        raise
                    logger.warning("a session could not be noted as seen: the disk is full")
        return get_response(request)

    return handle


def use_time_zone(get_response: View) -> View:
    """Show times in the person's own zone; what programs and files get stays in UTC."""

    def handle(request: HttpRequest) -> HttpResponse:
        if request.path.startswith(API_PREFIX) or not request.user.is_authenticated:
            return get_response(request)
        with timezone.override(request.user.time_zone):
            return get_response(request)

    return handle


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
