"""Drafts and pings: what the rate page sends while somebody works on it."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.views.decorators.http import require_POST

from annotator.forms.rating import RatingForm
from annotator.gate import SignedInRequest
from annotator.refusals import Refused
from annotator.services.drafts import DraftMoved, discard_draft, record_ping, save_draft
from annotator.views.typed_forms import (
    back_to,
    keep_typed,
    own_assignment,
    own_page,
    show_again,
)


@require_POST
def draft(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Keep what is typed: JSON for the page's script, a redirect for its button."""
    if not request.headers.get("HX-Request"):
        page = own_page(request, pk)
        if refused := keep_typed(request, page):
            return refused
        messages.success(request, "Draft kept.")
        return back_to(page)
    assignment = own_assignment(request, pk)
    form = RatingForm(request.POST)
    form.is_valid()
    try:
        row = save_draft(
            assignment=assignment,
            typed=form.as_typed,
            version=form.draft_version_seen or 0,
            rating_version=form.version_seen,
        )
    except DraftMoved as moved:
        return JsonResponse(_moved(moved), status=moved.status)
    except Refused as refusal:
        return JsonResponse({"sentence": refusal.sentence}, status=refusal.status)
    return JsonResponse({"version": row.version, "saved_at": row.saved_at.isoformat()})


@require_POST
def discard(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Forget the draft; the page then shows what was submitted, or nothing."""
    page = own_page(request, pk)
    form = RatingForm(request.POST)
    form.is_valid()
    try:
        discard_draft(assignment=page.assignment, version=form.draft_version_seen)
    except DraftMoved as moved:
        return show_again(request, pk, form, moved)
    messages.success(request, "Draft discarded.")
    return back_to(page)


@require_POST
def ping(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Count active time; the answer says how long the lease runs now."""
    assignment = own_assignment(request, pk)
    record_ping(assignment=assignment)
    ends = assignment.lease_expires_at
    return JsonResponse({"lease_expires_at": ends.isoformat() if ends else None})


def _moved(moved: DraftMoved) -> dict[str, object]:
    row = moved.draft
    return {
        "sentence": moved.sentence,
        "typed": row.typed if row else None,
        "version": row.version if row else 0,
    }
