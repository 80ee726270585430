"""Model version screens."""

from uuid import UUID

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotator.gate import SignedInRequest
from annotator.models import User
from annotator.refusals import Refused
from annotator.views.export_notes import note_export
from annotator.views.saved_files import as_file
from scoring.queries.exporters import exporter
from scoring.queries.model_page import model_page
from scoring.queries.models import models_for
from scoring.queries.promotions import promoted_ids
from scoring.services.model_exports import Archive, model_archive


@require_safe
def model_list(request: SignedInRequest) -> HttpResponse:
    user = request.user
    context = {"models": models_for(user)[:100], "promoted": promoted_ids(user)}
    return render(request, "scoring/models.html", context)


@require_safe
def model(request: SignedInRequest, pk: UUID) -> HttpResponse:
    row = get_object_or_404(models_for(request.user), pk=pk)
    page = model_page(row, request.user)
    return render(request, "scoring/model.html", {"model": row, "page": page})


@require_safe
def download(request: SignedInRequest, pk: UUID) -> HttpResponseBase:
    """Give the model's directory to who may export the texts that it was trained on."""
    row = get_object_or_404(models_for(request.user), pk=pk)
    version = row.run.dataset_version
    try:
        exporter(request.user, version)
        found = model_archive(model=row, exported_by=request.user)
    except Refused as refusal:
        context = {"version": version, "sentence": refusal.sentence}
        return render(request, "scoring/export_refused.html", context, status=refusal.status)
    return model_download(found, request.user)


def model_download(found: Archive, by: User) -> StreamingHttpResponse:
    """Stream the archive of a model under its name and type."""
    answer = StreamingHttpResponse(found.pieces, content_type=found.media_type)
    note_export(answer, by=by)
    return as_file(answer, found.name)
