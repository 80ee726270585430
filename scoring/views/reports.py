"""Agreement report screens: list and ask, one report."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotator.gate import SignedInRequest
from annotator.jobs.registry import ring_on_commit
from annotator.refusals import OutOfDate, Refused
from scoring.forms.requests import ReportForm
from scoring.queries.datasets import is_researcher
from scoring.queries.models import reports_for
from scoring.queries.report_page import report_page
from scoring.services.reports import cancel_report, request_report


@require_http_methods(["GET", "POST"])
def report_list(request: SignedInRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, ReportForm(request.user))
    form = ReportForm(request.user, request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    if not is_researcher(request.user, form.cleaned_data["version"]):
        raise PermissionDenied("Researchers of the campaign ask for reports.")
    try:
        row = request_report(**form.cleaned_data, requested_by=request.user)
    except Refused as refusal:
        form.add_error(None, refusal.sentence)
        return _page(request, form, status=422)
    ring_on_commit(row)
    return redirect("scoring:report", pk=row.pk)


@require_GET
def report(request: SignedInRequest, pk: UUID) -> HttpResponse:
    row = get_object_or_404(reports_for(request.user), pk=pk)
    return render(request, "scoring/report.html", {"report": row, "page": report_page(row)})


@require_GET
def progress(request: SignedInRequest, pk: UUID) -> HttpResponse:
    row = get_object_or_404(reports_for(request.user), pk=pk)
    context = {"report": row, "page": report_page(row)}
    return render(request, "scoring/_report_body.html", context)


@require_POST
def cancel(request: SignedInRequest, pk: UUID) -> HttpResponse:
    row = get_object_or_404(reports_for(request.user), pk=pk)
    try:
        cancel_report(report=row, cancelled_by=request.user)
        messages.success(request, "The report will stop within seconds.")
    except OutOfDate as refusal:
        messages.warning(request, refusal.sentence)
    return redirect("scoring:report", pk=pk)


def _page(request: SignedInRequest, form: ReportForm, status: int = 200) -> HttpResponse:
    context = {"reports": reports_for(request.user)[:100], "form": form}
    return render(request, "scoring/reports.html", context, status=status)
