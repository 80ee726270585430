"""Score screens: the form, a request with its scores, its poll, and its deletion."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest
from annotator.access.visibility import judges_meanwhile
from annotator.comparisons.queries import SIDES
from annotator.reading import reading_context, reading_preference, show_aid
from core.confirmation import Confirmation, ask, is_confirmed
from core.http import SeeOther, refusals_told
from core.jobs.registry import enqueue_on_commit
from patclaimeval.claims.openings import opening_of
from patclaimeval.plurals import counted
from scoring.models import ScoreRequest
from scoring.scores.forms import ScoreForm, entered_texts
from scoring.scores.queries import models_for_scoring, score_page, score_requests_for
from scoring.scores.reading import KEY_LABELS, read_texts
from scoring.scores.services import delete_scores, request_scores

FORBIDDEN = 403


@require_http_methods(["GET", "HEAD", "POST"])
def score(request: SignedInRequest) -> HttpResponse:
    """Take a reference and candidates; who rates meanwhile is shown why not."""
    if judges_meanwhile(request.user):
        return render(request, "scoring/scores/score_withheld.html", status=FORBIDDEN)
    if request.method != "POST":
        return _form(request, ScoreForm())
    form = ScoreForm(request.POST)
    if form.is_adding:
        form.open_another()
        return _form(request, form)
    if form.is_valid():
        with form.refusals():
            row = request_scores(
                reference=form.cleaned_data["reference"],
                candidates=form.candidates,
                explain="explain" in request.POST,
                asked_by=request.user,
            )
            if not row.is_final:
                enqueue_on_commit(row)
            return redirect("scoring:scored", pk=row.pk)
    return _form(request, form)


@require_safe
def scored(request: SignedInRequest, pk: UUID) -> HttpResponse:
    row = _own(request, pk)
    form = ScoreForm(initial=entered_texts(row.reference_text, row.candidate_texts))
    context = {"row": row, "page": score_page(row), "form": form, **_reading(request, row)}
    return render(request, "scoring/scores/scored.html", context)


@require_POST
def reading(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Switch a reading aid for this person: the texts as they look then, for the script.

    Without a script, go back to the page.
    """
    row = _own(request, pk)
    aid, _, wish = request.POST.get("aid", "").partition(" ")
    with refusals_told(request):
        show_aid(user=request.user, aid=aid, is_shown=wish != "off")
    context = _reading(request, row)
    if request.headers.get("HX-Request"):
        left, right = (*context["texts"].names, "")[:2]
        context |= {"page": context["texts"], "left_name": left, "right_name": right}
        return render(request, "annotator/comparisons/_compare_panes.html", context)
    return SeeOther(f"{resolve_url('scoring:scored', pk)}?{context['chosen']}")


def _reading(request: SignedInRequest, row: ScoreRequest) -> dict[str, Any]:
    texts = read_texts(row, request.GET.get("left", ""), request.GET.get("right", ""))
    chosen = dict(zip(SIDES, texts.numbers, strict=False))
    query = urlencode(chosen)
    return {
        "texts": texts,
        "chosen": query,
        "chosen_candidates": list(chosen.items()),
        "aids_url": f"{resolve_url('scoring:scored_reading', row.pk)}?{query}",
        **reading_context(reading_preference(request.user), KEY_LABELS),
    }


@require_safe
def progress(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Answer the poll of a request's page; the fragment stops polling by itself once final."""
    row = _own(request, pk)
    return render(request, "scoring/scores/_scores.html", {"row": row, "page": score_page(row)})


@require_POST
def delete(request: SignedInRequest, pk: UUID) -> HttpResponse:
    row = _own(request, pk)
    if not is_confirmed(request):
        return ask(request, _about_deleting(row))
    delete_scores(request=row, deleted_by=request.user)
    messages.success(request, "The texts and their scores are deleted.")
    return redirect("scoring:score")


def _about_deleting(row: ScoreRequest) -> Confirmation:
    return Confirmation(
        question="Delete texts and scores?",
        count=counted(len(row.candidate_texts), "candidate"),
        effect="with the reference and all their scores "
        f"{'is' if len(row.candidate_texts) == 1 else 'are'} deleted at once.",
        undo="This cannot be taken back. Texts that you still have can be scored again.",
        act="Delete them",
        leave="Keep them",
        back=resolve_url("scoring:scored", row.pk),
        subjects=(("Reference", opening_of(row.reference_text)),),
    )


def _own(request: SignedInRequest, pk: UUID) -> ScoreRequest:
    return get_object_or_404(score_requests_for(request.user), pk=pk)


def _form(request: SignedInRequest, form: ScoreForm) -> HttpResponse:
    context = {
        "form": form,
        "models": models_for_scoring(request.user),
        "recent": score_requests_for(request.user)[:10],
    }
    return render(request, "scoring/scores/score.html", context, status=form.status)
