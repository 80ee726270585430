"""The pages of model versions and their promotions."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotator.access.gate import SignedInRequest
from core.errors import Forbidden, Refused
from core.http import page_or_plot
from scoring.access.downloads import as_download
from scoring.access.scopes import exporter
from scoring.models import ModelVersion
from scoring.training.model_versions.card import headline
from scoring.training.model_versions.forms import PromotionForm
from scoring.training.model_versions.promotions import (
    carry_out_act,
    cautions,
    is_admin,
    promoted_ids,
    promotion_state,
)
from scoring.training.model_versions.queries import model_page, models_for, prior_rows
from scoring.training.model_versions.services import model_archive


@require_safe
def model_list(request: SignedInRequest) -> HttpResponse:
    user = request.user
    context = {
        "models": [(model, headline(model.card)) for model in models_for(user)[:100]],
        "promoted": promoted_ids(user),
        "prior": prior_rows(),
    }
    return render(request, "scoring/training/models.html", context)


@require_safe
def model(request: SignedInRequest, pk: UUID) -> HttpResponse:
    row = get_object_or_404(models_for(request.user), pk=pk)
    page = model_page(row, request.user)
    context = {"model": row, "page": page}
    return page_or_plot(request, "scoring/training/model.html", context, page["plots"])


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
    return as_download(found, request.user)


DONE = {
    "ask": "Requested. An admin agrees or declines.",
    "agree": "The model is promoted: it scores from now on.",
    "decline": "Declined. The model stays as it is.",
    "withdraw": "Withdrawn: no model scores for this criterion now.",
}


@require_http_methods(["GET", "HEAD", "POST"])
def promotion(request: SignedInRequest, pk: UUID) -> HttpResponse:
    model = get_object_or_404(models_for(request.user), pk=pk)
    if request.method != "POST":
        return _page(request, model, PromotionForm())
    form = PromotionForm(request.POST)
    if form.is_valid():
        with form.refusals():
            try:
                carry_out_act(**form.cleaned_data, model=model, actor=request.user)
            except Forbidden as refusal:
                raise PermissionDenied(refusal.sentence) from refusal
            messages.success(request, DONE[form.cleaned_data["act"]])
            return redirect("scoring:promotion", pk=pk)
    form.focus_error()
    return _page(request, model, form)


def _page(request: SignedInRequest, model: ModelVersion, form: PromotionForm) -> HttpResponse:
    context = {
        "model": model,
        "state": promotion_state(model, request.user),
        "cautions": cautions(model),
        "form": form,
        # Researchers learn what was done, and admins by whom.
        "tells_names": is_admin(request.user, model),
    }
    return render(request, "scoring/training/promotion.html", context, status=form.status)
