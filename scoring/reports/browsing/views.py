"""The pages of the items behind a report: their list, one of them, the list as a file."""

from typing import Any, Final
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest
from annotator.access.visibility import show_systems
from annotator.reading import reading_context, reading_preference, show_aid
from core.errors import Refused
from core.http import SeeOther, refusals_told
from core.jobs.registry import enqueue_on_commit
from patclaimeval.agreement.item_table import Wanted, choose
from scoring.access.downloads import as_download
from scoring.datasets.versions.queries import HEADINGS
from scoring.quadruplets import DatasetRow
from scoring.reports.browsing.explanations import encoder_of
from scoring.reports.browsing.forms import ItemsForm
from scoring.reports.browsing.queries import (
    A_PAGE,
    BEFORE_ITEMS,
    Browsed,
    both_counts,
    browsable_reports_for,
    browsed,
    item_lines,
    item_page,
    item_row,
    neighbours,
    occlusions_of,
    other_criteria,
    pulls,
)
from scoring.reports.browsing.services import export_items
from scoring.reports.queries import ordered_result
from scoring.scores.reading import TEXT_KEYS
from scoring.scores.services import request_occlusion

FORBIDDEN, UNPROCESSABLE = 403, 422
KEY_LABELS: Final = {
    **TEXT_KEYS,
    "context": "Description and drawings, beside the claims",
    "next-candidate": "Next item of the list",
    "previous-candidate": "Previous item of the list",
    "queue": "Back to the list",
    "keys": "List of all keys",
}


@require_safe
def items(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """List the items of a report by page, all or those of a filter."""
    found = found_report(request, pk)
    context: dict[str, Any] = {"report": found.report, "found": found}
    if found.table is None or found.is_withheld:
        return _nothing(request, found)
    form = _form(request, found)
    wanted = form.wanted(found.items)
    context |= {"form": form, "others": other_criteria(request.user, found.report)}
    if wanted is None:
        return render(request, "scoring/reports/items.html", context, status=UNPROCESSABLE)
    places = choose(found.items, wanted)
    page = Paginator(places.tolist(), A_PAGE).get_page(request.GET.get("page"))
    names = [name for name in (wanted.scorer, wanted.second) if name]
    try:
        lines = item_lines(found, list(page), names)
    except Refused as refusal:
        context["refused"] = refusal.sentence
        return render(request, "scoring/reports/items.html", context, status=refusal.status)
    _record_systems(request, found)
    context |= {
        "page": page,
        "count": len(places),
        "query": form.address(),
        "wanted": wanted,
        "labels": [dict(found.scorers)[name] for name in names],
        "lines": [(line, form.address(reference=line.reference)) for line in lines],
        "both": [
            (key, sentence, count, form.address(both=key, sort="", order=""))
            for key, sentence, count in (both_counts(found, wanted) if wanted.second else ())
        ],
        "pulls": () if wanted.second else pulls(found, wanted.scorer),
    }
    return render(request, "scoring/reports/items.html", context)


@require_safe
def item(request: SignedInRequest, pk: UUID, place: int) -> HttpResponse:
    """Show one item: what scorers and people say, and the claims as far as the person may."""
    found = found_report(request, pk)
    if found.table is None or found.is_withheld:
        return _nothing(request, found)
    form = _form(request, found)
    context: dict[str, Any] = {"report": found.report, "found": found, "query": form.address()}
    try:
        page = item_page(request.user, found, place)
    except Refused as refusal:
        context["refused"] = refusal.sentence
        return render(request, "scoring/reports/item.html", context, status=refusal.status)
    if page is None:
        raise Http404
    _record_systems(request, found)
    # An address that names no list is one of all items.
    before, after = neighbours(choose(found.items, form.wanted(found.items) or Wanted()), place)
    context |= {
        "item": page,
        "row": page.row,
        "version": found.report.dataset_version,
        "reader": found.reader,
        "lineage": page.lineage,
        "tells_each": page.tells_each,
        "headings": HEADINGS,
        "before": before,
        "after": after,
        **_reading(request, found, place),
    }
    return render(request, "scoring/reports/item.html", context)


def _reading(request: SignedInRequest, found: Browsed, place: int) -> dict[str, Any]:
    where = resolve_url("scoring:item_reading", found.report.pk, place)
    address = f"{where}?{_form(request, found).address()}"
    preference = reading_preference(request.user)
    return {"aids_url": address, **reading_context(preference, KEY_LABELS)}


@require_POST
def item_reading(request: SignedInRequest, pk: UUID, place: int) -> HttpResponse:
    """Switch a reading aid for this person: the claim sets as they look then, for the script.

    Without a script, go back to the item.
    """
    found = found_report(request, pk)
    if found.table is None or found.is_withheld:
        return _nothing(request, found)
    aid, _, wish = request.POST.get("aid", "").partition(" ")
    with refusals_told(request):
        show_aid(user=request.user, aid=aid, is_shown=wish != "off")
    page = item_page(request.user, found, place) if request.headers.get("HX-Request") else None
    if page is not None and page.seen is not None:
        context = {"page": page, "left_name": "B", "right_name": "C"}
        context |= _reading(request, found, place)
        return render(request, "annotator/comparisons/_compare_panes.html", context)
    address = resolve_url("scoring:report_item", pk, place)
    return SeeOther(f"{address}?{_form(request, found).address()}")


@require_http_methods(["GET", "HEAD", "POST"])
def item_why(request: SignedInRequest, pk: UUID, place: int) -> HttpResponse:
    """Ask why an encoder scores an item so, which a worker finds out; or poll for the answer."""
    found = found_report(request, pk)
    if found.table is None or found.is_withheld:
        return _nothing(request, found)
    row = _row_or_404(found, place)
    if request.method == "POST":
        with refusals_told(request):
            asked = request_occlusion(
                version=found.report.dataset_version,
                row_number=int(found.items.rows[place - 1]),
                model=encoder_of(found.report, found.scorers, request.POST.get("scorer", "")),
                asked_by=request.user,
            )
            enqueue_on_commit(asked)
        address = resolve_url("scoring:report_item", pk, place)
        return SeeOther(f"{address}?{_form(request, found).address()}#moved")
    occlusions = occlusions_of(request.user, found, place, row)
    context = {
        "report": found.report,
        "place": place,
        "query": _form(request, found).address(),
        "occlusions": occlusions,
        "waits": any(one.waits for one in occlusions),
    }
    return render(request, "scoring/reports/_item_moved.html", context)


@require_safe
def export(request: SignedInRequest, pk: UUID) -> HttpResponseBase:
    """Give the items of a list as CSV; 404 where there are none, 422 for a wrong filter."""
    found = found_report(request, pk)
    if found.table is None or found.is_withheld:
        return _nothing(request, found)
    form = _form(request, found)
    wanted = form.wanted(found.items)
    if wanted is None:
        context = {"report": found.report, "found": found, "form": form}
        return render(request, "scoring/reports/items.html", context, status=UNPROCESSABLE)
    try:
        places = choose(found.items, wanted)
        export = export_items(found=found, places=places, exported_by=request.user)
    except Refused as refusal:
        context = {"report": found.report, "found": found, "refused": refusal.sentence}
        return render(request, "scoring/reports/items.html", context, status=refusal.status)
    _record_systems(request, found)
    return as_download(export, request.user)


def found_report(request: SignedInRequest, pk: UUID) -> Browsed:
    """Return a report that the person may browse, as they may read its items, or 404."""
    report = get_object_or_404(browsable_reports_for(request.user), pk=pk)
    document = ordered_result(report)
    assert document is not None, "it is finished"
    return browsed(request.user, report, document)


def _form(request: SignedInRequest, found: Browsed) -> ItemsForm:
    return ItemsForm(request.GET, found.scorers, found.groups)


def _nothing(request: SignedInRequest, found: Browsed) -> HttpResponse:
    """Say that the report has no items, or that they are not for this person yet."""
    context = {"report": found.report, "found": found, "missing": BEFORE_ITEMS}
    status = FORBIDDEN if found.is_withheld else 200
    return render(request, "scoring/reports/items.html", context, status=status)


def _record_systems(request: SignedInRequest, found: Browsed) -> None:
    """Put on record that the ids of candidates, or their systems, are shown."""
    campaign = found.report.dataset_version.dataset.campaign
    if campaign is not None and (found.reader.tells_ids or found.tells_systems):
        show_systems(campaign=campaign, user=request.user)


def readable_item(request: SignedInRequest, pk: UUID, place: int) -> tuple[Browsed, DatasetRow]:
    """Return a report and one of its items, or 404 where the person does not read its claims."""
    found = found_report(request, pk)
    if found.table is None or found.is_withheld or not found.reader.reads_texts:
        raise Http404
    return found, _row_or_404(found, place)


def _row_or_404(found: Browsed, place: int) -> DatasetRow:
    try:
        row = item_row(found, place)
    except Refused as refusal:
        raise Http404 from refusal
    if row is None:
        raise Http404
    return row
