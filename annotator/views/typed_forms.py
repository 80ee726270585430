"""What every other button of the rate form does first: keep what is typed."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url

from annotator.forms.rating import RatingForm
from annotator.gate import SignedInRequest
from annotator.models import Assignment
from annotator.queries.access import assignments_for
from annotator.queries.rate_page import RatePage, rate_page
from annotator.refusals import OutOfDate, Refused
from annotator.services.drafts import save_draft
from annotator.views.rate_form import page_context, same_words
from annotator.views.see_other import SeeOther


def own_page(request: SignedInRequest, pk: UUID) -> RatePage:
    """Return the page of the person's own assignment, or 404."""
    page = rate_page(request.user, pk)
    if page is None:
        raise Http404
    return page


def own_assignment(request: SignedInRequest, pk: UUID) -> Assignment:
    """Return the person's own assignment, or 404; the texts follow when they are asked for."""
    rows = assignments_for(request.user).select_related(None).select_related("campaign")
    return get_object_or_404(rows, pk=pk)


def keep_typed(request: SignedInRequest, page: RatePage) -> HttpResponse | None:
    """Save the posted form as a draft; return the page that says why when it cannot be.

    Nothing is saved when nothing differs from what is stored, or when the form came without
    fields, as from the small forms of a page that saves its drafts by itself.
    """
    form = RatingForm(request.POST)
    form.is_valid()
    if "draft_version" not in request.POST or not page.is_writable or not _is_news(form, page):
        return None
    try:
        save_draft(
            assignment=page.assignment,
            typed=form.as_typed,
            version=form.draft_version_seen or 0,
            rating_version=form.version_seen,
        )
    except Refused as refusal:
        return show_again(request, page.assignment.pk, form, refusal)
    return None


def show_again(
    request: SignedInRequest, pk: UUID, form: RatingForm, refusal: Refused
) -> HttpResponse:
    """Show the page once more with everything that was typed, and why it was not stored.

    Only that is said: a score that is missing is no fault of a skip.
    """
    form.is_valid()
    form.errors.clear()
    form.take_refusal(refusal)
    is_conflict = refusal.status == OutOfDate.status
    context = page_context(own_page(request, pk), form, is_conflict=is_conflict)
    return render(request, "annotator/rate.html", context, status=refusal.status)


def back_to(page: RatePage) -> HttpResponse:
    """Send the browser to the page again."""
    return SeeOther(resolve_url("annotator:rate", page.assignment.pk))


def _is_news(form: RatingForm, page: RatePage) -> bool:
    shown = page_context(page)["sent"]
    return any(not same_words(form.typed(name), shown[name]) for name in form.as_typed)
