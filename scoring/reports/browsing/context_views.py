"""The reference's description and drawings beside an item of a report."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import resolve_url
from django.views.decorators.http import require_http_methods, require_safe

from annotator.access.gate import SignedInRequest
from annotator.context.page import Beside, show_context, show_drawing
from scoring.reports.browsing.queries import item_title, reference_with_context
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
