"""Agreement report screens: list and ask, one report, its progress, its end."""

from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.gate import SignedInRequest
from annotator.jobs.registry import ring_on_commit
from annotator.jobs.rows import JobStatus
from annotator.queries.access import roles_of
from annotator.refusals import OutOfDate, Refused
from scoring.forms.report_comparisons import ReportsForm
from scoring.forms.reports import ReportForm, again
from scoring.queries.datasets import MAY_READ, is_researcher, versions_for
from scoring.queries.models import reports_for
from scoring.queries.reports.cost import sending_cost
from scoring.queries.reports.listing import listed_reports, reported_datasets
from scoring.queries.reports.page import Wishes, report_page
from scoring.queries.reports.table import Sorting
from scoring.services.reports import ask_for_report, cancel_report

FORMATS: Final = (
    ("html", "One HTML file"),
    ("csv", "CSV"),
    ("json", "JSON"),
    ("latex", "LaTeX table"),
)


@require_http_methods(["GET", "HEAD", "POST"])
def report_list(request: SignedInRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, ReportForm(request.user, initial=_again(request)))
    form = ReportForm(request.user, request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    if not is_researcher(request.user, form.cleaned_data["version"]):
        raise PermissionDenied("Researchers of the campaign ask for reports.")
    cost = _cost(form)
    if not form.agrees_to(cost):
        return _page(request, form, status=422, cost=cost)
    try:
        asked = ask_for_report(**form.asked, requested_by=request.user)
    except Refused as refusal:
        form.take_refusal(refusal)
        return _page(request, form, status=refusal.status)
    if asked.is_new:
        ring_on_commit(asked.report)
    else:
        messages.info(request, "This was asked before: here is the report that answers it.")
    return redirect("scoring:report", pk=asked.report.pk)


@require_safe
def report(request: SignedInRequest, pk: UUID) -> HttpResponse:
    return _report(request, pk, "scoring/report.html")


@require_safe
def progress(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Answer the poll of a report's page; the fragment stops polling by itself once final."""
    return _report(request, pk, "scoring/_report_body.html")


@require_POST
def cancel(request: SignedInRequest, pk: UUID) -> HttpResponse:
    row = get_object_or_404(reports_for(request.user), pk=pk)
    try:
        cancel_report(report=row, cancelled_by=request.user)
        messages.success(request, "The report will stop within seconds.")
    except OutOfDate as refusal:
        messages.warning(request, refusal.sentence)
    return redirect("scoring:report", pk=pk)


def _report(request: SignedInRequest, pk: UUID, template: str) -> HttpResponse:
    row = get_object_or_404(reports_for(request.user), pk=pk)
    asked = request.GET.get
    sorting = Sorting.asked(asked("sort", ""), asked("order", ""))
    context = {
        "report": row,
        "page": report_page(row, Wishes(sorting, asked("scorer", ""))),
        "formats": FORMATS,
        "may_ask": versions_for(request.user).filter(pk=row.dataset_version_id).exists(),
    }
    return render(request, template, context)


def _may_ask(request: SignedInRequest) -> bool:
    """Say whether the person works with reports, or reads finished ones only."""
    return bool(roles_of(request.user) & set(MAY_READ))


def _again(request: SignedInRequest) -> dict[str, Any]:
    """Return what the report of the address asked; nothing where it names none of the person's."""
    try:
        pk = UUID(request.GET.get("again", ""))
    except ValueError:
        return {}
    row = reports_for(request.user).filter(pk=pk).first()
    return again(row) if row else {}


def _cost(form: ReportForm) -> str:
    """Return what the report would send to a language model, and cost; "" for nothing."""
    asked, names = form.asked, [one.name for one in form.sending]
    return sending_cost(asked["version"], asked["criterion"], asked["split"], names)


def _page(
    request: SignedInRequest, form: ReportForm, status: int = 200, cost: str = ""
) -> HttpResponse:
    form.focus_error()
    dataset = request.GET.get("dataset", "")
    datasets = reported_datasets(request.user)
    if dataset and dataset not in datasets:
        # The table holds reports on that name alone: the menu must not say "All" above it.
        datasets.append(dataset)
    listed = listed_reports(request.user, dataset)
    finished = sum(line.report.status == JobStatus.SUCCEEDED for line in listed)
    context: dict[str, Any] = {
        "listed": listed,
        "compare_form": ReportsForm(request.user) if finished > 1 else None,
        "has_versions": versions_for(request.user).exists(),
        "datasets": datasets,
        "dataset": dataset,
        "form": form,
        "cost": cost,
        "may_ask": _may_ask(request),
    }
    return render(request, "scoring/reports.html", context, status=status)
