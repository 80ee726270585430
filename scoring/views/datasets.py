"""Dataset screens: list and freeze, one version, download."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotator.gate import SignedInRequest
from annotator.models import Role
from annotator.queries.access import roles_of
from annotator.refusals import Refused
from scoring import storage
from scoring.forms.requests import FreezeForm
from scoring.models import DatasetVersion
from scoring.queries.datasets import ordered_labels, versions_for
from scoring.services.datasets import freeze_dataset


@require_GET
def dataset_list(request: SignedInRequest) -> HttpResponse:
    return _page(request, FreezeForm(request.user))


@require_POST
def freeze(request: SignedInRequest) -> HttpResponse:
    form = FreezeForm(request.user, request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    values = form.cleaned_data | {"name": form.cleaned_data["name"] or None}
    try:
        frozen = freeze_dataset(**values, created_by=request.user)
    except Refused as refusal:
        form.add_error(None, refusal.sentence)
        return _page(request, form, status=422)
    words = "frozen" if frozen.is_new else "has this content already"
    messages.success(request, f"{frozen.version} {words}.")
    row = frozen.version
    return redirect("scoring:dataset_version", name=row.dataset.name, number=row.number)


@require_GET
def version(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    row = _version(request, name, number)
    may_export = _may_export(request, row)
    context = {"version": row, "labels": ordered_labels(row), "may_export": may_export}
    return render(request, "scoring/dataset_version.html", context)


@require_GET
def export(request: SignedInRequest, name: str, number: int) -> FileResponse:
    row = _version(request, name, number)
    if not _may_export(request, row):
        raise PermissionDenied("Only admins of the campaign download claim texts.")
    return FileResponse(
        storage.dataset_path(row.sha256).open("rb"),
        as_attachment=True,
        filename=f"{name}-{number}.jsonl",
        content_type="application/jsonl; charset=utf-8",
    )


def _page(request: SignedInRequest, form: FreezeForm, status: int = 200) -> HttpResponse:
    context = {"versions": versions_for(request.user), "form": form}
    return render(request, "scoring/datasets.html", context, status=status)


def _version(request: SignedInRequest, name: str, number: int) -> DatasetVersion:
    return get_object_or_404(versions_for(request.user), dataset__name=name, number=number)


def _may_export(request: SignedInRequest, row: DatasetVersion) -> bool:
    return Role.ADMIN in roles_of(request.user, row.dataset.campaign)
