"""The compare page: show, submit, revise."""

from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest
from annotator.comparisons.forms import PreferenceForm, as_sent
from annotator.comparisons.queries import (
    ComparePage,
    compare_page,
    compared_claims,
    next_comparison,
)
from annotator.comparisons.services import submit_preference
from annotator.context.page import Beside, show_context, show_drawing
from annotator.models import Comparison, Preference
from annotator.reading import READING_KEYS, reading_context, show_aid
from annotator.rubric import ALL_CRITERIA, NAMES, OVERALL
from core.errors import OutOfDate
from core.forms import ASCII_SPACE, RadioGroup, focused_group, radio_choices
from core.http import SeeOther

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
    sent = _values(page.preference, form)
    if form is None or is_stale:
        sent["version"] = str(page.version)
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
        "stored": _described(page.preference) if is_stale and page.preference else None,
        **reading_context(page.reading, KEY_LABELS),
    }


def _values(stored: Preference | None, form: PreferenceForm | None) -> dict[str, str]:
    names = (*ALL_CRITERIA, "comment", "version")
    if form is not None:
        typed = {name: form.typed(name) for name in names}
        return typed | {key: typed[key].strip(ASCII_SPACE) for key in ALL_CRITERIA}
    return dict.fromkeys(names, "") | (as_sent(stored) if stored else {})


def _described(stored: Preference) -> dict[str, Any]:
    labels = dict(ANSWERS)
    judgements = [(NAMES[key], labels[value].lower()) for key, value in stored.judgements.items()]
    return {"said": judgements, "comment": stored.comment, "revised_at": stored.revised_at}


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
        )
        messages.success(request, f"{page.label}: preference stored.")
        following = next_comparison(request.user, row.comparison)
        target = resolve_url("annotator:compare", following.pk) if following else "/"
        if request.headers.get("HX-Request"):
            return JsonResponse({"location": target})
        return SeeOther(target)
    return _show(request, _own_page(request, pk), form)


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
