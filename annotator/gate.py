"""The gate before every view: a route that the matrix does not open stays shut."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.http import urlencode

from annotator import permissions
from annotator.models import User
from annotator.queries.access import roles_of

# DRF authenticates by token inside its views; they ask the matrix themselves.
API_PREFIX = "/api/"


class SignedInRequest(HttpRequest):
    """What a view behind the gate is given: nobody anonymous comes so far."""

    user: User


class Gate:
    """Middleware that asks the permission matrix for each resolved route."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        match = request.resolver_match
        route = match.view_name if match else ""
        rule = permissions.matrix().get(route)
        if request.path.startswith(API_PREFIX) or (rule and rule.is_public):
            return None
        if not request.user.is_authenticated:
            return _sign_in(request)
        if not permissions.may(route, principals_of(request.user)):
            raise PermissionDenied
        return None


def principals_of(user: Any) -> frozenset[str]:
    """Return what the user is anywhere: roles, and site admin."""
    extra = {permissions.SITE_ADMIN} if user.is_superuser else set()
    return roles_of(user) | extra


def _sign_in(request: HttpRequest) -> HttpResponse:
    target = f"{settings.LOGIN_URL}?{urlencode({'next': request.get_full_path()})}"
    if request.headers.get("HX-Request"):
        response = JsonResponse({"detail": "Sign in again to go on."}, status=401)
        response["HX-Redirect"] = settings.LOGIN_URL
        return response
    return redirect(target)
