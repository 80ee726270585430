"""The page by which the ratings of a campaign are downloaded, for admins and researchers."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from annotator.access.gate import SignedInRequest, read_campaign
from annotator.audit_log import latest_acts
from annotator.export_headers import note_export
from annotator.exports.forms import RatingExportForm
from annotator.exports.queries import EXPORTED, OPEN, Exporter, exporter_of
from annotator.exports.services import request_export
from annotator.models import Campaign
from core.http import export_download


@require_http_methods(["GET", "HEAD", "POST"])
def export_ratings(request: SignedInRequest, slug: str) -> HttpResponseBase:
    """Show what can be downloaded; a POST puts an export on record and answers with its file."""
    campaign, reader = read_campaign(request, slug)
    exporter = exporter_of(campaign, request.user, reader)
    if exporter.withheld:
        return _withheld(request, campaign, exporter)
    form = RatingExportForm(
        request.POST if request.method == "POST" else None,
        formats=exporter.formats,
        may_name=exporter.is_admin and not campaign.is_open,
    )
    if form.is_valid():
        with form.refusals():
            export = request_export(
                campaign=campaign,
                is_anonymous=exporter.is_anonymous,
                asked_by=request.user,
                **form.cleaned_data,
            )
            kind = "-identified" if export.is_identified else ""
            name = f"{campaign.slug}-ratings{kind}.{export.format.suffix}"
            answer = export_download(export.pieces(), name, export.format.media_type)
            note_export(answer, by=request.user, records=sum(export.counts.values()))
            return answer
    form.focus_error()
    context = {
        "campaign": campaign,
        "exporter": exporter,
        "form": form,
        "exports": latest_acts(campaign, EXPORTED) if exporter.is_admin else (),
    }
    return render(request, "annotator/exports/export_ratings.html", context, status=form.status)


def _withheld(request: SignedInRequest, campaign: Campaign, exporter: Exporter) -> HttpResponse:
    """Return why not yet; who is only early may look, who must stay blind is refused."""
    is_early = exporter.withheld == OPEN
    status = 403 if not is_early else 200 if request.method != "POST" else 409
    context = {"campaign": campaign, "why": exporter.withheld, "is_early": is_early}
    return render(request, "annotator/exports/export_withheld.html", context, status=status)
