"""Freeze screens: the form with its preview, a freeze under way, cancel."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest
from annotator.access.visibility import reader_of, withheld_campaigns
from core.confirmation import about_cancelling, ask, is_confirmed
from core.errors import Refused
from core.http import SeeOther, refusals_told
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus
from scoring.access.scopes import versions_for
from scoring.datasets.freezing.forms import FreezeForm
from scoring.datasets.freezing.queries import (
    MOST_PREVIEWED,
    comparisons_of,
    describe_settings,
    freezes_for,
    preview_freeze,
)
from scoring.datasets.freezing.services import UNFINISHED, cancel_freeze, request_freeze
from scoring.datasets.versions.queries import card_page
from scoring.models import Freeze

VERSIONS_A_PAGE = 50
RATES_HERE = (
    "You rate in this campaign, and a preview would tell you what the others gave. It is open to "
    "you once the campaign is closed."
)


@require_http_methods(["GET", "HEAD", "POST"])
def freeze(request: SignedInRequest) -> HttpResponse:
    """Show the form; one of its buttons shows what a freeze would give, the other asks for it."""
    if request.method != "POST":
        chosen = {"campaign": request.GET.get("campaign", "")}
        return _page(request, FreezeForm(request.user, initial=chosen))
    form = FreezeForm(request.user, request.POST)
    if form.is_valid() and "preview" in request.POST:
        return _previewed(request, form)
    if form.is_valid():
        campaign = form.cleaned_data["campaign"]
        with form.refusals():
            row = request_freeze(campaign=campaign, settings=form.settings, asked_by=request.user)
            if row.status == JobStatus.QUEUED:
                enqueue_on_commit(row)
            return SeeOther(resolve_url("scoring:freeze_page", row.pk))
    return _page(request, form)


@require_safe
def freeze_page(request: SignedInRequest, pk: UUID) -> HttpResponse:
    return render(request, "scoring/datasets/freeze.html", _context(_freeze(request, pk)))


@require_safe
def progress(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Answer the poll of a freeze's page; the fragment stops polling by itself once final."""
    return render(request, "scoring/datasets/_freeze_progress.html", _context(_freeze(request, pk)))


@require_POST
def cancel(request: SignedInRequest, pk: UUID) -> HttpResponse:
    row = _freeze(request, pk)
    if not row.is_final and not is_confirmed(request):
        again = "No version is made. It can be frozen again, from the ratings as they are then."
        back = resolve_url("scoring:freeze_page", pk)
        return ask(request, about_cancelling("freeze", row.percent, again=again, back=back))
    with refusals_told(request):
        cancel_freeze(freeze=row, cancelled_by=request.user)
        messages.success(request, "The freeze will stop within seconds.")
    return SeeOther(resolve_url("scoring:freeze_page", pk))


def _previewed(request: SignedInRequest, form: FreezeForm) -> HttpResponse:
    """Show what a freeze would give, or why that is not shown; nothing is stored."""
    campaign, settings = form.cleaned_data["campaign"], form.settings
    with form.refusals():
        reader = reader_of(campaign, request.user)
        if reader is None or reader.is_withheld:
            raise Refused.at("campaign", RATES_HERE)
        comparisons = comparisons_of(campaign)
        if comparisons > MOST_PREVIEWED:
            return _page(request, form, too_many=f"{comparisons:,}")
        settings.pop("name")
        card = preview_freeze(campaign=campaign, **settings)
        return _page(request, form, preview=card_page(card))
    return _page(request, form)


def _page(request: SignedInRequest, form: FreezeForm, **more: Any) -> HttpResponse:
    form.focus_error()
    context = {"form": form, "most_previewed": f"{MOST_PREVIEWED:,}", **more}
    return render(request, "scoring/datasets/freeze_form.html", context, status=form.status)


def _freeze(request: SignedInRequest, pk: UUID) -> Freeze:
    return get_object_or_404(freezes_for(request.user), pk=pk)


def _context(row: Freeze) -> dict[str, Any]:
    return {"freeze": row, "settings": list(describe_settings(row))}


@require_safe
def dataset_list(request: SignedInRequest) -> HttpResponse:
    """List the versions that the person may see, and the freezes under way."""
    pages = Paginator(versions_for(request.user), VERSIONS_A_PAGE)
    context = {
        "page": pages.get_page(request.GET.get("page")),
        "withheld": withheld_campaigns(request.user),
        "under_way": freezes_for(request.user).filter(status__in=UNFINISHED),
    }
    return render(request, "scoring/datasets/datasets.html", context)
