"""The gate before every view: a route or a method that the matrix does not open stays shut."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.http import urlencode

from annotator.access import matrix
from annotator.access.scopes import campaigns_for, roles_of
from annotator.access.second_step import must_set_up
from annotator.access.visibility import COUNTS_WITHHELD, Reader, counts_withheld, reader_of
from annotator.models import Campaign, Role, User

if TYPE_CHECKING:
    from rest_framework.request import Request

# DRF authenticates by token inside its views; they ask the matrix themselves.
API_PREFIX = "/api/v1/"
# A program that watches the site has no account; it bears the token of the settings.
METRICS_ROUTE = "annotator:metrics"
# The field by which the rate form is known: what it holds must outlive a session.
DRAFT_FIELD = "draft_version"
CSRF_FIELD = "csrfmiddlewaretoken"
# Other forms with text in them, and the page that each belongs to.
RESUBMITTED = {
    "annotator:compare": "annotator:compare",
    "annotator:compare_draft": "annotator:compare",
    "annotator:adjudicate": "annotator:adjudicate",
    "annotator:send_back": "annotator:adjudicate",
}
# What stays open to who has yet to set up the second factor that the site requires.
SECOND_FACTOR = "annotator:account_second_factor"
SET_UP_FIRST = "Set up your second factor first."


class SignedInRequest(HttpRequest):
    """What a view behind the gate is given: nobody anonymous comes so far."""

    user: User


class BeforeView:
    """Middleware that only looks at requests whose route is found."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)


class Gate(BeforeView):
    """Middleware that asks the permission matrix for each resolved route."""

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        match = request.resolver_match
        route = match.view_name if match else ""
        rule = matrix.matrix().get(route)
        if request.path.startswith(API_PREFIX):
            return None
        if route == METRICS_ROUTE and _is_scraper(request):
            return None
        if rule is None or not rule.is_public:
            if not request.user.is_authenticated:
                return _sign_in(request)
            if must_set_up(request) and not route.startswith(SECOND_FACTOR):
                return _go_to(request, reverse(SECOND_FACTOR), SET_UP_FIRST, status=403)
            is_own = rule is not None and rule.is_own_account
            if not is_own and not matrix.may(route, principals_of(request)):
                raise PermissionDenied
        if rule is not None and request.method not in rule.methods:
            return HttpResponseNotAllowed(sorted(rule.methods))
        return None


def _go_to(
    request: HttpRequest, target: str, why: str, *, status: int, preserve: bool = False
) -> HttpResponse:
    """Send the browser, or the script of a page, to another page first."""
    if request.headers.get("HX-Request"):
        headers = {"HX-Redirect": target.partition("?")[0]}
        return JsonResponse({"detail": why}, status=status, headers=headers)
    return redirect(target, preserve_request=preserve)


def principals_of(request: HttpRequest) -> frozenset[str]:
    """Return what the signed-in person is anywhere, asked once for a request."""
    known: frozenset[str] | None = getattr(request, "_principals", None)
    if known is None:
        known = principals(request.user, roles_of(request.user))
        request._principals = known  # type: ignore[attr-defined]
    return known


def principals(user: Any, roles: frozenset[str]) -> frozenset[str]:
    """Return the roles, and site admin for one who is."""
    return roles | {matrix.SITE_ADMIN} if user.is_superuser else roles


def _is_scraper(request: HttpRequest) -> bool:
    token, given = settings.METRICS_TOKEN, request.headers.get("Authorization", "")
    return bool(token) and constant_time_compare(given, f"Bearer {token}")


def _sign_in(request: HttpRequest) -> HttpResponse:
    match, of_form = request.resolver_match, _form_page(request)
    # The page to come back to: that of the form, when one of its buttons was pressed.
    back = of_form or request.get_full_path()
    if DRAFT_FIELD in request.POST and match and "pk" in match.kwargs:
        back = reverse("annotator:rate", kwargs={"pk": match.kwargs["pk"]})
    target = f"{settings.LOGIN_URL}?{urlencode({'next': back})}"
    is_form = bool(request.POST.keys() - {CSRF_FIELD}) and bool(of_form)
    # What was typed is not dropped with the session: the browser posts it to the sign-in page.
    is_carried = DRAFT_FIELD in request.POST or is_form
    return _go_to(request, target, "Sign in again to go on.", status=401, preserve=is_carried)


def _form_page(request: HttpRequest) -> str:
    """Return the page whose form this is, where text is resubmitted to it after a sign-in."""
    match = request.resolver_match
    if request.method != "POST" or match is None or match.view_name not in RESUBMITTED:
        return ""
    return reverse(RESUBMITTED[match.view_name], kwargs=match.kwargs)


def read_campaign(request: SignedInRequest | Request, slug: str) -> tuple[Campaign, Reader]:
    """Return a campaign, and how the person reads its figures, if their roles open them."""
    row = get_object_or_404(campaigns_for(request.user), slug=slug)
    reader = reader_of(row, cast(User, request.user))
    if reader is None:
        raise PermissionDenied
    return row, reader


def own_campaign(request: SignedInRequest | Request, slug: str) -> Campaign:
    """Return the campaign if the person, or the caller of the API, is its admin."""
    row = get_object_or_404(campaigns_for(request.user), slug=slug)
    if Role.ADMIN not in roles_of(request.user, row):
        raise PermissionDenied
    return row


def counted_campaign(request: SignedInRequest | Request, slug: str) -> Campaign:
    """Return the campaign if the person is its admin and its counts are not withheld from them."""
    row = own_campaign(request, slug)
    if counts_withheld(row, cast(User, request.user)):
        raise PermissionDenied(COUNTS_WITHHELD)
    return row
