"""The claim charts of the two candidates of an item of a report."""

from uuid import UUID

from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.views.decorators.http import require_http_methods

from annotator.access.gate import SignedInRequest
from annotator.chart_page import ChartPage, answer_chart
from annotator.claim_chart import view_chart
from annotator.comparisons.queries import SIDES
from annotator.reading import reading_of_texts
from scoring.access.scopes import may_export
from scoring.reports.browsing.queries import ITEM_NAMES, item_title
from scoring.reports.browsing.views import readable_item


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
