"""The claim charts of the candidates of a conflict."""

from uuid import UUID

from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.views.decorators.http import require_http_methods

from annotator.access.gate import SignedInRequest
from annotator.adjudication.cases import candidate_names
from annotator.adjudication.rulings.context_views import own_conflict
from annotator.chart_page import ChartPage, answer_chart
from annotator.claim_chart import view_chart
from annotator.comparisons.queries import SIDES
from annotator.reading import reading_of


@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate_chart(request: SignedInRequest, pk: UUID) -> HttpResponseBase:
    """Show the claim charts of a conflict that the person may look at; or give them."""
    conflict = own_conflict(request, pk)
    reference = conflict.candidate.reference
    names = candidate_names([reference.pk], request.user)
    found = [one for one in (conflict.candidate, conflict.other_candidate) if one]
    found.sort(key=lambda one: names[one.pk])
    sides = SIDES if len(found) > 1 else ("candidate",)
    page = ChartPage(
        title=reference.reference_id,
        language=reference.language,
        charts=[
            view_chart(reading_of(reference, one), names[one.pk], side)
            for side, one in zip(sides, found, strict=True)
        ],
        back=resolve_url("annotator:adjudicate", pk),
        subject=conflict,
        campaign=conflict.campaign,
        may_download=not reference.erased_at,
    )
    return answer_chart(request, page)
