"""Downloads of a dataset version: its rows in every format, its card, its checksums."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotator.access.gate import SignedInRequest
from core.errors import Refused
from core.http import file_download
from scoring.access.downloads import as_download
from scoring.access.scopes import card_reader, exporter, version_or_404
from scoring.datasets.exports.forms import card_wish, export_wish
from scoring.datasets.exports.queries import card_file
from scoring.datasets.exports.services import export_version
from scoring.models import DatasetVersion


@require_safe
def export(request: SignedInRequest, name: str, number: int) -> HttpResponseBase:
    row = version_or_404(request.user, name, number)
    try:
        exporter(request.user, row)
        wish = export_wish(request.GET)
        found = export_version(version=row, **wish, exported_by=request.user)
    except Refused as refusal:
        return _refused(request, row, refusal)
    return as_download(found, request.user)


@require_safe
def data_card(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    row = version_or_404(request.user, name, number)
    try:
        reader = card_reader(request.user, row)
        wanted = card_wish(request.GET)
    except Refused as refusal:
        return _refused(request, row, refusal)
    return file_download(*card_file(row, wanted, shows_files=reader.is_admin))


def _refused(request: SignedInRequest, row: DatasetVersion, refusal: Refused) -> HttpResponse:
    status = 400 if refusal.fields else refusal.status
    context = {"version": row, "sentence": refusal.sentence}
    return render(request, "scoring/export_refused.html", context, status=status)
