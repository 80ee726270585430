"""Context and claim charts beside the conflict that is ruled."""

from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, resolve_url
from django.views.decorators.http import require_http_methods, require_safe

from annotator.access.gate import SignedInRequest
from annotator.adjudication.cases import candidate_names, conflicts_for
from annotator.chart_page import ChartPage, answer_chart
from annotator.claim_chart import view_chart
from annotator.comparisons.queries import SIDES
from annotator.context.page import Beside, show_context, show_drawing
from annotator.models import Candidate, Conflict
from annotator.reading import reading_of


@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate_context(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Show the context of the reference of a conflict that the person may look at."""
    conflict = _own_conflict(request, pk)
    reference = conflict.candidate.reference
    claims = [("Reference", reference.claims)]
    for name, candidate in _candidates_by_name(request, conflict):
        claims.append((f"{name}, beyond that", candidate.claims))
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
    return show_drawing(_own_conflict(request, pk).candidate.reference, number)


@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate_chart(request: SignedInRequest, pk: UUID) -> HttpResponseBase:
    """Show the claim charts of a conflict that the person may look at; or give them."""
    conflict = _own_conflict(request, pk)
    reference = conflict.candidate.reference
    found = _candidates_by_name(request, conflict)
    sides = SIDES if len(found) > 1 else ("candidate",)
    page = ChartPage(
        title=reference.reference_id,
        language=reference.language,
        charts=[
            view_chart(reading_of(reference, candidate), name, side)
            for side, (name, candidate) in zip(sides, found, strict=True)
        ],
        back=resolve_url("annotator:adjudicate", pk),
        subject=conflict,
        campaign=conflict.campaign,
        may_download=not reference.erased_at,
    )
    return answer_chart(request, page)


def _own_conflict(request: SignedInRequest, pk: UUID) -> Conflict:
    rows = conflicts_for(request.user).select_related("candidate__reference", "other_candidate")
    return get_object_or_404(rows, pk=pk)


def _candidates_by_name(
    request: SignedInRequest, conflict: Conflict
) -> list[tuple[str, Candidate]]:
    """Return the candidates of a conflict as the person knows them, in the order of their names."""
    names = candidate_names([conflict.candidate.reference_id], request.user)
    pair = (conflict.candidate, conflict.other_candidate)
    found = [(names[one.pk], one) for one in pair if one]
    return sorted(found, key=lambda one: one[0])
