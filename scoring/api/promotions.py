"""Promotions over REST: ask, agree, decline, withdraw."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from scoring.api.door import Door, body, person
from scoring.models import ModelVersion
from scoring.queries.models import models_for
from scoring.queries.promotions import open_ask, promotion_state
from scoring.services.promotions import answer_promotion, ask_promotion, withdraw_promotion

ACTS = ("ask", "agree", "decline", "withdraw")


class Promote(Door):
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
        return Response(_words(model, user))


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


def _words(model: ModelVersion, user: Any) -> dict[str, Any]:
    state = promotion_state(model, user)
    return {
        "model": str(model.pk),
        "criterion": model.criterion,
        "is_promoted": state.is_promoted,
        "is_asked_for": state.open_ask is not None,
    }
