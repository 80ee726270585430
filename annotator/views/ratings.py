"""The rate page: show, submit, revise; the overall as it would be; the next candidate."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST

from annotator.formats.request_digest import rating_digest
from annotator.forms.rating import RatingForm
from annotator.gate import SignedInRequest
from annotator.models import Assignment, Rating, Role, User
from annotator.queries.access import campaigns_for
from annotator.queries.rate_page import own_rating
from annotator.refusals import OutOfDate, Refused
from annotator.services.assignments import take_next
from annotator.services.drafts import keep_refused
from annotator.services.ratings import revise_rating, submit_rating
from annotator.views.following import following
from annotator.views.rate_form import overall_context, page_context
from annotator.views.see_other import SeeOther
from annotator.views.typed_forms import own_assignment, own_page, show_again

UNPROCESSABLE = 422


@require_http_methods(["GET", "HEAD", "POST"])
def rate(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show an assignment; store what is posted and go on to the next.

    The page's script asks for the next address instead of a redirect, so that a server that is
    away costs nothing that was typed; what is refused it sends again as a plain form.
    """
    if request.method != "POST":
        return render(request, "annotator/rate.html", page_context(own_page(request, pk)))
    form = RatingForm(request.POST)
    if not form.is_valid():
        context = page_context(own_page(request, pk), form)
        return render(request, "annotator/rate.html", context, status=UNPROCESSABLE)
    try:
        done = _store(pk, form, request.user).assignment
    except Refused as refusal:
        # What the page's script is refused it sends again as a page: that one counts.
        if refusal.status == OutOfDate.status and not request.headers.get("HX-Request"):
            keep_refused(
                assignment=own_assignment(request, pk),
                typed=form.as_typed,
                version=form.draft_version_seen or 0,
            )
        return show_again(request, pk, form, refusal)
    except Assignment.DoesNotExist as error:
        raise Http404 from error
    messages.success(request, f"{done.label}: rating stored.")
    row = following(request.user, done)
    target = resolve_url("annotator:rate", row.pk) if row else "/"
    if request.headers.get("HX-Request"):
        return JsonResponse({"location": target})
    return SeeOther(target)


@require_POST
def overall(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Answer with the overall that the chosen scores give; nothing is stored."""
    own_assignment(request, pk)
    form = RatingForm(request.POST)
    form.is_valid()
    return render(request, "annotator/_overall.html", overall_context(form.scores))


@require_POST
def take_next_candidate(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give the annotator their next candidate of a campaign that assigns on demand."""
    user = request.user
    campaign = get_object_or_404(campaigns_for(user, (Role.ANNOTATOR,)), slug=slug)
    try:
        assignment = take_next(slug=campaign.slug, annotator=user)
    except OutOfDate as refusal:
        messages.error(request, refusal.sentence)
        return SeeOther("/")
    if assignment is None:
        messages.info(request, f"Nothing is left for you in {campaign.name}.")
        return SeeOther("/")
    return SeeOther(resolve_url("annotator:rate", assignment.pk))


def _store(pk: UUID, form: RatingForm, user: User) -> Rating:
    """Submit, or revise what the page had seen. Raises Assignment.DoesNotExist if not theirs."""
    said = {
        "comment": form.cleaned_data["comment"],
        "note": form.cleaned_data["note"],
        "error_tags": form.cleaned_data["error_tags"],
    }
    stored = own_rating(user, pk) if form.version_seen else None
    if stored is None:
        return submit_rating(
            assignment_id=pk,
            annotator=user,
            scores=form.scores,
            shown=form.aids,
            draft_version=form.draft_version_seen,
            idempotency_key=form.cleaned_data["key"],
            request_sha256=rating_digest(pk, form.scores, **said),
            **said,
        )
    if _is_resent(stored, form):
        return stored
    return revise_rating(
        rating_id=stored.pk,
        annotator=user,
        version=form.version_seen,
        scores=form.scores,
        shown=form.aids,
        draft_version=form.draft_version_seen,
        **said,
    )


def _is_resent(rating: Rating, form: RatingForm) -> bool:
    """Say whether the stored revision is what this form, sent twice, has made already."""
    is_next = rating.version == form.version_seen + 1
    same_words = (rating.comment, rating.note) == (
        form.cleaned_data["comment"],
        form.cleaned_data["note"],
    )
    return is_next and same_words and rating.scores == form.scores
