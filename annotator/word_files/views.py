"""Downloads of claims, marks and rulings as Word documents."""

from collections.abc import Callable
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, resolve_url
from django.views.decorators.http import require_POST

from annotator.access.gate import SignedInRequest, counted_campaign, own_campaign
from annotator.adjudication.rulings.queries import adjudication_page, rulings_of
from annotator.export_headers import note_export, refuse_download
from annotator.models import User
from annotator.rating.queries import rate_page
from annotator.word_files.forms import ChangesForm, ClaimsForm
from annotator.word_files.services import (
    WordDownload,
    take_claims,
    take_marks,
    take_ruling,
    take_signed,
)
from core.forms import RefusableForm
from core.http import file_download


def as_download(found: WordDownload, by: User) -> HttpResponse:
    """Give a document under its name; its headers hold what it is and who has it."""
    answer = file_download(found.name, found.media_type, found.content)
    note_export(answer, by=by, records=1)
    return answer


@require_POST
def claims_docx(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give a reference or a candidate to an admin of its campaign."""
    campaign = own_campaign(request, slug)
    form = ClaimsForm(request.POST)
    back = resolve_url("annotator:import_claims", slug)

    def take() -> WordDownload:
        return take_claims(campaign=campaign, taken_by=request.user, **form.cleaned_data)

    return _answer(request, form, back, take)


@require_POST
def marks_docx(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Give annotators their own marks on a candidate of theirs."""
    page = rate_page(request.user, pk)
    if page is None:
        raise Http404
    form = ChangesForm(request.POST)

    def take() -> WordDownload:
        return take_marks(page=page, tracked=form.tracked, taken_by=request.user)

    return _answer(request, form, resolve_url("annotator:rate", pk), take)


@require_POST
def ruling_docx(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Give adjudicators the ruling on a case that they may look at."""
    page = adjudication_page(request.user, pk)
    if page is None:
        raise Http404
    form = ChangesForm(request.POST)

    def take() -> WordDownload:
        return take_ruling(
            page=page, number=form.place, tracked=form.tracked, taken_by=request.user
        )

    return _answer(request, form, resolve_url("annotator:adjudicate", pk), take)


@require_POST
def signed_docx(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Give an admin a signed ruling of their campaign."""
    campaign = counted_campaign(request, slug)
    row = get_object_or_404(rulings_of(campaign), pk=pk)
    form = ChangesForm(request.POST)

    def take() -> WordDownload:
        return take_signed(
            ruling=row, number=form.place, tracked=form.tracked, taken_by=request.user
        )

    return _answer(request, form, resolve_url("annotator:rulings", slug), take)


def _answer(
    request: SignedInRequest, form: RefusableForm, back: str, take: Callable[[], WordDownload]
) -> HttpResponse:
    """Give what is taken; where it is refused, a page that gives the reason and leads back."""
    if form.is_valid():
        with form.refusals():
            return as_download(take(), request.user)
    return refuse_download(request, form, back)
