"""Model version screens."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from annotator.gate import SignedInRequest
from scoring.queries.model_page import model_page
from scoring.queries.models import models_for


@require_GET
def model_list(request: SignedInRequest) -> HttpResponse:
    return render(request, "scoring/models.html", {"models": models_for(request.user)[:100]})


@require_GET
def model(request: SignedInRequest, pk: UUID) -> HttpResponse:
    row = get_object_or_404(models_for(request.user), pk=pk)
    return render(request, "scoring/model.html", {"model": row, "page": model_page(row)})
