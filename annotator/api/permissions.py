"""Asks the permission matrix for each API route, as the gate does for pages."""

from django.http import Http404
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from annotator import permissions
from annotator.gate import principals_of
from annotator.queries.access import campaigns_for


class MatrixPermission(BasePermission):
    """Opens a route to the principals that the matrix names; other campaigns are not found."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user.is_authenticated:
            return False
        slug = view.kwargs.get("slug")
        if slug and not campaigns_for(request.user).filter(slug=slug).exists():
            raise Http404
        route = request.resolver_match.view_name  # type: ignore[union-attr]
        return permissions.may(route, principals_of(request.user))
