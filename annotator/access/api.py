"""Asks the permission matrix for each API call, as the gate does for pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.http import Http404
from rest_framework.exceptions import MethodNotAllowed, PermissionDenied, ValidationError
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from annotator.access import matrix
from annotator.access.gate import SET_UP_FIRST, principals
from annotator.access.scopes import roles_by_campaign
from annotator.access.second_step import must_set_up

if TYPE_CHECKING:
    # It asks for this module itself, for the permission of every call.
    from rest_framework.views import APIView

# Of the names that were sent, so that an answer stays short.
MOST_NAMED: Final = 20
MOST_ECHOED: Final = 100


class MatrixPermission(BasePermission):
    """Opens a route to the principals that the matrix names; other campaigns are not found."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user.is_authenticated:
            return False
        # A token was made by who had given their code; a browser's session holds it itself.
        if request.auth is None and must_set_up(request):
            raise PermissionDenied(SET_UP_FIRST)
        roles = roles_by_campaign(request.user)
        slug = view.kwargs.get("slug")
        if slug and slug not in roles:
            raise Http404
        route = request.resolver_match.view_name  # type: ignore[union-attr]
        everywhere = frozenset().union(*roles.values())
        rule = matrix.matrix().get(route)
        if rule is None:
            return False
        # Who has no role yet joins a campaign too.
        if not rule.is_own_account and not matrix.may(route, principals(request.user, everywhere)):
            return False
        # A session has no scope.
        if request.auth is not None and request.auth not in rule.tokens:
            return False
        if request.method not in rule.methods:
            raise MethodNotAllowed(str(request.method))
        refuse_unknown(request, view)
        return True


def refuse_unknown(request: Request, view: APIView) -> None:
    """Raise 400 for what stands after the question mark and is not the call's.

    No filter, order or search reads a request's own names, so a name that a call does not state
    could only be mistaken for one that it heeds. Names that are stated come once.
    """
    known: frozenset[str] = getattr(view, "parameters", frozenset())
    sent = request.query_params
    wrong = {
        name[:MOST_ECHOED]: ["This parameter is not known here."]
        for name in sorted(set(sent) - known)[:MOST_NAMED]
    } or {name: ["Give this parameter once."] for name in known if len(sent.getlist(name)) > 1}
    if wrong:
        raise ValidationError(wrong)
