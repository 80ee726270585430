"""Lineage screens for admins: what a rating went into, and what an erasure would touch."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotator.gate import SignedInRequest
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
    context = {"reference": row, "campaign": row.campaign, "touched": touched_by_erasure(row)}
    return render(request, "scoring/reference_uses.html", context)
