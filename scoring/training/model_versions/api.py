"""Model versions and promotions over REST."""

from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.rest.bodies import TEXT, TRUTH, body
from core.rest.paging import PAGED, PARAMETERS, page_of
from scoring.access.api import ModelSerializer, PermittedView, person
from scoring.training.model_versions.promotions import (
    ACTS,
    carry_out_act,
    open_ask,
    promoted_ids,
    promotion_state,
)
from scoring.training.model_versions.queries import models_for


class PromotedSerializer(serializers.Serializer):
    """Where the promotion of a model stands."""

    model = serializers.UUIDField()
    criterion = serializers.CharField()
    is_promoted = serializers.BooleanField()
    is_asked_for = serializers.BooleanField()


class Models(PermittedView):
    """The model versions that the caller may see."""

    parameters = PARAMETERS

    @extend_schema(
        operation_id="models_list", parameters=PAGED, responses=ModelSerializer(many=True)
    )
    def get(self, request: Request) -> Response:
        user = person(request)
        promoted = promoted_ids(user)
        page = page_of(request, models_for(user).order_by("-created_at", "pk"))
        models = ModelSerializer(page.rows, many=True, context={"promoted": promoted})
        return Response(models.data, headers=page.headers)


class Model(PermittedView):
    """One model version."""

    @extend_schema(responses=ModelSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        user = person(request)
        row = get_object_or_404(models_for(user), pk=pk)
        return Response(ModelSerializer(row, context={"promoted": promoted_ids(user)}).data)


class Promote(PermittedView):
    """A researcher asks that a model scores for its criterion, and an admin agrees."""

    @extend_schema(request=OpenApiTypes.OBJECT, responses=PromotedSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        user = person(request)
        model = get_object_or_404(models_for(user), pk=pk)
        known = (lambda act: act in ACTS, f"Choose one of {', '.join(ACTS)}.")
        sent = body(request, {"act": known, "reason": TEXT, "is_aware": TRUTH})
        # Without a word it is what comes next: what is asked can only be agreed to.
        act = sent.get("act", "ask" if open_ask(model) is None else "agree")
        carry_out_act(**{"act": act, "reason": ""} | sent, model=model, actor=user)
        state = promotion_state(model, user)
        return Response(
            {
                "model": str(model.pk),
                "criterion": model.criterion,
                "is_promoted": state.is_promoted,
                "is_asked_for": state.open_ask is not None,
            }
        )
