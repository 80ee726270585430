"""The rate screen: show, submit, revise, and the overall computed live."""

import uuid
from hashlib import sha256
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotator.forms.rating import RatingForm
from annotator.models import Assignment, Rating
from annotator.queries.access import assignments_for
from annotator.queries.queue import next_open
from annotator.queries.rate_page import RatePage, rate_page
from annotator.refusals import Refused
from annotator.rubric import CRITERIA, LOWEST, HIGHEST, overall_numerator, overall_text
from annotator.services.ratings import revise_rating, submit_rating


@require_http_methods(["GET", "POST"])
def rate(request: HttpRequest, pk: UUID) -> HttpResponse:
    assignment = get_object_or_404(assignments_for(request.user), pk=pk)
    if request.method == "POST":
        return _post(request, assignment)
    page = rate_page(request.user, assignment)
    return _show(request, page, RatingForm(initial=_initial(page)))


@require_POST
def overall(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Answer the overall of what is chosen so far, by the rule that will store it."""
    get_object_or_404(assignments_for(request.user), pk=pk)
    form = RatingForm(request.POST)
    form.is_valid()
    return render(request, "annotator/_overall.html", {"overall": _overall(form), "scales": form.scales})


def _post(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    form = RatingForm(request.POST)
    if not form.is_valid():
        return _show(request, rate_page(request.user, assignment), form, status=422)
    try:
        _store(request, assignment, form)
    except Refused as refusal:
        form.add_error(None, refusal.sentence)
        page = rate_page(request.user, assignment)
        return _show(request, page, form, status=refusal.status)
    following = next_open(request.user, assignment)
    return redirect("annotator:rate", pk=following) if following else redirect("annotator:home")


def _store(request: HttpRequest, assignment: Assignment, form: RatingForm) -> None:
    values = form.cleaned_data
    if values["version"]:
        rating = get_object_or_404(Rating, assignment=assignment)
        revise_rating(
            rating_id=rating.pk,
            annotator=request.user,
            version=values["version"],
            scores=form.scores,
            comment=values["comment"],
        )
        return
    sent = "\n".join([str(assignment.pk), *map(str, form.scores.values()), values["comment"]])
    submit_rating(
        assignment_id=assignment.pk,
        annotator=request.user,
        scores=form.scores,
        comment=values["comment"],
        idempotency_key=values["key"],
        request_sha256=sha256(sent.encode()).hexdigest(),
    )


def _initial(page: RatePage) -> dict[str, object]:
    if page.rating is None:
        return {"key": str(uuid.uuid4())}
    rating = page.rating
    return {**rating.scores, "comment": rating.comment, "version": rating.version}


def _overall(form: RatingForm) -> str:
    scores = form.scores if form.is_bound else {k: v for k, v in form.initial.items() if k in CRITERIA}
    return overall_text(overall_numerator(scores)) if len(scores) == len(CRITERIA) else ""


def _show(request: HttpRequest, page: RatePage, form: RatingForm, status: int = 200) -> HttpResponse:
    context = {
        "page": page,
        "form": form,
        "scales": form.scales,
        "steps": [str(step) for step in range(LOWEST, HIGHEST + 1)],
        "overall": _overall(form),
    }
    return render(request, "annotator/rate.html", context, status=status)
