"""The pages of conflicts, their list, and the rulings of a campaign for its admins."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest, counted_campaign
from annotator.adjudication.cases import adjudication_queue
from annotator.adjudication.rounds import call_back, give_back, send_back, take_turn, waiting_cases
from annotator.adjudication.rulings.forms import OTHER, RulingForm, SendBackForm, VoidForm
from annotator.adjudication.rulings.page import page_context
from annotator.adjudication.rulings.queries import (
    AdjudicationPage,
    adjudication_page,
    case_count,
    first_free,
    listed_rulings,
    references_to_rule,
    rulings_of,
    signatures,
)
from annotator.adjudication.rulings.sending_back import about_sending_back
from annotator.adjudication.rulings.services import rule, void_adjudication
from annotator.models import Adjudication, Campaign
from core.confirmation import Confirmation, ask, asked_form, counted, is_confirmed
from core.errors import Refused
from core.http import SeeOther, missing_is_404, refusals_told

REFERENCES_A_PAGE = 25
RULINGS_A_PAGE = 50
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
    return render(request, "annotator/adjudication/adjudication.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show a conflict; sign the ruling that is posted and go back to the list."""
    page = _own_page(request, pk)
    if request.method != "POST":
        return _page(request, page)
    form = RulingForm(request.POST)
    if not form.is_valid():
        return _page(request, page, form)
    with form.refusals():
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
        messages.success(request, f"{page.reference.reference_id}, {page.name}: ruled and signed.")
        return SeeOther(resolve_url(QUEUE))
    return _page(request, _own_page(request, pk), form)


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
    with missing_is_404():
        give_back(conflict_id=pk, adjudicator=request.user)
    messages.info(request, "Given back; another adjudicator may open it now.")
    return SeeOther(resolve_url(QUEUE))


@require_POST
def send_conflict_back(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Ask the annotators once more before the conflict is ruled, once confirmed.

    What was typed for the ruling goes along, so that it is there again for who rules after all.
    """
    page = _own_page(request, pk)
    if "leave" in request.POST:
        return _page(request, page, _as_typed(request))
    form = asked_form(SendBackForm, request)
    if page.is_askable and not (is_confirmed(request) and form.is_valid()):
        return ask(request, about_sending_back(page, request.POST), form)
    form = SendBackForm(request.POST)
    if not form.is_valid():
        return _page(request, page, form)
    with form.refusals():
        send_back(
            conflict_id=pk,
            adjudicator=request.user,
            kind=form.cleaned_data["back_kind"],
            question=form.cleaned_data["back_question"],
        )
        messages.success(request, f"{page.reference.reference_id}, {page.name}: sent back.")
        return SeeOther(resolve_url(QUEUE))
    page = _own_page(request, pk)
    if page.is_askable:
        return ask(request, about_sending_back(page, request.POST), form)
    return _page(request, page, form)


def _as_typed(request: SignedInRequest) -> RulingForm:
    """Return the ruling as far as it is typed: nothing of it is wrong before it is signed."""
    form = RulingForm(request.POST)
    form.is_valid()
    form.errors.clear()
    form.status = 200
    return form


@require_POST
def call_conflict_back(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Wait for the annotators no longer and go back to the list."""
    page = _own_page(request, pk)
    with refusals_told(request, messages.ERROR):
        call_back(conflict_id=pk, adjudicator=request.user)
        messages.info(request, f"{page.reference.reference_id}, {page.name}: called back.")
    return SeeOther(resolve_url(QUEUE))


def _page(
    request: SignedInRequest,
    page: AdjudicationPage,
    form: RulingForm | SendBackForm | None = None,
) -> HttpResponse:
    status = form.status if form else 200
    context = page_context(page, form)
    return render(request, "annotator/adjudication/adjudicate.html", context, status=status)


def _own_page(request: SignedInRequest, pk: UUID) -> AdjudicationPage:
    """Return the page of a conflict that the person may look at, or 404."""
    page = adjudication_page(request.user, pk)
    if page is None:
        raise Http404
    return page


@require_safe
def rulings(request: SignedInRequest, slug: str) -> HttpResponse:
    """List the rulings of a campaign to its admins, the latest first."""
    campaign = counted_campaign(request, slug)
    page = Paginator(listed_rulings(campaign), RULINGS_A_PAGE).get_page(request.GET.get("page"))
    context = {"campaign": campaign, "page": page, "rulings": signatures(page.object_list)}
    return render(request, "annotator/adjudication/rulings.html", context)


@require_POST
def void(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Void a signature for a reason, once confirmed; its conflicts open again."""
    campaign = counted_campaign(request, slug)
    row = get_object_or_404(rulings_of(campaign), pk=pk)
    form = asked_form(VoidForm, request)
    if is_confirmed(request) and form.is_valid():
        with form.refusals():
            reason = form.cleaned_data["reason"]
            void_adjudication(adjudication_id=row.pk, reason=reason, by=request.user)
            messages.success(request, "The signature is void; its conflicts are open again.")
            return SeeOther(resolve_url("annotator:rulings", campaign.slug))
    return ask(request, _about_voiding(row, campaign), form)


def _about_voiding(row: Adjudication, campaign: Campaign) -> Confirmation:
    count = row.rulings.count()
    value = "loses its ruling" if count == 1 else "lose their rulings"
    return Confirmation(
        question="Void this signature?",
        count=counted(count, "candidate"),
        effect=f"{value}, signed by {row.signed_as}; what the ratings still show of the conflicts "
        "is open again. The reason stays in view.",
        undo="This cannot be taken back; the conflicts can be ruled anew.",
        act="Void and open again",
        leave="Leave it signed",
        back=resolve_url("annotator:rulings", campaign.slug),
    )
