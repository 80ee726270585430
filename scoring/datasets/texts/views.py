"""Permitting researchers to read the claim texts of a version, and revoking it."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, resolve_url
from django.views.decorators.http import require_POST

from annotator.access.gate import SignedInRequest
from core.http import SeeOther, refusals_told
from scoring.access.scopes import may_export, version_or_404, version_reader
from scoring.datasets.texts.forms import PermissionForm
from scoring.datasets.texts.queries import permissions_for
from scoring.datasets.texts.services import permit_texts, revoke_texts
from scoring.datasets.versions.views import version_page


@require_POST
def permit(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    """Let a researcher of the campaign read the claim texts of a version."""
    row = version_or_404(request.user, name, number)
    if row.dataset.campaign is None or not may_export(version_reader(request.user, row)):
        raise PermissionDenied("Only admins of the campaign say who reads its claim texts.")
    form = PermissionForm(row, request.POST)
    if form.is_valid():
        with form.refusals():
            found = permit_texts(version=row, **form.cleaned_data, permitted_by=request.user)
            messages.success(request, f"{found.person.username} may read the claim texts now.")
            return SeeOther(resolve_url("scoring:dataset_version", name, number) + "#texts")
    return version_page(request, row, texts_form=form)


@require_POST
def revoke(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Take such a permission away."""
    found = get_object_or_404(permissions_for(request.user), pk=pk)
    dataset, number = found.version.dataset, found.version.number
    with refusals_told(request):
        revoke_texts(permission=found, revoked_by=request.user)
        messages.success(request, f"{found.person.username} reads the claim texts no more.")
    return SeeOther(resolve_url("scoring:dataset_version", dataset.full_name, number) + "#texts")
