"""Context and claim charts beside the candidates that an annotator rates."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, resolve_url
from django.views.decorators.http import require_http_methods, require_safe

from annotator.access.gate import SignedInRequest
from annotator.access.scopes import readable_assignments
from annotator.chart_page import ChartPage, answer_chart
from annotator.claim_chart import view_chart
from annotator.context.page import Beside, show_context, show_drawing
from annotator.joint_chart import join_charts
from annotator.models import Candidate
from annotator.rating.all_views import own_all_candidates, withheld
from annotator.rating.calibration.queries import CALIBRATE_FIRST, first_due
from annotator.rating.views import own_page
from annotator.reading import reading_of
from core.http import SeeOther


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


@require_http_methods(["GET", "HEAD", "POST"])
def rate_chart(request: SignedInRequest, pk: UUID) -> HttpResponseBase:
    """Show the claim chart of an own assignment, as the rate page shows its texts; or give it."""
    page = own_page(request, pk)
    if page.is_recused:
        raise Http404
    row = page.assignment
    if item := first_due(row.campaign, request.user):
        messages.info(request, CALIBRATE_FIRST)
        return SeeOther(resolve_url("annotator:calibrate", item.pk))
    reference = row.candidate.reference
    chart = ChartPage(
        title=reference.reference_id,
        language=reference.language,
        charts=[view_chart(page.reading, row.label)],
        back=resolve_url("annotator:rate", pk),
        subject=row,
        campaign=row.campaign,
        may_download=page.may_take,
    )
    return answer_chart(request, chart)


@require_http_methods(["GET", "HEAD", "POST"])
def all_chart(request: SignedInRequest, pk: UUID) -> HttpResponseBase:
    """Show which of the rated candidates of a reference have each limitation; or give the charts.

    Each is withheld until all own ratings of the reference are in, as the page of all candidates.
    """
    page = own_all_candidates(request, pk)
    if not page.is_allowed:
        return withheld(request, page)
    reference, rows = page.reference, list(page.page)
    charts = [view_chart(reading_of(reference, row.candidate), row.label) for row in rows]
    addresses = [resolve_url("annotator:rate_chart", row.pk) for row in rows]
    chart = ChartPage(
        title=reference.reference_id,
        language=reference.language,
        charts=charts,
        back=resolve_url("annotator:all_candidates", pk) + page.here,
        subject=page.assignment,
        campaign=page.assignment.campaign,
        may_download=page.assignment.campaign.has_mark_files and not reference.erased_at,
        joint=join_charts(charts, addresses),
    )
    return answer_chart(request, chart)
