"""Importing claim sets on the web: upload, look at what was found, have it stored or not."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest, own_campaign
from annotator.imports.forms import ImportForm
from annotator.imports.queries import ImportPage, imports_of, recent_imports
from annotator.imports.services import (
    cancel_import,
    carry_out_if_small,
    confirm_import,
    request_import,
)
from annotator.models import Campaign, ClaimImport
from core.confirmation import Confirmation, ask, is_confirmed
from core.errors import Refused
from core.http import SeeOther, refusals_told
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus

# Has a page that asks again and again stop asking.
STOP_POLLING = 286
NOTHING = "Cancelled: nothing of this file is stored."


@require_http_methods(["GET", "HEAD", "POST"])
def import_claims(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the form and the imports so far; a POST takes in a file and has it checked."""
    campaign = own_campaign(request, slug)
    if request.method != "POST":
        return _upload_page(request, campaign, ImportForm())
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _upload_page(request, campaign, form)
    file = form.cleaned_data.pop("file")
    said = form.cleaned_data
    try:
        row = request_import(
            campaign=campaign, file=file, file_name=file.name, asked_by=request.user, **said
        )
    except Refused as refusal:
        form.take_refusal(refusal, "file")
        return _upload_page(request, campaign, form)
    row = carry_out_if_small(row)
    if row.status == JobStatus.FAILED:
        form.take_refusal(Refused(row.message), "file")
        return _upload_page(request, campaign, form, row)
    return _go_on(row)


@require_safe
def claim_import(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Show what was found in a file, and what became of it."""
    row = _own_import(request, slug, pk)
    context = {"campaign": row.campaign, "page": ImportPage(row)}
    return render(request, "annotator/imports/claim_import.html", context)


@require_safe
def progress(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Show the part of the page that changes while a worker is at it."""
    row = _own_import(request, slug, pk)
    context = {"campaign": row.campaign, "page": ImportPage(row)}
    status = STOP_POLLING if row.is_final else 200
    return render(request, "annotator/imports/_claim_import_body.html", context, status=status)


@require_POST
def confirm(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Have the checked file stored."""
    row = _own_import(request, slug, pk)
    with refusals_told(request):
        confirm_import(row=row, confirmed_by=request.user)
        row = carry_out_if_small(row)
    return _go_on(row)


@require_POST
def cancel(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Give the file up, or stop the worker that is at it."""
    row = _own_import(request, slug, pk)
    if not is_confirmed(request) and (not row.is_final or ImportPage(row).is_waiting):
        return ask(request, _about_cancelling(row))
    with refusals_told(request):
        cancel_import(row=row, cancelled_by=request.user)
        is_over = row.status == JobStatus.CANCELLED
        messages.success(request, NOTHING if is_over else "The import will stop within seconds.")
    return SeeOther(resolve_url("annotator:claim_import", slug, pk))


def _about_cancelling(row: ClaimImport) -> Confirmation:
    return Confirmation(
        question="Cancel this import?",
        count="1 file",
        effect="is given up, and nothing of it is stored.",
        undo="This cannot be taken back. The file can be uploaded again.",
        act="Cancel the import",
        leave="Go on with it",
        back=resolve_url("annotator:claim_import", row.campaign.slug, row.pk),
    )


def _own_import(request: SignedInRequest, slug: str, pk: UUID) -> ClaimImport:
    return get_object_or_404(imports_of(own_campaign(request, slug)), pk=pk)


def _go_on(row: ClaimImport) -> HttpResponse:
    """Enqueue what is left to a worker, and show the import."""
    if row.status == JobStatus.QUEUED:
        enqueue_on_commit(row)
    return SeeOther(resolve_url("annotator:claim_import", row.campaign.slug, row.pk))


def _upload_page(
    request: SignedInRequest,
    campaign: Campaign,
    form: ImportForm,
    refused: ClaimImport | None = None,
) -> HttpResponse:
    form.focus_error()
    context = {
        "campaign": campaign,
        "form": form,
        "imports": recent_imports(campaign),
        "refused": refused,
    }
    return render(request, "annotator/imports/import_claims.html", context, status=form.status)
