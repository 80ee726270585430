"""Importing claim sets on the web: upload, look at what was found, have it stored or not."""

import base64
from typing import Any, BinaryIO, Final
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest, own_campaign
from annotator.export_headers import note_export
from annotator.imports.correcting import answer_import, check_choices, correct_claims
from annotator.imports.documents import Choices
from annotator.imports.examples import example_archive, template_archive
from annotator.imports.files import name_of_source
from annotator.imports.forms import ChoicesForm, CorrectionForm, ImportForm
from annotator.imports.preview import listed_sets, shown_set
from annotator.imports.queries import ImportPage, imports_of, recent_imports
from annotator.imports.read_sets import sets_of
from annotator.imports.services import (
    NOT_WAITING,
    cancel_import,
    carry_out_if_small,
    confirm_import,
    request_import,
    take_source,
)
from annotator.models import Campaign, ClaimImport, User
from core.confirmation import Confirmation, ask, is_confirmed
from core.errors import Refused
from core.http import SeeOther, file_download, refusals_told
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus

# Has a page that asks again and again stop asking.
STOP_POLLING = 286
NOTHING = "Cancelled: nothing of this file is stored."
ZIP: Final = "application/zip"
OCTETS: Final = "application/octet-stream"
# Of the number of a claim set in an address.
MOST_DIGITS: Final = 6


@require_http_methods(["GET", "HEAD", "POST"])
def import_claims(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the form and the imports so far; a POST takes in a file and has it checked."""
    campaign = own_campaign(request, slug)
    if request.method != "POST":
        return _upload_page(request, campaign, ImportForm())
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _upload_page(request, campaign, form)
    file, name, kind = form.sent
    try:
        check_choices(form.choices)
        row = request_import(
            campaign=campaign,
            file=file,
            file_name=name,
            format=kind,
            may_train=form.cleaned_data["may_train"],
            choices=form.choices,
            asked_by=request.user,
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
def template(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give the archive to fill."""
    own_campaign(request, slug)
    return file_download("claim-sets-template.zip", ZIP, template_archive())


@require_safe
def example(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give an archive that can be imported as it is."""
    own_campaign(request, slug)
    return file_download("claim-sets-example.zip", ZIP, example_archive())


@require_safe
def claim_import(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Show what was found in a file, and what became of it."""
    return _import_page(request, _own_import(request, slug, pk))


@require_safe
def progress(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Show the part of the page that changes while a worker is at it."""
    row = _own_import(request, slug, pk)
    status = STOP_POLLING if row.is_final else 200
    context = _context(row, 0)
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
def source(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponseBase:
    """Give the document from which the claims of an import came, as it was sent."""
    row = _own_import(request, slug, pk)
    with refusals_told(request):
        return as_document(take_source(row=row, taken_by=request.user), row, request.user)
    return SeeOther(resolve_url("annotator:claim_import", slug, pk))


def as_document(file: BinaryIO, row: ClaimImport, by: User) -> FileResponse:
    """Give a document as a file that no browser opens by itself, with its digest."""
    name = name_of_source(row.file_name)
    answer = FileResponse(file, as_attachment=True, filename=name, content_type=OCTETS)
    digest = base64.b64encode(bytes.fromhex(row.file_sha256)).decode()
    answer["Repr-Digest"] = f"sha-256=:{digest}:"
    note_export(answer, by=by, records=1)
    return answer


@require_POST
def answer(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Take what was asked, and have the documents read or checked anew."""
    row = _own_import(request, slug, pk)
    form = ChoicesForm(request.POST)
    if form.is_valid():
        with form.refusals():
            answer_import(row=row, choices=form.choices, answered_by=request.user)
            return _go_on(carry_out_if_small(row))
    return _import_page(request, row, answers=form)


@require_POST
def correct(request: SignedInRequest, slug: str, pk: UUID, number: int) -> HttpResponse:
    """Take the text of one claim set as somebody has corrected it, and check all of them anew."""
    row = _own_import(request, slug, pk)
    one = get_object_or_404(sets_of(row), number=number)
    form = CorrectionForm(request.POST, has_draft=not one.candidate_id)
    if form.is_valid():
        with form.refusals():
            correct_claims(row=row, number=number, corrected_by=request.user, **form.cleaned_data)
            return _go_on(carry_out_if_small(row), number)
    return _import_page(request, row, number, correction=form)


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
        subjects=(("File", row.file_name),),
    )


def _own_import(request: SignedInRequest, slug: str, pk: UUID) -> ClaimImport:
    return get_object_or_404(imports_of(own_campaign(request, slug)), pk=pk)


def _go_on(row: ClaimImport, number: int = 0) -> HttpResponse:
    """Enqueue what is left to a worker, and show the import, at one of its claim sets."""
    if row.status == JobStatus.QUEUED:
        enqueue_on_commit(row)
    address = resolve_url("annotator:claim_import", row.campaign.slug, row.pk)
    return SeeOther(f"{address}?set={number}#claim-set" if number else address)


def _import_page(
    request: SignedInRequest,
    row: ClaimImport,
    number: int | None = None,
    *,
    answers: ChoicesForm | None = None,
    correction: CorrectionForm | None = None,
) -> HttpResponse:
    """Show an import; with a form that was refused, the form as it was sent."""
    context = _context(row, number or _asked_set(request), answers, correction)
    bound = answers or correction
    if bound:
        bound.focus_error()
        if not context["page"].is_waiting:
            # Its form is not shown any more.
            messages.warning(request, NOT_WAITING)
    status = bound.status if bound else 200
    return render(request, "annotator/imports/claim_import.html", context, status=status)


def _asked_set(request: SignedInRequest) -> int:
    """Return which claim set is asked for by its number; 0 where none is."""
    sent = request.GET.get("set", "")
    return int(sent) if sent.isascii() and sent.isdecimal() and len(sent) <= MOST_DIGITS else 0


def _context(
    row: ClaimImport,
    number: int,
    answers: ChoicesForm | None = None,
    correction: CorrectionForm | None = None,
) -> dict[str, Any]:
    page = ImportPage(row)
    number = number or page.first_open
    shown = shown_set(row, number) if page.is_waiting else None
    if shown and correction is None:
        texts = {name: getattr(shown.row, name) for name in ("claims", "draft_claims")}
        correction = CorrectionForm(initial=texts, has_draft=not shown.row.candidate_id)
    choices = ChoicesForm.values_of(Choices.of(row.choices))
    return {
        "campaign": row.campaign,
        "page": page,
        "sets": listed_sets(row, number),
        "shown": shown,
        "answers": answers or ChoicesForm(initial=choices),
        "correction": correction,
        "aids": {"marks": True},
        "shown_changes": (),
    }


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
