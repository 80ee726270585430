"""Lineage screens for admins: what a rating went into, and what an erasure would touch."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotator.forms.refusable import ReasonForm
from annotator.gate import SignedInRequest
from annotator.models import Reference
from annotator.queries.reliability_access import COUNTS_WITHHELD, counts_withheld
from scoring.queries.erasures import aftermath
from scoring.queries.uses import (
    ratings_for,
    references_for,
    touched_by_erasure,
    uses_of_rating,
)
from scoring.queries.version_access import names_for


@require_safe
def rating_uses(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """List the versions, models and reports that used a rating."""
    row = get_object_or_404(ratings_for(request.user), pk=pk)
    campaign = row.candidate.campaign
    names = names_for(request.user, campaign, campaign.pk, is_admin=True)
    context = {
        "rating": row,
        "campaign": campaign,
        "annotator": names.get(str(row.annotator_id), "an annotator"),
        "uses": uses_of_rating(row),
    }
    return render(request, "scoring/rating_uses.html", context)


@require_safe
def reference_uses(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """List what an erasure of a reference would touch; erases nothing."""
    row = get_object_or_404(references_for(request.user), pk=pk)
    return reference_page(request, row, ReasonForm(), 200)


def reference_page(
    request: SignedInRequest, row: Reference, form: ReasonForm, status: int
) -> HttpResponse:
    """Show a matter, what an erasure would touch or has left, and the form that asks for one."""
    is_withheld = counts_withheld(row.campaign, request.user)
    context = {
        "reference": row,
        "campaign": row.campaign,
        "withheld": COUNTS_WITHHELD if is_withheld else "",
        "touched": None if is_withheld else touched_by_erasure(row),
        "aftermath": aftermath(row),
        "form": form,
    }
    return render(request, "scoring/reference_uses.html", context, status=status)
