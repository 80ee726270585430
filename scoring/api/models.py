"""Model versions over REST."""

from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotator.api.paging import PAGED, PARAMETERS, page_of
from scoring.api.door import Door, person
from scoring.api.words import model_words
from scoring.queries.models import models_for
from scoring.queries.promotions import promoted_ids


class Models(Door):
    """The model versions that the caller may see."""

    parameters = PARAMETERS

    @extend_schema(operation_id="models_list", parameters=PAGED, responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        user = person(request)
        promoted = promoted_ids(user)
        page = page_of(request, models_for(user).order_by("-created_at", "pk"))
        words = [model_words(row, is_promoted=row.pk in promoted) for row in page.rows]
        return Response(words, headers=page.headers)


class Model(Door):
    """One model version."""

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: UUID) -> Response:
        user = person(request)
        row = get_object_or_404(models_for(user), pk=pk)
        return Response(model_words(row, is_promoted=row.pk in promoted_ids(user)))
