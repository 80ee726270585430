"""What the API says of a score request: listed keys, and never a text."""

from datetime import timedelta
from typing import Any

from django.conf import settings

from scoring.models import ScoreRequest
from scoring.queries.scores import ScoringModel, models_of


def score_words(row: ScoreRequest) -> dict[str, Any]:
    """Tell of a request; `candidates` is empty until it has succeeded.

    Beside each score stands the model that gave it, its tie threshold, and how far it agreed
    with people on validation.
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
                    _beside(model) | {"score": None, "error": ""} | scores[criterion][place]
                    for criterion, model in models.items()
                    if criterion in scores
                ],
            }
            for place in range(len(row.candidate_texts))
            if scores
        ],
    }


def _beside(scoring: ScoringModel) -> dict[str, Any]:
    return {
        "criterion": scoring.criterion,
        "model": str(scoring.model.pk),
        "tie_threshold": scoring.tie_threshold,
        "validation": {
            "n": scoring.n,
            "tau_b": scoring.tau_b,
            "low": scoring.low,
            "high": scoring.high,
            "is_unseen_references": scoring.is_unseen,
        },
    }
