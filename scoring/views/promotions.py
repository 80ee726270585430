"""The page on which a model's promotion is asked for, answered or withdrawn."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotator.gate import SignedInRequest
from annotator.refusals import Forbidden, Refused
from scoring.forms.promotions import PromotionForm
from scoring.models import ModelVersion
from scoring.queries.models import models_for
from scoring.queries.promotion_cautions import cautions
from scoring.queries.promotions import is_admin, promotion_state
from scoring.services.promotions import answer_promotion, ask_promotion, withdraw_promotion

DONE = {
    "ask": "Asked for. An admin agrees or declines.",
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
    if not form.is_valid():
        form.focus_error()
        return _page(request, model, form, status=422)
    try:
        _carry_out(request, model, form)
    except Forbidden as refusal:
        raise PermissionDenied(refusal.sentence) from refusal
    except Refused as refusal:
        form.take_refusal(refusal)
        return _page(request, model, form, status=refusal.status)
    messages.success(request, DONE[form.cleaned_data["act"]])
    return redirect("scoring:promotion", pk=pk)


def _carry_out(request: SignedInRequest, model: ModelVersion, form: PromotionForm) -> None:
    act, reason = form.cleaned_data["act"], form.cleaned_data["reason"]
    user = request.user
    if act == "ask":
        is_aware = form.cleaned_data["is_aware"]
        ask_promotion(model=model, asked_by=user, reason=reason, is_aware=is_aware)
    elif act == "withdraw":
        withdraw_promotion(model=model, withdrawn_by=user, reason=reason)
    else:
        answer_promotion(model=model, answered_by=user, reason=reason, agrees=act == "agree")


def _page(
    request: SignedInRequest, model: ModelVersion, form: PromotionForm, status: int = 200
) -> HttpResponse:
    context = {
        "model": model,
        "state": promotion_state(model, request.user),
        "cautions": cautions(model),
        "form": form,
        # Researchers learn what was done, and admins by whom.
        "tells_names": is_admin(request.user, model),
    }
    return render(request, "scoring/promotion.html", context, status=status)
