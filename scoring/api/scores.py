"""Scores over REST: ask the promoted models, read what they said, delete it."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotator.jobs.registry import ring_on_commit
from scoring.api.door import Door, body, person
from scoring.api.score_words import score_words
from scoring.queries.scores import score_requests_for
from scoring.services.scores import delete_scores, request_scores

FIELDS = {"reference", "candidates", "criteria"}


class Scores(Door):
    """Scores candidates: 200 with the scores if all are in the cache, else 202 with the job."""

    @extend_schema(
        request=OpenApiTypes.OBJECT,
        responses={200: OpenApiTypes.OBJECT, 202: OpenApiTypes.OBJECT},
    )
    def post(self, request: Request) -> Response:
        sent = body(request, FIELDS)
        _refuse_types(sent)
        row = request_scores(
            reference=sent["reference"],
            candidates=sent["candidates"],
            criteria=sent.get("criteria"),
            asked_by=person(request),
        )
        if row.is_final:
            return Response(score_words(row))
        ring_on_commit(row)
        return Response(score_words(row), status=202)


class Score(Door):
    """One of the caller's own requests; a DELETE takes texts and scores away at once."""

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(score_words(get_object_or_404(score_requests_for(person(request)), pk=pk)))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        row = get_object_or_404(score_requests_for(person(request)), pk=pk)
        delete_scores(request=row, deleted_by=person(request))
        return Response(status=204)


def _refuse_types(sent: dict[str, Any]) -> None:
    wrong = {
        name: ["This field is required."]
        for name in ("reference", "candidates")
        if name not in sent
    }
    if not isinstance(sent.get("reference", ""), str):
        wrong["reference"] = ["Give a text."]
    for name in ("candidates", "criteria"):
        value = sent.get(name, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            wrong[name] = ["Give a list of texts."]
    if wrong:
        raise ValidationError(wrong)
