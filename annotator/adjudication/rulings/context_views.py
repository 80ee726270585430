"""The reference's description and drawings beside the conflict that is ruled."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, resolve_url
from django.views.decorators.http import require_http_methods, require_safe

from annotator.access.gate import SignedInRequest
from annotator.adjudication.cases import candidate_names, conflicts_for
from annotator.context.page import Beside, show_context, show_drawing
from annotator.models import Conflict


@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate_context(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show the context of the reference of a conflict that the person may look at."""
    conflict = own_conflict(request, pk)
    reference = conflict.candidate.reference
    names = candidate_names([reference.pk], request.user)
    pair = [one for one in (conflict.candidate, conflict.other_candidate) if one]
    pair.sort(key=lambda one: names[one.pk])
    claims = [("Reference", reference.claims)]
    claims += [(f"{names[one.pk]}, beyond that", one.claims) for one in pair]
    beside = Beside(
        reference,
        reference.reference_id,
        claims,
        resolve_url("annotator:adjudicate_context", pk),
        resolve_url("annotator:adjudicate", pk),
    )
    return show_context(request, beside)


@require_safe
def adjudicate_drawing(request: SignedInRequest, pk: UUID, number: int) -> HttpResponse:
    """Give one of its drawings."""
    return show_drawing(own_conflict(request, pk).candidate.reference, number)


def own_conflict(request: SignedInRequest, pk: UUID) -> Conflict:
    rows = conflicts_for(request.user).select_related("candidate__reference", "other_candidate")
    return get_object_or_404(rows, pk=pk)
