"""The rate page: show, submit, revise; the overall as it would be; the next candidate."""

from typing import cast
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.forms.rating import RatingForm
from annotator.gate import SignedInRequest
from annotator.models import Assignment, Rating, Role, User
from annotator.queries.access import assignments_for, campaigns_for
from annotator.queries.queue import next_assignment
from annotator.queries.rate_page import RatePage, rate_page
from annotator.refusals import OutOfDate, Refused
from annotator.request_digest import rating_digest
from annotator.services.assignments import take_next
from annotator.services.ratings import revise_rating, submit_rating
from annotator.views.rate_form import overall_context, page_context
from annotator.views.see_other import SeeOther

UNPROCESSABLE = 422


@require_http_methods(["GET", "HEAD", "POST"])
def rate(request: SignedInRequest, pk: UUID) -> HttpResponse:
    user = request.user
    page = rate_page(user, pk)
    if page is None:
        raise Http404
    if request.method != "POST":
        return render(request, "annotator/rate.html", page_context(page))
    form = RatingForm(request.POST)
    if not form.is_valid():
        return _again(request, page, form, UNPROCESSABLE)
    try:
        _store(page, form, user)
    except Refused as refusal:
        form.take_refusal(refusal)
        return _again(request, cast(RatePage, rate_page(user, pk)), form, refusal.status)
    messages.success(request, f"{page.assignment.label}: rating stored.")
    following = _following(user, page.assignment)
    return SeeOther(resolve_url("annotator:rate", following.pk) if following else "/")


@require_POST
def overall(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Answer with the overall that the chosen scores give; nothing is stored."""
    get_object_or_404(assignments_for(request.user), pk=pk)
    form = RatingForm(request.POST)
    form.is_valid()
    return render(request, "annotator/_overall.html", overall_context(form.scores))


@require_POST
def take_next_candidate(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give the annotator their next candidate of a campaign that assigns on demand."""
    user = request.user
    campaign = get_object_or_404(campaigns_for(user, (Role.ANNOTATOR,)), slug=slug)
    try:
        assignment = take_next(campaign=campaign, annotator=user)
    except OutOfDate as refusal:
        messages.error(request, refusal.sentence)
        return SeeOther("/")
    if assignment is None:
        messages.info(request, f"Nothing is left for you in {campaign.name}.")
        return SeeOther("/")
    return SeeOther(resolve_url("annotator:rate", assignment.pk))


def _store(page: RatePage, form: RatingForm, user: User) -> Rating:
    comment = form.cleaned_data["comment"]
    if page.rating is None or not form.version_seen:
        return submit_rating(
            assignment_id=page.assignment.pk,
            annotator=user,
            scores=form.scores,
            comment=comment,
            idempotency_key=form.cleaned_data["key"],
            request_sha256=rating_digest(page.assignment.pk, form.scores, comment),
        )
    if _is_resent(page.rating, form):
        return page.rating
    return revise_rating(
        rating_id=page.rating.pk,
        annotator=user,
        version=form.version_seen,
        scores=form.scores,
        comment=comment,
        # The page does not show tags yet; those given by another door stay.
        error_tags=page.rating.error_tags,
    )


def _is_resent(rating: Rating, form: RatingForm) -> bool:
    """Say whether the stored revision is what this form, sent twice, has made already."""
    is_next = rating.version == form.version_seen + 1
    same = rating.scores == form.scores and rating.comment == form.cleaned_data["comment"]
    return is_next and same


def _again(request: SignedInRequest, page: RatePage, form: RatingForm, status: int) -> HttpResponse:
    """Show the page once more with everything that was typed, and why it was not stored."""
    context = page_context(page, form, is_conflict=status == OutOfDate.status)
    return render(request, "annotator/rate.html", context, status=status)


def _following(user: User, done: Assignment) -> Assignment | None:
    """Return what comes next; who works on demand is given the next candidate at once."""
    following = next_assignment(user, done)
    if following or not done.lease_expires_at:
        return following
    try:
        return take_next(campaign=done.campaign, annotator=user)
    except OutOfDate:
        return None
