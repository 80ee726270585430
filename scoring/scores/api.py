"""Scores over REST: asked for, read and deleted; no answer holds a text."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus
from core.rest.bodies import TEXT, TEXTS, TRUTH, body
from scoring.access.api import PermittedView, person
from scoring.models import ScoreRequest
from scoring.scores.queries import (
    MeasuredModel,
    explanations_of,
    models_of,
    occlusions_of,
    score_requests_for,
)
from scoring.scores.services import delete_scores, request_scores


class ScoreRequestSerializer(serializers.Serializer):
    """A request for scores; `candidates` and `explanations` are empty until it has succeeded."""

    id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=JobStatus.choices)
    progress = serializers.FloatField()
    message = serializers.CharField()
    deleted_at = serializers.DateTimeField()
    candidates = serializers.ListField(child=serializers.JSONField())
    explanations = serializers.ListField(child=serializers.JSONField())


def score_json(row: ScoreRequest) -> dict[str, Any]:
    """Tell of a request; `candidates` is empty until it has succeeded.

    Beside each score stands the model that gave it, its tie threshold, and how far it agreed
    with people on validation. `explanations` say why a linear model scores the best candidate above
    the next, or a single one beside the average pair: `candidate` and `against` are numbers, and
    contributions are in log-odds of the score. Of an encoder, where `explain` was asked for, they
    say which `limitations` moved its score, in differences of scores.
    """
    models = models_of(row)
    scores = row.scores or {}
    return {
        "id": str(row.pk),
        "status": row.status,
        "progress": row.progress,
        "message": row.message,
        "deleted_at": (row.created_at + timedelta(minutes=settings.SCORE_KEEP_MINUTES)).isoformat(),
        "candidates": [
            {
                "candidate": place + 1,
                "scores": [
                    _beside(model) | _score_or_error(scores[criterion][place])
                    for criterion, model in models.items()
                    if criterion in scores
                ],
            }
            for place in range(len(row.candidate_texts))
            if scores
        ],
        "explanations": [
            {"criterion": model.criterion, "model": model.scoring.id, **explanation.as_json()}
            for model, explanation in explanations_of(row)
        ]
        + [
            {"criterion": model.criterion, "model": model.scoring.id, **shown.found.as_json()}
            for model, shown in occlusions_of(row)
            if shown is not None
        ],
    }


def _score_or_error(entry: dict[str, Any]) -> dict[str, Any]:
    return {"score": entry.get("score"), "error": entry.get("error", "")}


def _beside(measured: MeasuredModel) -> dict[str, Any]:
    found = measured.headline
    return {
        "criterion": measured.criterion,
        "model": measured.scoring.id,
        "tie_threshold": measured.tie_threshold,
        "validation": {
            "n": found.n if found else 0,
            "tau_b": found.value if found else None,
            "low": found.low if found else None,
            "high": found.high if found else None,
            "is_unseen_references": measured.is_unseen,
        },
    }


class Scores(PermittedView):
    """Scores candidates: 200 with the scores if all are in the cache, else 202 with the job."""

    @extend_schema(
        request=OpenApiTypes.OBJECT,
        responses={200: ScoreRequestSerializer, 202: ScoreRequestSerializer},
    )
    def post(self, request: Request) -> Response:
        kinds = {"reference": TEXT, "candidates": TEXTS, "criteria": TEXTS, "explain": TRUTH}
        sent = body(request, kinds, ("reference", "candidates"))
        row = request_scores(**sent, asked_by=person(request))
        if row.is_final:
            return Response(score_json(row))
        enqueue_on_commit(row)
        return Response(score_json(row), status=202)


class Score(PermittedView):
    """One of the caller's own requests; a DELETE takes texts and scores away at once."""

    @extend_schema(responses=ScoreRequestSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(score_json(get_object_or_404(score_requests_for(person(request)), pk=pk)))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        row = get_object_or_404(score_requests_for(person(request)), pk=pk)
        delete_scores(request=row, deleted_by=person(request))
        return Response(status=204)
