"""The list of conflicts, the page of one, and what is done with it: take, rule, send back."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.forms.ruling import OTHER, RulingForm
from annotator.forms.send_back import SendBackForm
from annotator.gate import SignedInRequest
from annotator.models import Conflict
from annotator.queries.adjudication_list import case_count, first_free, references_to_rule
from annotator.queries.adjudication_page import AdjudicationPage, adjudication_page
from annotator.queries.conflict_cases import adjudication_queue
from annotator.queries.waiting_conflicts import waiting_cases
from annotator.refusals import Refused
from annotator.services.adjudication import rule
from annotator.services.rounds import call_back, send_back
from annotator.services.turns import give_back, take_turn
from annotator.views.ruling_form import page_context
from annotator.views.see_other import SeeOther

UNPROCESSABLE = 422
REFERENCES_A_PAGE = 25
QUEUE = "annotator:adjudication"
PAGE = "annotator:adjudicate"


@require_safe
def adjudication(request: SignedInRequest) -> HttpResponse:
    """List the open conflicts of the campaigns in which the person adjudicates."""
    pages = Paginator(references_to_rule(request.user), REFERENCES_A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    references = adjudication_queue(request.user, list(page))
    shown = [case for entry in references for case in entry.cases if not case.is_taken]
    context = {
        "page": page,
        "references": references,
        "count": case_count(request.user),
        "first": shown[0].conflict_id if shown else first_free(request.user),
        "waiting": waiting_cases(request.user),
    }
    return render(request, "annotator/adjudication.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show a conflict; sign the ruling that is posted and go back to the list."""
    page = _own_page(request, pk)
    if request.method != "POST":
        return render(request, "annotator/adjudicate.html", page_context(page))
    form = RulingForm(request.POST)
    if not form.is_valid():
        context = page_context(page, form)
        return render(request, "annotator/adjudicate.html", context, status=UNPROCESSABLE)
    try:
        rule(
            conflict_id=pk,
            adjudicator=request.user,
            decision=form.cleaned_data["decision"],
            rating_id=form.rating_id,
            scores=form.scores(),
            other_scores=form.scores(OTHER),
            reason_code=form.cleaned_data["reason_code"],
            reason=form.cleaned_data["reason"],
            has_guideline_gap=form.cleaned_data["has_guideline_gap"],
            password=form.cleaned_data["password"],
            seen=form.cleaned_data["seen"],
        )
    except Refused as refusal:
        form.take_refusal(refusal)
        context = page_context(_own_page(request, pk), form)
        return render(request, "annotator/adjudicate.html", context, status=refusal.status)
    messages.success(request, f"{page.reference.reference_id}, {page.name}: ruled and signed.")
    return SeeOther(resolve_url(QUEUE))


@require_POST
def take(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Open a conflict for this person, or give their turn its whole time again."""
    _own_page(request, pk)
    try:
        until = take_turn(conflict_id=pk, adjudicator=request.user)
        if request.headers.get("HX-Request"):
            return JsonResponse({"until": f"{until:%H:%M}"})
    except Refused as refusal:
        if request.headers.get("HX-Request"):
            return JsonResponse({"sentence": refusal.sentence}, status=refusal.status)
        messages.error(request, refusal.sentence)
    return SeeOther(resolve_url(PAGE, pk))


@require_POST
def return_conflict(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Close a conflict unruled and go back to the list."""
    try:
        give_back(conflict_id=pk, adjudicator=request.user)
    except Conflict.DoesNotExist as error:
        raise Http404 from error
    messages.info(request, "Given back; another adjudicator may open it now.")
    return SeeOther(resolve_url(QUEUE))


@require_POST
def send_conflict_back(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Ask the annotators once more before the conflict is ruled."""
    page = _own_page(request, pk)
    form = SendBackForm(request.POST)
    if not form.is_valid():
        context = page_context(page, form)
        return render(request, "annotator/adjudicate.html", context, status=UNPROCESSABLE)
    try:
        send_back(
            conflict_id=pk,
            adjudicator=request.user,
            kind=form.cleaned_data["back_kind"],
            question=form.cleaned_data["back_question"],
        )
    except Refused as refusal:
        form.take_refusal(refusal)
        context = page_context(_own_page(request, pk), form)
        return render(request, "annotator/adjudicate.html", context, status=refusal.status)
    messages.success(request, f"{page.reference.reference_id}, {page.name}: sent back.")
    return SeeOther(resolve_url(QUEUE))


@require_POST
def call_conflict_back(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Wait for the annotators no longer and go back to the list."""
    page = _own_page(request, pk)
    try:
        call_back(conflict_id=pk, adjudicator=request.user)
    except Refused as refusal:
        messages.error(request, refusal.sentence)
    else:
        messages.info(request, f"{page.reference.reference_id}, {page.name}: called back.")
    return SeeOther(resolve_url(QUEUE))


def _own_page(request: SignedInRequest, pk: UUID) -> AdjudicationPage:
    """Return the page of a conflict that the person may look at, or 404."""
    page = adjudication_page(request.user, pk)
    if page is None:
        raise Http404
    return page
