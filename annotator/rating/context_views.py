"""The reference's description and drawings beside the candidate that is rated."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, resolve_url
from django.views.decorators.http import require_http_methods, require_safe

from annotator.access.gate import SignedInRequest
from annotator.access.scopes import readable_assignments
from annotator.context.page import Beside, show_context, show_drawing
from annotator.models import Candidate


@require_http_methods(["GET", "HEAD", "POST"])
def rate_context(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show the context of the reference of an own assignment, or what is looked for in it."""
    candidate = _readable_candidate(request, pk)
    reference = candidate.reference
    beside = Beside(
        reference,
        reference.reference_id,
        (("Reference", reference.claims), ("Candidate, beyond that", candidate.claims)),
        resolve_url("annotator:rate_context", pk),
        resolve_url("annotator:rate", pk),
    )
    return show_context(request, beside)


@require_safe
def rate_drawing(request: SignedInRequest, pk: UUID, number: int) -> HttpResponse:
    """Give one of its drawings."""
    return show_drawing(_readable_candidate(request, pk).reference, number)


def _readable_candidate(request: SignedInRequest, pk: UUID) -> Candidate:
    """Return the candidate of the person's own assignment, or 404; 404 after a recusal, too."""
    return get_object_or_404(readable_assignments(request.user), pk=pk).candidate
