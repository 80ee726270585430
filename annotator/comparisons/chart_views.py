"""The claim charts of the two candidates of a comparison."""

from uuid import UUID

from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.views.decorators.http import require_http_methods

from annotator.access.gate import SignedInRequest
from annotator.chart_page import ChartPage, answer_chart
from annotator.claim_chart import view_chart
from annotator.comparisons.queries import SIDES
from annotator.comparisons.views import own_texts
from annotator.reading import reading_of


@require_http_methods(["GET", "HEAD", "POST"])
def compare_chart(request: SignedInRequest, pk: UUID) -> HttpResponseBase:
    """Show the claim charts of an own comparison, as its page shows the texts; or give them."""
    row = own_texts(request, pk)
    reference = row.left.reference
    pair = zip(SIDES, (row.left, row.right), strict=True)
    charts = [view_chart(reading_of(reference, one), side.title(), side) for side, one in pair]
    page = ChartPage(
        title=reference.reference_id,
        language=reference.language,
        charts=charts,
        back=resolve_url("annotator:compare", pk),
        subject=row,
        campaign=row.campaign,
        may_download=row.campaign.has_mark_files and not reference.erased_at,
    )
    return answer_chart(request, page)
