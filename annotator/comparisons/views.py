"""The compare page: show, submit, revise."""

from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import Http404, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest
from annotator.chart_page import ChartPage, answer_chart
from annotator.claim_chart import view_chart
from annotator.comparisons.drafts import (
    about_discarding,
    discard_comparison_draft,
    keep_refused,
    save_comparison_draft,
)
from annotator.comparisons.forms import TYPED, PreferenceForm, as_sent
from annotator.comparisons.queries import (
    SIDES,
    ComparePage,
    compare_page,
    compared_claims,
    next_comparison,
)
from annotator.comparisons.services import submit_preference
from annotator.context.page import Beside, show_context, show_drawing
from annotator.models import Comparison, ComparisonDraft, Preference
from annotator.reading import READING_KEYS, reading_context, reading_of, show_aid
from annotator.typed_drafts import DraftMoved, differs_from
from core.confirmation import ask, is_confirmed
from core.errors import OutOfDate, Refused
from core.forms import ASCII_SPACE, RadioGroup, focused_group, radio_choices
from core.http import SeeOther
from patclaimeval.rubric import ALL_CRITERIA, NAMES, OVERALL

ANSWERS: Final = ((1, "Left better"), (0, "Equal"), (-1, "Right better"))
# The rubric asks of one candidate; here the same is asked of two.
QUESTIONS: Final = {
    "feature_completeness": "Which claims more of the invention's essential features?",
    "conceptual_clarity": "Which tells a skilled reader more surely what is claimed?",
    "terminology_consistency": "Which calls one thing by one name, that of the reference?",
    "logical_linkage": "In which do features and claims depend on each other as they should?",
    OVERALL: "All in all, which is the better claim set?",
}
# The keys of the rate screen that work here too, as this screen calls them.
KEY_LABELS: Final = {
    "next-criterion": "Next criterion",
    "previous-criterion": "Previous criterion",
    "comment": "Write the comment",
    "submit": "Submit the preference",
    "toggle-aligned": "Show or fold the reference",
    **READING_KEYS,
    "next-candidate": "Next comparison",
    "previous-candidate": "Previous comparison",
    "queue": "Back to the queue",
    "keys": "List of all keys",
}


def page_context(
    page: ComparePage,
    form: PreferenceForm | None = None,
    *,
    is_stale: bool = False,
    is_checked: bool = True,
) -> dict[str, Any]:
    """Return what the compare template needs, filled from what was typed, else from what is stored.

    When the stored preference is shown beside a stale form, the form has its version, so that
    sending it again is a choice made with both in view; after a plain mistake it has its own.
    With `is_checked` false the form was sent for another reason, and its mistakes are not shown.
    """
    errors: dict[str, tuple[str, ...]] = {}
    if form and is_checked:
        errors = {name: tuple(map(str, reasons)) for name, reasons in form.errors.items()}
    sent = _values(page, form)
    is_unkept = form is not None and not is_stale
    if not is_unkept:
        sent |= {"version": str(page.version), "typed_version": str(page.draft_version)}
    elif page.draft and not differs_from(page.draft, sent, TYPED):
        # Stored a moment ago from this very form: it is no other tab's.
        sent["typed_version"] = str(page.draft_version)
        is_unkept = False
    other = page.draft if is_stale and differs_from(page.draft, sent, TYPED) else None
    focused = focused_group(ALL_CRITERIA, errors)
    return {
        "page": page,
        "sent": sent,
        "questions": [
            RadioGroup(
                *(key, NAMES[key], QUESTIONS[key]),
                radio_choices(ANSWERS, sent[key], has_focus=key == focused),
                errors.get(key, ()),
            )
            for key in ALL_CRITERIA
        ],
        "comment_errors": errors.get("comment", ()),
        "form_errors": errors.get(NON_FIELD_ERRORS, ()),
        "is_refused": bool(errors),
        "is_unkept": is_unkept,
        "fields": TYPED,
        "other_draft": other and _described_draft(other),
        "stored": _described(page.preference) if is_stale and page.preference else None,
        **reading_context(page.reading, KEY_LABELS),
    }


def _values(page: ComparePage, form: PreferenceForm | None) -> dict[str, str]:
    names = (*TYPED, "version", "typed_version")
    if form is not None:
        typed = {name: form.typed(name) for name in names}
        return typed | {key: typed[key].strip(ASCII_SPACE) for key in ALL_CRITERIA}
    empty = dict.fromkeys(names, "")
    if page.draft:
        return empty | {name: str(page.draft.typed.get(name) or "") for name in TYPED}
    return empty | (as_sent(page.preference) if page.preference else {})


def _described(stored: Preference) -> dict[str, Any]:
    labels = dict(ANSWERS)
    judgements = [(NAMES[key], labels[value].lower()) for key, value in stored.judgements.items()]
    return {"said": judgements, "comment": stored.comment, "revised_at": stored.revised_at}


def _described_draft(draft: ComparisonDraft) -> dict[str, Any]:
    labels = {str(value): label.lower() for value, label in ANSWERS}
    said = [(NAMES[key], labels.get(str(draft.typed.get(key)), "")) for key in ALL_CRITERIA]
    return {
        "said": [(name, words) for name, words in said if words],
        "comment": str(draft.typed.get("comment", "")),
        "saved_at": draft.saved_at,
    }


@require_http_methods(["GET", "HEAD", "POST"])
def compare(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show a comparison; store the preference that is posted and go on to the next.

    The page's script asks for the next address instead of a redirect, so that a server that is
    away costs nothing that was typed; what is refused it sends again as a plain form.
    """
    page = _own_page(request, pk)
    if page.is_recused:
        return _show_recused(request, page)
    if request.method != "POST":
        return _show(request, page)
    form = PreferenceForm(request.POST)
    if not form.is_valid():
        return _show(request, page, form)
    with form.refusals():
        row = submit_preference(
            comparison_id=pk,
            annotator=request.user,
            judgements=form.judgements,
            comment=form.cleaned_data["comment"],
            version=form.version_seen,
            draft_version=form.draft_version_seen,
        )
        messages.success(request, f"{page.label}: preference stored.")
        following = next_comparison(request.user, row.comparison)
        target = resolve_url("annotator:compare", following.pk) if following else "/"
        if request.headers.get("HX-Request"):
            return JsonResponse({"location": target})
        return SeeOther(target)
    # What the page's script is refused it sends again as a page: that one counts.
    if form.status == OutOfDate.status and not request.headers.get("HX-Request"):
        version = form.draft_version_seen or 0
        keep_refused(comparison_id=pk, typed=form.as_entered, version=version)
    return _show(request, _own_page(request, pk), form)


@require_POST
def compare_draft(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Store what is typed: JSON for the page's script, a redirect for its button."""
    page = _own_page(request, pk)
    form = PreferenceForm(request.POST)
    form.is_valid()
    try:
        if page.closed_because:
            raise OutOfDate(page.closed_because)
        row = save_comparison_draft(
            comparison_id=pk,
            typed=form.as_entered,
            version=form.draft_version_seen or 0,
            preference_version=form.version_seen,
        )
    except Refused as refusal:
        if request.headers.get("HX-Request"):
            return _draft_refused(refusal)
        return _show_refused(request, pk, form, refusal)
    if request.headers.get("HX-Request"):
        return JsonResponse({"version": row.version, "saved_at": row.saved_at.isoformat()})
    messages.success(request, "Draft saved.")
    return SeeOther(resolve_url("annotator:compare", pk))


def _draft_refused(refusal: Refused) -> HttpResponse:
    said = refusal.as_json if isinstance(refusal, DraftMoved) else {"sentence": refusal.sentence}
    return JsonResponse(said, status=refusal.status)


def _show_refused(
    request: SignedInRequest, pk: UUID, form: PreferenceForm, refusal: Refused
) -> HttpResponse:
    """Show the page with all that was typed; a missing answer is no fault of a draft."""
    page = _own_page(request, pk)
    if page.is_recused:
        return _show_recused(request, page)
    form.errors.clear()
    form.take_refusal(refusal)
    return _show(request, page, form)


@require_POST
def discard_comparison(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Forget the draft, once confirmed; the page then shows what was submitted, or nothing."""
    page = _own_page(request, pk)
    form = PreferenceForm(request.POST)
    form.is_valid()
    seen = form.draft_version_seen
    if page.draft and not is_confirmed(request):
        return ask(request, about_discarding(pk, page.label, page.draft, seen))
    try:
        discard_comparison_draft(comparison_id=pk, version=seen)
    except DraftMoved as moved:
        return _show_refused(request, pk, form, moved)
    messages.success(request, "Draft discarded.")
    return SeeOther(resolve_url("annotator:compare", pk))


@require_POST
def compare_reading(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Switch a reading aid for this person: the claim sets as they look then, for the script.

    Without a script the whole page is shown, with all that was typed.
    """
    page = _own_page(request, pk)
    if page.is_recused:
        return _show_recused(request, page)
    aid, _, wish = request.POST.get("aid", "").partition(" ")
    form = PreferenceForm(request.POST)
    with form.refusals():
        show_aid(user=request.user, aid=aid, is_shown=wish != "off")
        context = page_context(_own_page(request, pk), form, is_checked=False)
        name = "_compare_panes" if request.headers.get("HX-Request") else "compare"
        return render(request, f"annotator/comparisons/{name}.html", context)
    return _show(request, page, form)


@require_http_methods(["GET", "HEAD", "POST"])
def compare_context(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show the context of the reference of an own comparison, or what is looked for in it."""
    row = _own_texts(request, pk)
    reference = row.left.reference
    beside = Beside(
        reference,
        reference.reference_id,
        (
            ("Reference", reference.claims),
            ("Left, beyond that", row.left.claims),
            ("Right, beyond these", row.right.claims),
        ),
        resolve_url("annotator:compare_context", pk),
        resolve_url("annotator:compare", pk),
    )
    return show_context(request, beside)


@require_safe
def compare_drawing(request: SignedInRequest, pk: UUID, number: int) -> HttpResponse:
    """Give one of its drawings."""
    return show_drawing(_own_texts(request, pk).left.reference, number)


@require_http_methods(["GET", "HEAD", "POST"])
def compare_chart(request: SignedInRequest, pk: UUID) -> HttpResponseBase:
    """Show the claim charts of an own comparison, as its page shows the texts; or give them."""
    row = _own_texts(request, pk)
    reference = row.left.reference
    pair = zip(SIDES, (row.left, row.right), strict=True)
    charts = [view_chart(reading_of(reference, one), side.title(), side) for side, one in pair]
    page = ChartPage(
        title=reference.reference_id,
        language=reference.language,
        charts=charts,
        back=resolve_url("annotator:compare", pk),
        subject=row,
        campaign=row.campaign,
        may_download=row.campaign.has_mark_files and not reference.erased_at,
    )
    return answer_chart(request, page)


def _own_texts(request: SignedInRequest, pk: UUID) -> Comparison:
    row = compared_claims(request.user, pk)
    if row is None:
        raise Http404
    return row


def _own_page(request: SignedInRequest, pk: UUID) -> ComparePage:
    """Return the page of the person's own comparison, or 404."""
    page = compare_page(request.user, pk)
    if page is None:
        raise Http404
    return page


def _show_recused(request: SignedInRequest, page: ComparePage) -> HttpResponse:
    """Show own answers and no text; what was sent is refused, and its comment shown again."""
    is_sent = request.method == "POST"
    context = {
        "page": page,
        "stored": _described(page.preference) if page.preference else None,
        "comment": PreferenceForm(request.POST).typed("comment") if is_sent else "",
    }
    status = OutOfDate.status if is_sent else 200
    return render(request, "annotator/comparisons/recused.html", context, status=status)


def _show(
    request: SignedInRequest, page: ComparePage, form: PreferenceForm | None = None
) -> HttpResponse:
    status = form.status if form else 200
    context = page_context(page, form, is_stale=status == OutOfDate.status)
    return render(request, "annotator/comparisons/compare.html", context, status=status)
