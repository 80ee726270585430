"""The pages of conflicts, their list, and the rulings of a campaign for its admins."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest, counted_campaign
from annotator.accounts.factor_views import ask_passkey
from annotator.accounts.passkeys import (
    ANSWER,
    RULINGS,
    WANTED,
    answered,
    asked_of,
    usable_passkeys,
)
from annotator.accounts.providers import Fresh, Purpose, leave_for, signs_at
from annotator.adjudication.cases import adjudication_queue
from annotator.adjudication.rounds import call_back, give_back, send_back, take_turn, waiting_cases
from annotator.adjudication.rulings.forms import (
    OTHER,
    DecisionForm,
    RulingForm,
    SendBackForm,
    SignListForm,
    VoidForm,
)
from annotator.adjudication.rulings.page import page_context
from annotator.adjudication.rulings.prepared import (
    NONE_CHOSEN,
    SHOWN,
    list_to_sign,
    prepare_ruling,
    sign_prepared,
    typed_of,
)
from annotator.adjudication.rulings.queries import (
    MEANING,
    AdjudicationPage,
    adjudication_page,
    case_count,
    free_cases,
    listed_rulings,
    next_case,
    references_to_rule,
    rulings_of,
    signatures,
)
from annotator.adjudication.rulings.sending_back import about_sending_back
from annotator.adjudication.rulings.services import Decided, rule, void_adjudication
from annotator.models import Adjudication, Campaign
from annotator.reading import show_aid
from core.confirmation import Confirmation, ask, asked_form, is_confirmed
from core.errors import Refused
from core.http import SeeOther, missing_is_404, refusals_told
from core.oidc.settings import Provider
from patclaimeval.claims.openings import opening_of
from patclaimeval.plurals import counted

REFERENCES_A_PAGE = 25
RULINGS_A_PAGE = 50
QUEUE = "annotator:adjudication"
PAGE = "annotator:adjudicate"
# The button that stores a ruling to be signed later sends this name.
LATER = "later"


@require_safe
def adjudication(request: SignedInRequest) -> HttpResponse:
    """List the open conflicts of the campaigns in which the person adjudicates."""
    return _list(request, SignListForm())


@require_POST
def sign(request: SignedInRequest) -> HttpResponse:
    """Sign prepared rulings with one password or passkey, each with a signature of its own."""
    if ANSWER in request.POST:
        return _sign_by_passkey(request)
    way = _way_to_sign(request)
    form = SignListForm(request.POST)
    if way:
        del form.fields["password"]
    if not form.is_valid():
        return _list(request, form)
    with form.refusals():
        chosen = form.cleaned_data["ruling"]
        if way:
            if not chosen:
                raise Refused.at("ruling", NONE_CHOSEN)
            return _leave_to_sign(request, way, chosen)
        _sign(request, chosen, form.cleaned_data["password"])
        return SeeOther(resolve_url(QUEUE))
    return _list(request, form)


def _way_to_sign(request: SignedInRequest) -> Provider | str | None:
    """Return what a person signs with who gives no password: a passkey, or their provider."""
    return WANTED if WANTED in request.POST else signs_at(request.user)


def _leave_to_sign(
    request: SignedInRequest,
    way: Provider | str,
    chosen: Sequence[UUID],
    of_page: str = "",
) -> HttpResponse:
    """Have the person asked anew who they are; `of_page` is the conflict whose page they leave."""
    sent = {"chosen": [str(pk) for pk in chosen], "of_page": of_page}
    if isinstance(way, Provider):
        return leave_for(request, way, Purpose.RULINGS, sent=sent)
    asked = asked_of(request, RULINGS, request.user, sent)
    does = f"signs {counted(len(chosen), 'ruling')}: “{MEANING}”"
    action = resolve_url("annotator:sign_rulings")
    return ask_passkey(request, asked, does, back=QUEUE, action=action)


def _sign_by_passkey(request: SignedInRequest) -> HttpResponse:
    try:
        sent = answered(request, RULINGS, request.user)
        return sign_anew(request, sent, Fresh(request.user))
    except Refused as refusal:
        messages.error(request, f"{refusal.sentence} The rulings are in the list to be signed.")
        return SeeOther(resolve_url(QUEUE))


def sign_anew(request: SignedInRequest, sent: Mapping[str, Any], fresh: Fresh) -> HttpResponse:
    """Sign prepared rulings for who has just shown anew, at their provider or so, who they are."""
    before = free_cases(request.user)
    _sign(request, [UUID(pk) for pk in sent["chosen"]], fresh)
    if sent["of_page"]:
        return _open_next(request, before, UUID(sent["of_page"]))
    return SeeOther(resolve_url(QUEUE))


def _sign(request: SignedInRequest, chosen: Sequence[UUID], password: str | Fresh) -> None:
    signed, refused = sign_prepared(adjudicator=request.user, chosen=chosen, password=password)
    if signed:
        done = f"{counted(len(signed), 'ruling')} signed, each with a signature of its own."
        messages.success(request, done)
    for why in refused:
        messages.error(request, f"Not signed. {why}")


def _list(request: SignedInRequest, form: SignListForm) -> HttpResponse:
    pages = Paginator(references_to_rule(request.user), REFERENCES_A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    references = adjudication_queue(request.user, list(page))
    cases = [case for entry in references for case in entry.cases]
    shown = [case.conflict_id for case in cases if not (case.is_taken or case.is_prepared)]
    context = {
        "page": page,
        "references": references,
        "count": case_count(request.user),
        "first": next(iter(shown or free_cases(request.user)), None),
        "waiting": waiting_cases(request.user),
        "to_sign": list_to_sign(request.user),
        "criteria": SHOWN,
        "meaning": MEANING,
        **_ways_to_sign(request),
        "form": form,
        "ticked": request.POST.getlist("ruling") if form.is_bound else None,
    }
    template = "annotator/adjudication/adjudication.html"
    return render(request, template, context, status=form.status)


@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show a conflict; sign the ruling that is posted, or store it to be signed later.

    Then the next conflict opens, as the next candidate does after a rating.
    """
    page = _own_page(request, pk)
    if request.method != "POST":
        typed = typed_of(pk, request.user) if page.held_until else None
        return _page(request, page, _as_typed(typed) if typed else None)
    is_later, way = LATER in request.POST, _way_to_sign(request)
    is_prepared = is_later or way is not None
    form = DecisionForm(request.POST) if is_prepared else RulingForm(request.POST)
    if not form.is_valid():
        return _page(request, page, form)
    before = free_cases(request.user)
    with form.refusals():
        if is_prepared:
            row = prepare_ruling(conflict_id=pk, adjudicator=request.user, decided=_decided(form))
            if way and not is_later:
                return _leave_to_sign(request, way, [row.pk], of_page=str(pk))
            done = "in the list to be signed"
        else:
            password = form.cleaned_data["password"]
            rule(
                conflict_id=pk,
                adjudicator=request.user,
                password=password,
                **asdict(_decided(form)),
            )
            done = "ruled and signed"
        messages.success(request, f"{page.reference.reference_id}, {page.name}: {done}.")
        return _open_next(request, before, pk)
    return _page(request, _own_page(request, pk), form)


def _decided(form: DecisionForm) -> Decided:
    given = form.cleaned_data
    return Decided(
        decision=given["decision"],
        rating_id=form.rating_id,
        scores=form.scores(),
        other_scores=form.scores(OTHER),
        reason_code=given["reason_code"],
        reason=given["reason"],
        has_guideline_gap=given["has_guideline_gap"],
        seen=given["seen"],
    )


def _open_next(request: SignedInRequest, before: Sequence[UUID], done: UUID) -> HttpResponse:
    """Take a turn at the case that comes next, and show it; the list when there is none."""
    following = next_case(before, done, free_cases(request.user))
    if following is None:
        return SeeOther(resolve_url(QUEUE))
    with refusals_told(request, messages.ERROR):
        take_turn(conflict_id=following, adjudicator=request.user)
    return SeeOther(resolve_url(PAGE, following))


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
        context |= _ways_to_sign(request)
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
    """Ask the annotators once more before the conflict is ruled, once confirmed.

    What was typed for the ruling goes along, so that it is there again for who rules after all.
    """
    page = _own_page(request, pk)
    if "leave" in request.POST:
        return _page(request, page, _as_typed(request.POST))
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


def _as_typed(typed: QueryDict) -> DecisionForm:
    """Return the ruling as far as it is typed: nothing of it is wrong before it is signed."""
    form = DecisionForm(typed)
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
    form: DecisionForm | SendBackForm | None = None,
) -> HttpResponse:
    status = form.status if form else 200
    context = page_context(page, form) | _ways_to_sign(request)
    return render(request, "annotator/adjudication/adjudicate.html", context, status=status)


def _ways_to_sign(request: SignedInRequest) -> dict[str, object]:
    has_passkey = usable_passkeys(request, request.user).exists()
    return {"signs_at": signs_at(request.user), "has_passkey": has_passkey}


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
    context = {
        "campaign": campaign,
        "page": page,
        "rulings": signatures(cast("QuerySet[Adjudication]", page.object_list)),
    }
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
        subjects=_signed_subjects(row),
    )


def _signed_subjects(row: Adjudication) -> tuple[tuple[str, str], ...]:
    """Name what was ruled on: the reference, and each candidate by its id and how it opens."""
    reference = row.conflict.candidate.reference
    rulings = row.rulings.select_related("candidate").order_by("candidate__candidate_id")
    candidates = [ruling.candidate for ruling in rulings]
    return (
        ("Reference", reference.title or opening_of(reference.claims) or reference.reference_id),
        *((f"Candidate {one.candidate_id}", opening_of(one.claims)) for one in candidates),
    )
