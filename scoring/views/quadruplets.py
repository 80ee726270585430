"""Quadruplet screens: the list of a version, and one with everything it came from."""

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotator.gate import SignedInRequest
from annotator.refusals import Refused
from annotator.services.system_unblinding import show_systems
from scoring.forms.quadruplets import FilterForm
from scoring.models import DatasetVersion
from scoring.queries.datasets import version_or_404
from scoring.queries.lineage import lineage_of
from scoring.queries.quadruplet_words import HEADINGS, files_of, label_lines, row_line
from scoring.queries.quadruplets import A_PAGE, page_of, row_at
from scoring.queries.version_access import VersionReader, names_for, version_reader

FORBIDDEN = 403
FACTS = (("office", "Office"), ("ipc", "IPC"), ("language", "Language"), ("family", "Family"))


@require_safe
def quadruplets(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    """List the quadruplets of a version by page, all or those of a filter."""
    version = version_or_404(request.user, name, number)
    reader = version_reader(request.user, version)
    if reader.is_withheld:
        return _withheld(request, version)
    form = FilterForm(request.GET)
    wanted = form.wanted
    context: dict[str, Any] = {
        "version": version,
        "form": form,
        "reader": reader,
        "headings": HEADINGS,
    }
    if wanted is None:
        return render(request, "scoring/quadruplets.html", context, status=422)
    try:
        rows, count, page = page_of(version, wanted, form.page, A_PAGE)
    except Refused as refusal:
        context["refused"] = refusal.sentence
        return render(request, "scoring/quadruplets.html", context, status=refusal.status)
    _record_systems(request, version, reader)
    context |= {
        "rows": [row_line(one) for one in rows],
        "count": count,
        "page": Paginator(range(count), A_PAGE).get_page(page),
    }
    return render(request, "scoring/quadruplets.html", context)


@require_safe
def quadruplet(request: SignedInRequest, name: str, number: int, place: int) -> HttpResponse:
    """Show one quadruplet: its labels and all that they follow from."""
    version = version_or_404(request.user, name, number)
    reader = version_reader(request.user, version)
    if reader.is_withheld:
        return _withheld(request, version)
    try:
        row = row_at(version, place)
    except Refused as refusal:
        context = {"version": version, "refused": refusal.sentence}
        return render(request, "scoring/quadruplet.html", context, status=refusal.status)
    if row is None:
        raise Http404
    _record_systems(request, version, reader)
    campaign = version.dataset.campaign
    key = f"{version.pk} {row.reference_id}"
    names = names_for(request.user, campaign, key, is_admin=reader.is_admin) if campaign else {}
    texts = (("A, the reference", row.reference), ("B", row.b), ("C", row.c))
    context = {
        "version": version,
        "reader": reader,
        "place": place,
        "row": row,
        "labels": list(label_lines(row)),
        "headings": HEADINGS,
        "facts": [(name, row.extras[key]) for key, name in FACTS if row.extras.get(key)],
        "files": files_of(version.card),
        "texts": texts,
        "lineage": lineage_of(version, row, names),
        "tells_each": bool(names),
    }
    return render(request, "scoring/quadruplet.html", context)


def _record_systems(
    request: SignedInRequest, version: DatasetVersion, reader: VersionReader
) -> None:
    """Put on record that the ids of candidates, which may tell their systems, are shown."""
    if reader.tells_ids and version.dataset.campaign is not None:
        show_systems(campaign=version.dataset.campaign, user=request.user)


def _withheld(request: SignedInRequest, version: DatasetVersion) -> HttpResponse:
    context = {"version": version}
    return render(request, "scoring/quadruplets_withheld.html", context, status=FORBIDDEN)
