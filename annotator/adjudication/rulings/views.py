"""The pages of conflicts, their list, and the rulings of a campaign for its admins."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest, counted_campaign
from annotator.adjudication.cases import adjudication_queue
from annotator.adjudication.rounds import call_back, give_back, send_back, take_turn, waiting_cases
from annotator.adjudication.rulings.forms import OTHER, RulingForm, SendBackForm
from annotator.adjudication.rulings.page import page_context
from annotator.adjudication.rulings.queries import (
    AdjudicationPage,
    adjudication_page,
    campaign_rulings,
    case_count,
    first_free,
    references_to_rule,
    rulings_of,
)
from annotator.adjudication.rulings.services import rule, void_adjudication
from annotator.models import Campaign
from annotator.reading import show_aid
from core.errors import Refused
from core.http import SeeOther, missing_is_404, refusals_told

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
def adjudicate_reading(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Switch a reading aid for this person: the claim sets as they look then, for the script.

    Without a script the whole page is shown, with all that was typed but the password.
    """
    _own_page(request, pk)
    aid, _, wish = request.POST.get("aid", "").partition(" ")
    form = RulingForm(request.POST)
    with form.refusals():
        show_aid(user=request.user, aid=aid, is_shown=wish != "off")
        context = page_context(_own_page(request, pk), form, is_checked=False)
        name = "_adjudication_panes" if request.headers.get("HX-Request") else "adjudicate"
        return render(request, f"annotator/adjudication/{name}.html", context)
    return _page(request, _own_page(request, pk), form)


@require_POST
def take(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Open a conflict for this person, or give their turn its whole time again."""
    _own_page(request, pk)
    try:
        until = take_turn(conflict_id=pk, adjudicator=request.user)
        if request.headers.get("HX-Request"):
            return JsonResponse({"until": date_format(localtime(until), "TIME_FORMAT")})
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
    """Ask the annotators once more before the conflict is ruled."""
    page = _own_page(request, pk)
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
    return _page(request, _own_page(request, pk), form)


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
    """List the rulings of a campaign to its admins."""
    return _show(request, counted_campaign(request, slug))


@require_POST
def void(request: SignedInRequest, slug: str, pk: UUID) -> HttpResponse:
    """Void a signature for a reason; its conflicts open again."""
    campaign = counted_campaign(request, slug)
    row = get_object_or_404(rulings_of(campaign), pk=pk)
    reason = request.POST.get("reason", "").replace("\r\n", "\n")
    try:
        void_adjudication(adjudication_id=row.pk, reason=reason, by=request.user)
    except Refused as refusal:
        wrong = {"pk": row.pk, "sentence": refusal.sentence, "reason": reason}
        return _show(request, campaign, wrong, refusal.status)
    messages.success(request, "The signature is void; its conflicts are open again.")
    return SeeOther(resolve_url("annotator:rulings", campaign.slug))


def _show(
    request: SignedInRequest,
    campaign: Campaign,
    wrong: dict[str, object] | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {"campaign": campaign, "rulings": campaign_rulings(campaign), "wrong": wrong or {}}
    return render(request, "annotator/adjudication/rulings.html", context, status=status)
