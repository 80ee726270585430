"""Model versions over REST."""

from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from scoring.api.door import Door, person
from scoring.api.words import model_words
from scoring.queries.models import models_for


class Models(Door):
    """The model versions that the caller may see."""

    @extend_schema(operation_id="models_list", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        return Response([model_words(row) for row in models_for(person(request))[:200]])


class Model(Door):
    """One model version."""

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(model_words(get_object_or_404(models_for(person(request)), pk=pk)))
