"""Asks the permission matrix for each API route, as the gate does for pages."""

from django.http import Http404
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from annotator import permissions
from annotator.gate import principals
from annotator.queries.access import roles_by_campaign


class MatrixPermission(BasePermission):
    """Opens a route to the principals that the matrix names; other campaigns are not found."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user.is_authenticated:
            return False
        # A token brings its owner's roles along; a browser's session does not.
        known = getattr(request, "roles_by_campaign", None)
        roles = roles_by_campaign(request.user) if known is None else known
        slug = view.kwargs.get("slug")
        if slug and slug not in roles:
            raise Http404
        route = request.resolver_match.view_name  # type: ignore[union-attr]
        everywhere = frozenset().union(*roles.values())
        return permissions.may(route, principals(request.user, everywhere))
