"""Downloads of a finished report: one HTML file, CSV, JSON, LaTeX."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotator.gate import SignedInRequest
from annotator.views.saved_files import file_download
from scoring.queries.models import reports_for
from scoring.queries.reports.page import ordered_result
from scoring.report_downloads import report_file
from scoring.report_files.file_names import TYPES, file_name


@require_safe
def download(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Give a report in the format that is asked for; 404 for one that has no result yet."""
    document = ordered_result(get_object_or_404(reports_for(request.user), pk=pk))
    wanted = request.GET.get("format", "html")
    if document is None or wanted not in TYPES:
        raise Http404("A finished report comes as html, csv, json or latex.")
    return file_download(file_name(document, wanted), TYPES[wanted], report_file(document, wanted))
