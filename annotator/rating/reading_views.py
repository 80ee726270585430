"""What helps on the rate page: reading aids, error tags, keys, the rubric."""

import json
import re
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest
from annotator.exemplars import LESSONS, lesson_of
from annotator.rating.forms import KeysForm
from annotator.rating.page import aids_context, tags_context
from annotator.rating.views import (
    back_to,
    keep_draft,
    own_page,
    posted_form,
    save_posted,
    show_again,
)
from annotator.reading import read_tags, reading_preference, save_keys, show_aid
from annotator.typology import ABSTRACTS, CLAIMS, clean_tags, grouped
from core.errors import OutOfDate, Refused
from core.http import SeeOther
from patclaimeval.rubric import (
    OVERALL_BANDS,
    RUBRIC,
    TOTAL_WEIGHT,
    WEIGHTS,
    Criterion,
    overall_numerator,
)

WISHES: Final = ("on", "off")


@require_POST
def reading(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show or hide the aid that the pressed button names, as `diff on` or `diff off`."""
    page = own_page(request, pk)
    if page.is_recused:
        return show_again(request, pk, posted_form(request), OutOfDate(page.closed_because))
    if not request.headers.get("HX-Request") and (refused := save_posted(request, page)):
        return refused
    aid, _, wish = str(request.POST.get("aid", "")).partition(" ")
    try:
        if wish not in WISHES:
            raise Refused("A reading aid is switched on or off.")
        preference = show_aid(user=request.user, aid=aid, is_shown=wish == "on")
    except Refused as refusal:
        if not request.headers.get("HX-Request"):
            return show_again(request, pk, posted_form(request), refusal)
        return HttpResponse(refusal.sentence, status=refusal.status, content_type="text/plain")
    if not request.headers.get("HX-Request"):
        return back_to(page)
    context = {"page": page, **aids_context(preference)}
    return render(request, "annotator/rating/_panes.html", context)


# "add vagueness", "add vagueness candidate 10 24", "remove 2", or "show" for the list as it is
ADD: Final = re.compile(r"add ([a-z-]{1,80})(?: (candidate|reference) (\d{1,7}) (\d{1,7}))?")
SHOW: Final = "show"
REMOVE: Final = re.compile(r"remove (\d{1,3})")


@require_POST
def tags(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Change the chosen tags as the pressed button asks.

    For the page's script: the list of chips with its hidden field, which is then saved with the
    draft. For a browser without it: the draft is saved with the change, and the page shown again.
    """
    page = own_page(request, pk)
    if page.is_recused:
        return show_again(request, pk, posted_form(request), OutOfDate(page.closed_because))
    candidate = page.assignment.candidate
    texts = {"candidate": candidate.claims, "reference": candidate.reference.claims}
    chosen = read_tags(str(request.POST.get("error_tags", "")), texts)
    form = posted_form(request)
    try:
        changed = json.dumps(_changed(chosen, request.POST.getlist("tag"), texts))
    except ValueError as error:
        refusal = Refused.at("error_tags", str(error))
        if request.headers.get("HX-Request"):
            return HttpResponse(str(error), status=refusal.status, content_type="text/plain")
        return show_again(request, pk, form, refusal)
    if request.headers.get("HX-Request"):
        context = {"page": page, "sent": {"error_tags": changed}, **tags_context(page, changed)}
        return render(request, "annotator/rating/_tags.html", context)
    try:
        if not page.is_writable:
            raise OutOfDate(page.closed_because)
        keep_draft(page.assignment, form, error_tags=changed)
    except Refused as refusal:
        return show_again(request, pk, form, refusal)
    return back_to(page)


def _changed(chosen: list[Any], wishes: list[str], texts: dict[str, str]) -> list[dict[str, Any]]:
    # Without script the list of tags is sent along, whatever button was pressed.
    removals = [entry for entry in wishes if REMOVE.fullmatch(entry)]
    wish = next((entry for entry in (*removals, *wishes) if entry), "")
    if wish == SHOW:
        return chosen
    if removal := REMOVE.fullmatch(wish):
        place = int(removal[1])
        return [entry for index, entry in enumerate(chosen) if index != place]
    addition = ADD.fullmatch(wish)
    if addition is None:
        raise ValueError("Choose an error tag from the list.")
    entry: dict[str, Any] = {"tag": addition[1]}
    if addition[2]:
        entry |= {"side": addition[2], "start": int(addition[3]), "end": int(addition[4])}
    return clean_tags([*chosen, entry], texts)


UNPROCESSABLE = 422
LONGEST_NEXT = 500


@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: SignedInRequest) -> HttpResponse:
    """Show the keys in force; store changed ones, or the defaults again, and go back."""
    user, back = request.user, _back(request)
    if request.method != "POST":
        return _page(request, KeysForm(reading_preference(user)), back)
    if "reset" in request.POST:
        save_keys(user=user, changes={}, single_keys=True)
        messages.success(request, "Keys reset to the defaults.")
        return SeeOther(_here(back))
    form = KeysForm(reading_preference(user), request.POST)
    if not form.is_valid():
        return _page(request, form, back, UNPROCESSABLE)
    save_keys(user=user, changes=form.changes, single_keys=form.cleaned_data["single_keys"])
    messages.success(request, "Keys saved.")
    return SeeOther(back or _here(back))


def _page(request: SignedInRequest, form: KeysForm, back: str, status: int = 200) -> HttpResponse:
    context = {"form": form, "groups": list(form.groups()), "back": back}
    return render(request, "annotator/rating/keys.html", context, status=status)


def _here(back: str) -> str:
    query = f"?{urlencode({'next': back})}" if back else ""
    return resolve_url("annotator:keys") + query


def _back(request: SignedInRequest) -> str:
    """Return where the person came from, when it is a page of this site, else nothing."""
    sent = request.POST.get("next") or request.GET.get("next", "")
    is_ours = sent.startswith("/") and url_has_allowed_host_and_scheme(
        sent, allowed_hosts=None, require_https=request.is_secure()
    )
    return sent if is_ours and len(sent) <= LONGEST_NEXT else ""


@require_safe
def rubric(request: SignedInRequest) -> HttpResponse:
    """Show all criteria with bands and worked examples, the overall, and the error tags."""
    example = LESSONS[0].examples[0]
    context = {
        "chapters": [_chapter(criterion) for criterion in RUBRIC],
        "overall_bands": OVERALL_BANDS,
        "total_weight": TOTAL_WEIGHT,
        # The overall of one example with every step of the sum.
        "sum": {
            "terms": [(WEIGHTS[key], score) for key, score in example.scores.items()],
            "numerator": overall_numerator(example.scores),
            "overall": example.overall,
            "band": example.overall_band,
        },
        "claim_tags": grouped(CLAIMS),
        "abstract_tags": grouped(ABSTRACTS),
    }
    return render(request, "annotator/rating/rubric.html", context)


@require_safe
def rubric_criterion(request: SignedInRequest, name: str) -> HttpResponse:
    """Show one criterion: the part alone when a script asks for it, else a page around it."""
    criterion = next((entry for entry in RUBRIC if entry.key == name), None)
    if criterion is None:
        raise Http404
    is_part = request.headers.get("HX-Request") == "true"
    template = (
        "annotator/rating/_exemplars.html" if is_part else "annotator/rating/rubric_criterion.html"
    )
    response = render(request, template, {"chapter": _chapter(criterion), "chapters": RUBRIC})
    patch_vary_headers(response, ["HX-Request"])
    return response


def _chapter(criterion: Criterion) -> dict[str, Any]:
    lesson = lesson_of(criterion.key)
    return {"criterion": criterion, "lesson": lesson, "total_weight": TOTAL_WEIGHT}
