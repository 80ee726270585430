"""Context and claim charts beside an item of a report."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.views.decorators.http import require_http_methods, require_safe

from annotator.access.gate import SignedInRequest
from annotator.chart_page import ChartPage, answer_chart
from annotator.claim_chart import view_chart
from annotator.comparisons.queries import SIDES
from annotator.context.page import Beside, show_context, show_drawing
from annotator.reading import reading_of_texts
from scoring.access.scopes import may_export
from scoring.reports.browsing.queries import ITEM_NAMES, item_title, reference_with_context
from scoring.reports.browsing.views import readable_item


@require_http_methods(["GET", "HEAD", "POST"])
def item_context(request: SignedInRequest, pk: UUID, place: int) -> HttpResponse:
    """Show the context of the reference of an item whose claims the person reads."""
    return show_context(request, _beside(request, pk, place))


@require_safe
def item_drawing(request: SignedInRequest, pk: UUID, place: int, number: int) -> HttpResponse:
    """Give one of its drawings."""
    return show_drawing(_beside(request, pk, place).reference, number)


def _beside(request: SignedInRequest, pk: UUID, place: int) -> Beside:
    found, row = readable_item(request, pk, place)
    campaign = found.report.dataset_version.dataset.campaign
    reference = reference_with_context(campaign, row)
    if reference is None:
        raise Http404
    return Beside(
        reference,
        item_title(found, row, place),
        (("Reference", row.reference), ("B, beyond that", row.b), ("C, beyond these", row.c)),
        resolve_url("scoring:item_context", pk, place),
        resolve_url("scoring:report_item", pk, place),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def item_chart(request: SignedInRequest, pk: UUID, place: int) -> HttpResponseBase:
    """Show the claim charts of an item whose claims the person reads; or give them to an admin."""
    found, row = readable_item(request, pk, place)
    language = str(row.extras.get("language", ""))
    pair = zip(ITEM_NAMES, SIDES, (row.b, row.c), strict=True)
    page = ChartPage(
        title=item_title(found, row, place),
        language=language,
        charts=[
            view_chart(reading_of_texts(row.reference, text, language), name, side)
            for name, side, text in pair
        ],
        back=resolve_url("scoring:report_item", pk, place),
        subject=found.report,
        campaign=found.report.dataset_version.dataset.campaign,
        # Only admins download claim texts of a dataset.
        may_download=may_export(found.reader),
    )
    return answer_chart(request, page)
