"""Model versions and promotions over REST."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from core.rest.paging import PAGED, PARAMETERS, page_of
from scoring.access.api import PermittedView, body, model_json, person
from scoring.models import ModelVersion
from scoring.training.model_versions.promotions import (
    answer_promotion,
    ask_promotion,
    open_ask,
    promoted_ids,
    promotion_state,
    withdraw_promotion,
)
from scoring.training.model_versions.queries import models_for


class Models(PermittedView):
    """The model versions that the caller may see."""

    parameters = PARAMETERS

    @extend_schema(operation_id="models_list", parameters=PAGED, responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        user = person(request)
        promoted = promoted_ids(user)
        page = page_of(request, models_for(user).order_by("-created_at", "pk"))
        models = [model_json(row, is_promoted=row.pk in promoted) for row in page.rows]
        return Response(models, headers=page.headers)


class Model(PermittedView):
    """One model version."""

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: UUID) -> Response:
        user = person(request)
        row = get_object_or_404(models_for(user), pk=pk)
        return Response(model_json(row, is_promoted=row.pk in promoted_ids(user)))


ACTS = ("ask", "agree", "decline", "withdraw")


class Promote(PermittedView):
    """A researcher asks that a model scores for its criterion, and an admin agrees."""

    @extend_schema(request=OpenApiTypes.OBJECT, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, pk: UUID) -> Response:
        user = person(request)
        model = get_object_or_404(models_for(user), pk=pk)
        sent = body(request, {"act", "reason", "is_aware"})
        # Without a word it is what comes next: what is asked can only be agreed to.
        act = sent.get("act", "ask" if open_ask(model) is None else "agree")
        _refuse_types(sent, act)
        reason = sent.get("reason", "")
        if act == "ask":
            is_aware = sent.get("is_aware", False)
            ask_promotion(model=model, asked_by=user, reason=reason, is_aware=is_aware)
        elif act == "withdraw":
            withdraw_promotion(model=model, withdrawn_by=user, reason=reason)
        else:
            agrees = act == "agree"
            answer_promotion(model=model, answered_by=user, reason=reason, agrees=agrees)
        return Response(_model_json(model, user))


def _refuse_types(sent: dict[str, Any], act: object) -> None:
    wrong = {}
    if act not in ACTS:
        wrong["act"] = [f"Choose one of {', '.join(ACTS)}."]
    if not isinstance(sent.get("reason", ""), str):
        wrong["reason"] = ["Give a text."]
    if not isinstance(sent.get("is_aware", False), bool):
        wrong["is_aware"] = ["Give true or false."]
    if wrong:
        raise ValidationError(wrong)


def _model_json(model: ModelVersion, user: Any) -> dict[str, Any]:
    state = promotion_state(model, user)
    return {
        "model": str(model.pk),
        "criterion": model.criterion,
        "is_promoted": state.is_promoted,
        "is_asked_for": state.open_ask is not None,
    }
