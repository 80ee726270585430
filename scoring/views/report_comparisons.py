"""The screen on which two reports, or two scorers of one report, stand side by side."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotator.gate import SignedInRequest
from scoring.forms.report_comparisons import ReportsForm, ScorersForm
from scoring.models import AgreementReport
from scoring.queries.reports.comparison import (
    NOTHING_SHARED,
    compare_reports,
    compare_scorers,
    scorer_choices,
)
from scoring.queries.reports.page import ordered_result

UNPROCESSABLE = 422


@require_safe
def compare(request: SignedInRequest) -> HttpResponse:
    """Ask for two reports, or for two scorers of the first, and say how they differ.

    An address that names the first report alone offers its scorers.
    """
    if not request.GET.keys() & {"a", "b"}:
        return _page(request, ReportsForm(request.user))
    if request.GET.get("b"):
        return _two_reports(request)
    form = ReportsForm(request.user, {"a": request.GET.get("a", "")})
    form.full_clean()
    chosen = form.cleaned_data.get("a")
    if chosen is None:
        return _page(request, form, UNPROCESSABLE)
    # The second was not asked for yet: nothing is wrong with it.
    return _two_scorers(request, chosen)


def _two_reports(request: SignedInRequest) -> HttpResponse:
    form = ReportsForm(request.user, request.GET)
    if not form.is_valid():
        return _page(request, form, UNPROCESSABLE)
    first, second = form.cleaned_data["a"], form.cleaned_data["b"]
    found = compare_reports(_document(first), _document(second))
    if found is None:
        form.add_error(None, NOTHING_SHARED)
        return _page(request, form, UNPROCESSABLE)
    return _page(request, form, found=found, first=first, second=second)


def _two_scorers(request: SignedInRequest, report: AgreementReport) -> HttpResponse:
    document = _document(report)
    choices = scorer_choices(document)
    more: dict[str, Any] = {"report": report}
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
    return _page(request, form_of_reports, status, **more)


def _document(report: AgreementReport) -> dict[str, Any]:
    document = ordered_result(report)
    assert document is not None
    return document


def _page(
    request: SignedInRequest, form: ReportsForm, status: int = 200, **more: Any
) -> HttpResponse:
    context = {"form": form, **more}
    return render(request, "scoring/compare_reports.html", context, status=status)
