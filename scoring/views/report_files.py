"""Downloads of a finished report: one HTML file, CSV, JSON, LaTeX."""

from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.contrib.staticfiles import finders
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_GET

from annotator.gate import SignedInRequest
from scoring.downloads import file_download
from scoring.queries.models import reports_for
from scoring.queries.report_page import Wishes, ordered_result, page_of
from scoring.report_files.canonical_json import canonical_json
from scoring.report_files.csv_table import csv_table
from scoring.report_files.file_names import TYPES, file_name
from scoring.report_files.latex_table import latex_table

STYLES: Final = ("tokens", "base", "components", "datasets", "reports")


@require_GET
def download(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Give a report in the format that is asked for; 404 for one that has no result yet."""
    document = ordered_result(get_object_or_404(reports_for(request.user), pk=pk))
    wanted = request.GET.get("format", "html")
    if document is None or wanted not in TYPES:
        raise Http404("A finished report comes as html, csv, json or latex.")
    return file_download(file_name(document, wanted), TYPES[wanted], report_file(document, wanted))


def report_file(document: dict[str, Any], wanted: str) -> bytes:
    """Return the bytes of a report in one of TYPES; the same document gives the same bytes."""
    if wanted == "json":
        return canonical_json(document)
    if wanted == "csv":
        return csv_table(document).encode()
    if wanted == "latex":
        return latex_table(document).encode()
    return html_file(document).encode()


def html_file(document: dict[str, Any]) -> str:
    """Return a page that needs nothing beside it: styles and drawings inside, no script."""
    page = page_of(document, Wishes(), is_whole=True)
    # Our own stylesheets, none of which closes the element that they stand in.
    styles = mark_safe("\n".join(_style(name) for name in STYLES))  # noqa: S308
    context = {"page": page, "is_file": True, "styles": styles}
    return render_to_string("scoring/report_file.html", context)


def _style(name: str) -> str:
    found = finders.find(f"css/{name}.css")
    assert isinstance(found, str)
    return Path(found).read_text(encoding="utf-8")
