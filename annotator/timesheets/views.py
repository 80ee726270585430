"""The page by which an admin takes the timesheet of a campaign away."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from annotator.access.gate import SignedInRequest, counted_campaign
from annotator.audit_log import latest_acts
from annotator.export_headers import note_export
from annotator.timesheets.queries import EXPORTED
from annotator.timesheets.rules import LEAST_CANDIDATES
from annotator.timesheets.services import request_timesheet
from core.forms import ReasonForm
from core.http import file_download


@require_http_methods(["GET", "HEAD", "POST"])
def timesheet(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show what a timesheet holds; a POST puts it on record and answers with the file."""
    row = counted_campaign(request, slug)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        with form.refusals():
            sheet = request_timesheet(campaign=row, by=request.user, reason=form.reason_sent)
            name = f"{row.slug}-timesheet.csv"
            answer = file_download(name, "text/csv; charset=utf-8", sheet.content)
            note_export(answer, by=request.user, records=len(sheet.lines))
            return answer
    form.focus_error()
    context = {
        "campaign": row,
        "form": form,
        "taken": latest_acts(row, EXPORTED),
        "least": LEAST_CANDIDATES,
    }
    return render(request, "annotator/timesheets/timesheet.html", context, status=form.status)
