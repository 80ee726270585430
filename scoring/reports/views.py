"""The pages of agreement reports: list and ask, progress, files, two side by side."""

from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotator.access.gate import SignedInRequest
from annotator.access.scopes import roles_of
from core.confirmation import about_cancelling, ask, is_confirmed
from core.errors import OutOfDate, Refused
from core.http import file_download, page_or_plot
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus
from scoring.access.scopes import MAY_READ, is_researcher, versions_for
from scoring.models import AgreementReport
from scoring.reports.browsing.queries import browsed, items_address, scatter_addresses
from scoring.reports.downloads import report_file
from scoring.reports.files import TYPES, file_name
from scoring.reports.forms import ReportForm, ReportsForm, ScorersForm, again
from scoring.reports.queries import (
    NOTHING_SHARED,
    compare_reports,
    compare_scorers,
    listed_reports,
    ordered_result,
    page_of,
    plots_of,
    reported_datasets,
    scorer_choices,
)
from scoring.reports.scorers import sending_cost
from scoring.reports.services import ask_for_report, cancel_report
from scoring.reports.table import Sorting
from scoring.training.model_versions.queries import reports_for

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
    asked, names = form.asked, [one.name for one in form.sending]
    cost = sending_cost(asked["version"], asked["criterion"], asked["split"], names)
    if not form.agrees_to(cost):
        return _page(request, form, status=422, cost=cost)
    try:
        found = ask_for_report(**asked, requested_by=request.user)
    except Refused as refusal:
        form.take_refusal(refusal)
        return _page(request, form, status=refusal.status)
    if found.is_new:
        enqueue_on_commit(found.report)
    else:
        messages.info(request, "This report exists already; here it is.")
    return redirect("scoring:report", pk=found.report.pk)


@require_safe
def report(request: SignedInRequest, pk: UUID) -> HttpResponse:
    return _report(request, pk, "scoring/reports/report.html")


@require_safe
def progress(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Answer the poll of a report's page; the fragment stops polling by itself once final."""
    return _report(request, pk, "scoring/reports/_report_body.html")


@require_POST
def cancel(request: SignedInRequest, pk: UUID) -> HttpResponse:
    row = get_object_or_404(reports_for(request.user), pk=pk)
    if not row.is_final and not is_confirmed(request):
        again = "Asked for again, it begins anew; scores that are stored already are used."
        back = resolve_url("scoring:report", pk)
        return ask(request, about_cancelling("report", row.percent, again=again, back=back))
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
    document = ordered_result(row)
    address = items_address(request.user, row) if document else ""
    found = browsed(request.user, row, document) if document and address else None
    page = document and page_of(
        *(document, sorting, asked("scorer", "")),
        addresses=lambda name: scatter_addresses(found, name, address),
    )
    context = {
        "report": row,
        "items_address": address,
        "page": page,
        "formats": FORMATS,
        "may_ask": versions_for(request.user).filter(pk=row.dataset_version_id).exists(),
    }
    plots = plots_of(page) if page else ()
    known = ("scorer", "sort", "order") if sorting.key else ("scorer",)
    return page_or_plot(request, template, context, plots, known=known)


def _again(request: SignedInRequest) -> dict[str, Any]:
    """Return what the report of the address asked; nothing where it names none of the person's."""
    try:
        pk = UUID(request.GET.get("again", ""))
    except ValueError:
        return {}
    row = reports_for(request.user).filter(pk=pk).first()
    return again(row) if row else {}


def _page(
    request: SignedInRequest, form: ReportForm, status: int = 200, cost: str = ""
) -> HttpResponse:
    form.focus_error()
    dataset = request.GET.get("dataset", "")
    datasets = reported_datasets(request.user)
    if dataset and dataset not in datasets:
        # The table holds reports on that name alone: the menu must not show "All" above it.
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
        # Others read finished ones only.
        "may_ask": bool(roles_of(request.user) & set(MAY_READ)),
    }
    return render(request, "scoring/reports/reports.html", context, status=status)


@require_safe
def download(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Give a report in the format that is asked for; 404 for one that has no result yet."""
    document = ordered_result(get_object_or_404(reports_for(request.user), pk=pk))
    wanted = request.GET.get("format", "html")
    if document is None or wanted not in TYPES:
        raise Http404("A finished report comes as html, csv, json or latex.")
    return file_download(file_name(document, wanted), TYPES[wanted], report_file(document, wanted))


UNPROCESSABLE = 422


@require_safe
def compare(request: SignedInRequest) -> HttpResponse:
    """Ask for two reports, or for two scorers of the first, and show how they differ.

    An address that names the first report alone offers its scorers.
    """
    if not request.GET.keys() & {"a", "b"}:
        return _comparison_page(request, ReportsForm(request.user))
    if request.GET.get("b"):
        return _two_reports(request)
    form = ReportsForm(request.user, {"a": request.GET.get("a", "")})
    form.full_clean()
    chosen = form.cleaned_data.get("a")
    if chosen is None:
        return _comparison_page(request, form, UNPROCESSABLE)
    # The second was not asked for yet: nothing is wrong with it.
    return _two_scorers(request, chosen)


def _two_reports(request: SignedInRequest) -> HttpResponse:
    form = ReportsForm(request.user, request.GET)
    if not form.is_valid():
        return _comparison_page(request, form, UNPROCESSABLE)
    first, second = form.cleaned_data["a"], form.cleaned_data["b"]
    found = compare_reports(_document(first), _document(second))
    if found is None:
        form.add_error(None, NOTHING_SHARED)
        return _comparison_page(request, form, UNPROCESSABLE)
    return _comparison_page(request, form, found=found, first=first, second=second)


def _two_scorers(request: SignedInRequest, report: AgreementReport) -> HttpResponse:
    document = _document(report)
    choices = scorer_choices(document)
    more: dict[str, Any] = {
        "report": report,
        "items_address": items_address(request.user, report),
    }
    status = 200
    if request.GET.keys() & {"first", "second"}:
        more["scorers_form"] = form = ScorersForm(choices, request.GET)
        if form.is_valid():
            more["scorers"] = compare_scorers(document, **form.cleaned_data)
        else:
            status = UNPROCESSABLE
    else:
        more["scorers_form"] = ScorersForm(choices)
    form_of_reports = ReportsForm(request.user, initial={"a": report.pk})
    return _comparison_page(request, form_of_reports, status, **more)


def _document(report: AgreementReport) -> dict[str, Any]:
    document = ordered_result(report)
    assert document is not None
    return document


def _comparison_page(
    request: SignedInRequest, form: ReportsForm, status: int = 200, **more: Any
) -> HttpResponse:
    context = {"form": form, **more}
    plots = [more["scorers"].plot] if "scorers" in more else []
    template = "scoring/reports/compare_reports.html"
    known = ("a", "b", "first", "second")
    return page_or_plot(request, template, context, plots, known=known, status=status)
